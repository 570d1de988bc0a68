import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let isDone = false

/**
 * Makes V8's space for young objects small, and keeps it so. Buffers of a transfer are used for a moment only, but V8
 * frees them when that space is full: as large as it grows otherwise, 100 MB of used buffers lie about.
 *
 * It holds for the whole process from now on, the only way that V8 knows.
 */
export function keepBuffersShortLived(): void {
  if (isDone) return
  isDone = true
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>
  // The one that makes spaces smaller.
  collect({ execution: 'sync', flavor: 'last-resort', type: 'major' })
}
