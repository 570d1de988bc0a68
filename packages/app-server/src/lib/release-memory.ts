import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** By then the first requests have been answered. Not specified; chosen. */
const delayMs = 1000

/**
 * Gives back, once, what only the start needed, mostly half of the memory: V8 would keep it until much is allocated
 * again, which an application that waits for requests does not do.
 */
export function releaseMemorySoon(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>
    void collect({ execution: 'async', flavor: 'last-resort', type: 'major' })
  }, delayMs).unref()
}
