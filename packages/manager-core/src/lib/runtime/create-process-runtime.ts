import type { Runtime } from './runtime.js'

export interface ProcessRuntimeOptions {
  readonly clock?: () => Date
}

/** Runs instances as detached processes that survive the manager. */
export function createProcessRuntime(_options: ProcessRuntimeOptions = {}): Runtime {
  throw new Error('Not there yet')
}
