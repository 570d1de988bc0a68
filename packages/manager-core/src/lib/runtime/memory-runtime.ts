import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import type { Observed } from '../domain/instance.js'
import type { Copy, ExitInfo, InstanceRef, InstanceSpec, LogOptions, Runtime } from './runtime.js'

/** What instances run: in this process, so that a test sees into it. */
export type MemoryProgram = (spec: InstanceSpec, host: MemoryHost) => MemoryProcess

export interface MemoryHost {
  /** A line of its log. */
  print(line: string): void
  /** It ended: with a code, or by a signal. Not before the program has given its process. */
  exited(how: number | 'SIGKILL'): void
}

export interface MemoryProcess {
  /** Asked to end; `exited` resolves when it does. */
  terminate(): void
  /** Ends without a chance. */
  kill(): void
}

/** What outlives a runtime: the machine of a test. */
export interface MemoryMachine {
  readonly program: MemoryProgram
  /** Copies by id and copy. */
  readonly instances: Map<string, MemoryInstance>
  /** Which copy serves, by id; not there: a. */
  readonly serving: Map<string, Copy>
  /** By id. */
  readonly logs: Map<string, MemoryLog>
}

interface MemoryLog {
  readonly lines: string[]
  /** How many older ones are gone. */
  dropped: number
  /** Together, all lines have that many characters. */
  length: number
}

interface MemoryInstance {
  spec: InstanceSpec
  /** What runs has this; another start another one. */
  running: { readonly process: MemoryProcess; readonly since: string } | undefined
  state: Observed
  wanted: boolean
  restarts: number
  lastExit: { readonly code?: number; readonly signal?: string; readonly at: string } | undefined
}

/** How often a program may end before it is given up. */
const maxCrashes = 3
const pollMs = 5

/** A machine without instances, which runtimes of `createMemoryRuntime` share. @param program what each instance runs */
export function createMemoryMachine(program: MemoryProgram): MemoryMachine {
  return { program, instances: new Map(), serving: new Map(), logs: new Map() }
}

/**
 * The smallest runtime, for tests: no processes, no files, no signals. As a remote engine it starts later than it was
 * asked to. Several runtimes may share a machine.
 */
export function createMemoryRuntime({ program, instances, serving, logs: logsById }: MemoryMachine): Runtime {
  const servingOf = ({ id }: InstanceRef): Copy => serving.get(id) ?? 'a'
  const keyOf = (ref: InstanceRef) => `${ref.id}/${ref.copy ?? servingOf(ref)}`
  const allOf = (ref: InstanceRef) =>
    (ref.copy === undefined ? (['a', 'b'] as const) : [ref.copy]).map((copy) => keyOf({ ...ref, copy }))

  function define(spec: InstanceSpec): MemoryInstance {
    const known = instances.get(keyOf(spec))
    if (known) {
      known.spec = spec
      return known
    }
    const made: MemoryInstance = {
      spec,
      running: undefined,
      state: 'stopped',
      wanted: false,
      restarts: 0,
      lastExit: undefined,
    }
    instances.set(keyOf(spec), made)
    if (!logsById.has(spec.id)) logsById.set(spec.id, { lines: [], dropped: 0, length: 0 })
    return made
  }

  function print({ id, log: { maxBytes, keep } }: InstanceSpec, line: string): void {
    const log = logsById.get(id)
    if (!log) return
    log.lines.push(line)
    log.length += line.length + 1
    if (maxBytes === 0) return
    while (log.length > maxBytes * (keep + 1)) {
      log.length -= (log.lines.shift() ?? '').length + 1
      log.dropped++
    }
  }

  function run(instance: MemoryInstance): void {
    if (!instance.wanted) return
    const process = program(instance.spec, {
      print: (line) => print(instance.spec, line),
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

  async function stop(key: string, graceMs: number): Promise<ExitInfo> {
    const instance = instances.get(key)
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
    { lines = 100, follow = false, filter = () => () => true, signal }: LogOptions,
  ): AsyncIterable<string> {
    const nothing: MemoryLog = { lines: [], dropped: 0, length: 0 }
    const first = logsById.get(id) ?? nothing
    const wanted = filter()
    let at = first.dropped + first.lines.length
    const last = first.lines.filter(wanted)
    yield* last.slice(Math.max(0, last.length - lines))
    for (;;) {
      const log = logsById.get(id) ?? nothing
      at = Math.max(at, log.dropped)
      for (; at < log.dropped + log.lines.length; at++) {
        const line = log.lines[at - log.dropped] as string
        if (wanted(line)) yield line
      }
      if (!follow || !(await sleep(pollMs, true, { signal }).catch(() => false))) return
    }
  }

  return {
    name: 'memory',
    capabilities: Object.freeze({
      parallelCopies: true,
      suspend: false,
      limits: false,
      bootStart: false,
      nativeRollback: false,
      processes: false,
      debug: false,
    }),
    probe: async () => ({ ok: true, message: 'Instances run in memory.' }),
    define: async (spec) => void define(spec),
    async undefine(ref) {
      if (allOf(ref).some((key) => instances.get(key)?.running))
        throw new ManagerError('ERR_STATE', `Instance ${ref.id} is running. Stop it first.`)
      for (const key of allOf(ref)) instances.delete(key)
    },
    async start(spec, { signal } = {}) {
      signal?.throwIfAborted()
      const instance = define(spec)
      if (instance.wanted && instance.state !== 'crashed') return
      Object.assign(instance, { wanted: true, state: 'starting', restarts: 0, lastExit: undefined })
      setTimeout(() => run(instance), pollMs)
    },
    async stop(ref, { graceMs, force = false }) {
      const exits = await Promise.all(allOf(ref).map((key) => stop(key, force ? 0 : graceMs)))
      return exits.find(({ wasRunning }) => wasRunning) ?? { wasRunning: false }
    },
    serving: async (ref) => servingOf(ref),
    serve: async ({ id }, copy) => void serving.set(id, copy),
    async observe(ref) {
      const { state = 'stopped', restarts = 0, lastExit, running } = instances.get(keyOf(ref)) ?? {}
      const since = running?.since ?? lastExit?.at
      return { state, restarts, pids: [], ...(since !== undefined && { since }), ...(lastExit && { lastExit }) }
    },
    observeAll: async (refs) => new Map(refs.map((ref) => [ref.id, instances.get(keyOf(ref))?.state ?? 'stopped'])),
    processes: async () => [],
    usageAll: async () => new Map(),
    logs,
  }
}
