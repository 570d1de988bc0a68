import type { CpuSeconds } from './servers/processes.js'
import type { ServerTimes } from './servers/times.js'

declare module 'vitest' {
  interface TaskMeta {
    /** For a file: what it took, its servers included. */
    cpu?: CpuSeconds
    /** Those that it started. */
    servers?: Readonly<Record<string, ServerTimes>>
  }
}
