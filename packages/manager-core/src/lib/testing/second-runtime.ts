import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RuntimeRow } from '../runtime/built-in.js'
import { createProcessRuntime } from '../runtime/create-process-runtime.js'
import type { InstanceRef, Runtime } from '../runtime/runtime.js'

export interface SecondRuntimeOptions {
  /** Why it cannot be used; undefined: it can. */
  readonly problem?: () => string | undefined
  readonly runs?: RuntimeRow['runs']
}

/**
 * Another runtime, of processes that outlive a manager as those of the first one do, and that is all they have in common:
 * it keeps its files in a folder `second` of the instance, and leaves nothing there when it is taken out of it.
 */
export function secondRuntime({ problem = () => undefined, runs = ['node'] }: SecondRuntimeOptions = {}): RuntimeRow {
  const processes = createProcessRuntime()
  const at = <Ref extends InstanceRef>(ref: Ref): Ref => ({ ...ref, folder: join(ref.folder, 'second') })
  const runtime: Runtime = {
    ...processes,
    name: 'second',
    async probe() {
      const message = problem()
      return { ok: message === undefined, message: message ?? 'Instances run beside the others.' }
    },
    define: (spec) => processes.define(at(spec)),
    async undefine(ref) {
      await processes.undefine(at(ref))
      if (ref.copy === undefined) rmSync(at(ref).folder, { recursive: true, force: true })
    },
    start: (spec, options) => processes.start(at(spec), options),
    stop: (ref, options) => processes.stop(at(ref), options),
    suspend: async (ref, options) => processes.suspend?.(at(ref), options),
    resume: async (ref) => processes.resume?.(at(ref)),
    serving: async (ref) => (await processes.serving?.(at(ref))) ?? 'a',
    serve: async (ref, copy) => processes.serve?.(at(ref), copy),
    observe: (ref) => processes.observe(at(ref)),
    observeAll: (refs) => processes.observeAll(refs.map(at)),
    processes: (ref) => processes.processes(at(ref)),
    processesBelow: async () => new Map(),
    usageAll: (refs) => processes.usageAll(refs.map(at)),
    logs: (ref, options) => processes.logs(at(ref), options),
  }
  return { runs, make: () => runtime }
}
