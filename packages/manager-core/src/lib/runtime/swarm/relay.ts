import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rmSync } from 'node:fs'
import { runFolderOf } from '../copies.js'
import { nameOf } from '../container/body.js'
import type { InstanceSpec } from '../runtime.js'

/** Megabytes of its heap. */
const relayMemoryMb = 64

// Without a build, as tests run this, the one that was built last.
const program = new URL(
  import.meta.url.endsWith('.ts') ? '../../../../dist/swarm-relay.worker.js' : './swarm-relay.worker.js',
  import.meta.url,
)

/** What the process runtime runs for a copy of an instance: the way to its tasks, see `swarm-relay.worker.ts`. */
export function relayOf(spec: InstanceSpec, socket: string): InstanceSpec {
  const { id, folder, copy, port, log } = spec
  return {
    id,
    folder,
    ...(copy !== undefined && { copy }),
    command: [process.execPath, fileURLToPath(program), socket, nameOf(spec), String(port), positionOf(spec)],
    environment: {},
    workingFolder: folder,
    port,
    takesSockets: true,
    maxMemoryMb: relayMemoryMb,
    log,
  }
}

/** The lines of tasks that were removed are not asked for again. */
export function forgetPosition(spec: InstanceSpec): void {
  rmSync(positionOf(spec), { force: true })
}

function positionOf(spec: InstanceSpec): string {
  return join(runFolderOf(spec), 'log-position')
}
