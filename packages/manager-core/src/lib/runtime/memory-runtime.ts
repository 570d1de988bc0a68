import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import type { Observed } from '../domain/instance.js'
import type { ExitInfo, InstanceRef, InstanceSpec, LogOptions, Runtime } from './runtime.js'

/** What instances run: in this process, so that a test sees into it. */
export type MemoryProgram = (spec: InstanceSpec, host: MemoryHost) => MemoryProcess

export interface MemoryHost {
  /** A line of its log. */
  print(line: string): void
  /** It ended: with a code, or by a signal. Not before the program has given its process. */
  exited(how: number | 'SIGKILL'): void
}

export interface MemoryProcess {
  /** Asked to end; `exited` tells when it does. */
  terminate(): void
  /** Ends without a chance. */
  kill(): void
}

/** What outlives a runtime: the machine of a test. */
export interface MemoryMachine {
  readonly program: MemoryProgram
  readonly instances: Map<string, MemoryInstance>
}

interface MemoryInstance {
  spec: InstanceSpec
  /** What runs has this; another start another one. */
  running: { readonly process: MemoryProcess; readonly since: string } | undefined
  state: Observed
  wanted: boolean
  restarts: number
  lastExit: { readonly code?: number; readonly signal?: string; readonly at: string } | undefined
  readonly log: string[]
}

/** How often a program may end before it is given up. */
const maxCrashes = 3
const pollMs = 5

export function createMemoryMachine(program: MemoryProgram): MemoryMachine {
  return { program, instances: new Map() }
}

/**
 * The smallest runtime, for tests: no processes, no files, no signals. As a remote engine it starts later than it was
 * asked to. Several runtimes may share a machine.
 */
export function createMemoryRuntime({ program, instances }: MemoryMachine): Runtime {
  function define(spec: InstanceSpec): MemoryInstance {
    const known = instances.get(spec.id)
    if (known) {
      known.spec = spec
      return known
    }
    const made: MemoryInstance = {
      ...{ spec, running: undefined, state: 'stopped', wanted: false, restarts: 0, lastExit: undefined },
      log: [],
    }
    instances.set(spec.id, made)
    return made
  }

  function run(instance: MemoryInstance): void {
    if (!instance.wanted) return
    const process = program(instance.spec, {
      print: (line) => void instance.log.push(line),
      exited: (how) => {
        if (instance.running?.process === process) ended(instance, how)
      },
    })
    instance.running = { process, since: new Date().toISOString() }
    instance.state = 'started'
  }

  function ended(instance: MemoryInstance, how: number | 'SIGKILL'): void {
    instance.running = undefined
    instance.lastExit = { ...(how === 'SIGKILL' ? { signal: how } : { code: how }), at: new Date().toISOString() }
    if (!instance.wanted) instance.state = 'stopped'
    else if (++instance.restarts >= maxCrashes) instance.state = 'crashed'
    else {
      instance.state = 'starting'
      setTimeout(() => run(instance), pollMs)
    }
  }

  async function stop({ id }: InstanceRef, graceMs: number): Promise<ExitInfo> {
    const instance = instances.get(id)
    if (!instance) return { wasRunning: false }
    const wasRunning = instance.wanted && instance.state !== 'crashed'
    instance.wanted = false
    const begin = performance.now()
    if (graceMs > 0) instance.running?.process.terminate()
    while (instance.running && performance.now() - begin < graceMs) await sleep(pollMs)
    const forced = instance.running !== undefined
    instance.running?.process.kill()
    while (instance.running) await sleep(pollMs)
    instance.state = 'stopped'
    if (!wasRunning) return { wasRunning }
    const { code, signal } = instance.lastExit ?? {}
    return {
      wasRunning,
      ...(code !== undefined && { code }),
      ...(signal !== undefined && { signal }),
      ...(forced && { forced }),
    }
  }

  async function* logs(
    { id }: InstanceRef,
    { lines = 100, follow = false, signal }: LogOptions,
  ): AsyncIterable<string> {
    let at = Math.max(0, (instances.get(id)?.log.length ?? 0) - lines)
    for (;;) {
      const log = instances.get(id)?.log ?? []
      while (at < log.length) yield log[at++] as string
      if (!follow || !(await sleep(pollMs, true, { signal }).catch(() => false))) return
    }
  }

  return {
    name: 'memory',
    capabilities: Object.freeze({
      parallelCopies: false,
      suspend: false,
      limits: false,
      bootStart: false,
      nativeRollback: false,
      processes: false,
      debug: false,
    }),
    probe: async () => ({ ok: true, message: 'Instances run in memory.' }),
    define: async (spec) => void define(spec),
    async undefine({ id }) {
      if (instances.get(id)?.running)
        throw new ManagerError('ERR_STATE', `Instance ${id} runs; it must be stopped first.`)
      instances.delete(id)
    },
    async start(spec) {
      const instance = define(spec)
      if (instance.wanted && instance.state !== 'crashed') return
      Object.assign(instance, { wanted: true, state: 'starting', restarts: 0, lastExit: undefined })
      setTimeout(() => run(instance), pollMs)
    },
    stop: (ref, { graceMs, force = false }) => stop(ref, force ? 0 : graceMs),
    async observe({ id }) {
      const { state = 'stopped', restarts = 0, lastExit, running } = instances.get(id) ?? {}
      const since = running?.since ?? lastExit?.at
      return { state, restarts, pids: [], ...(since !== undefined && { since }), ...(lastExit && { lastExit }) }
    },
    observeAll: async (refs) => new Map(refs.map(({ id }) => [id, instances.get(id)?.state ?? 'stopped'])),
    processes: async () => [],
    logs,
  }
}
