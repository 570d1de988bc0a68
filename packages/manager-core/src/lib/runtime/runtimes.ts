import { ManagerError } from '../../errors.js'
import { formerRuntime, type Observed } from '../domain/instance.js'
import { failureOf } from '../system/failure.js'
import type { ProcessInfo } from '../system/process-table.js'
import type { Plugins } from '../system/plugins.js'
import type { ApplicationKind } from '../templates/check-template.js'
import type { RuntimeParts, RuntimeRow } from './built-in.js'
import type { InstanceRef, Observation, Runtime, Usage } from './runtime.js'

/** Which instance, by the name of its runtime when that is known, else by what its row says. */
export interface OfInstance {
  readonly id: string
  readonly runtime?: string
}

/** The runtimes that there are, and which one an instance has. Each is made when it is first used. */
export interface Runtimes {
  readonly names: readonly string[]
  /** @throws ManagerError ERR_STATE when there is none of that name */
  named(name: string): Runtime
  /** Whether it can be used here, and why not; also of one that is not there. */
  probe(name: string): Promise<{ readonly ok: boolean; readonly message: string }>
  /** Kinds of applications that it runs; none when there is no such runtime. */
  kinds(name: string): readonly ApplicationKind[]
  /** @throws ManagerError ERR_STATE when there is no such runtime (any more) */
  of(instance: OfInstance): Runtime
  /** The state of an instance; `unknown` when its runtime does not know it. */
  observe(ref: InstanceRef & OfInstance): Promise<Observation>
  /** Observes many at once, by id. Those of a runtime that does not know are `unknown`. */
  observeAll(refs: readonly (InstanceRef & OfInstance)[]): Promise<ReadonlyMap<string, Observed>>
  /** Measures many at once, by id. Those of a runtime that does not know are left out. */
  usageAll(refs: readonly (InstanceRef & OfInstance)[]): Promise<ReadonlyMap<string, Usage>>
  /** By id of the instance, with the runtime that has found them; see `Runtime.processesBelow`. */
  processesBelow(
    instances: string,
  ): Promise<ReadonlyMap<string, { readonly runtime: Runtime; readonly processes: readonly ProcessInfo[] }>>
}

export interface RuntimesOptions {
  readonly table: Readonly<Record<string, RuntimeRow>>
  readonly plugins: Plugins
  readonly parts: Omit<RuntimeParts, 'named'>
  /** Name of the runtime of an instance, as its row says; undefined: there is no row. */
  readonly nameOf: (id: string) => string | undefined
}

export function createRuntimes({ table, plugins, parts, nameOf }: RuntimesOptions): Runtimes {
  const { settings } = parts
  const names = (): readonly string[] => [...new Set([...Object.keys(table), ...settings().global.runtimePackages])]
  const made = new Map<string, Runtime>()

  function rowOf(name: string): RuntimeRow {
    const row = Object.hasOwn(table, name) ? table[name] : undefined
    if (row) return row
    if (settings().global.runtimePackages.includes(name))
      return plugins.load('runtime', name, 'APPS_RUNTIMES') as RuntimeRow
    throw new ManagerError('ERR_STATE', `The runtime "${name}" is not available here.`, {
      help: `This manager has: ${names().join(', ')}. Move the instance to one of them, or use the manager that has it.`,
    })
  }

  function named(name: string): Runtime {
    const known = made.get(name)
    if (known) return known
    const runtime = rowOf(name).make({ ...parts, named })
    made.set(name, runtime)
    return runtime
  }

  /** Undefined for a package that cannot be loaded: `probe` says why. */
  function usable(name: string): Runtime | undefined {
    try {
      return named(name)
    } catch {
      return undefined
    }
  }

  // What has no row is left of one that is gone, or not there yet: those that have processes of this machine know it.
  const nameFor = ({ id, runtime }: OfInstance) => runtime ?? nameOf(id) ?? formerRuntime

  /** Asks each runtime once for all of its instances; those of one that fails are given to `failed`. */
  async function grouped<T>(
    refs: readonly (InstanceRef & OfInstance)[],
    ask: (runtime: Runtime, refs: readonly InstanceRef[]) => Promise<ReadonlyMap<string, T>>,
    failed: (ref: InstanceRef) => readonly (readonly [string, T])[],
  ): Promise<ReadonlyMap<string, T>> {
    const groups = [...Map.groupBy(refs, nameFor)]
    const answers = await Promise.all(
      groups.map(async ([name, group]) => {
        try {
          return await ask(named(name), group)
        } catch {
          // Commands on one of them report why.
          return new Map(group.flatMap(failed))
        }
      }),
    )
    return answers.length === 1 ? (answers[0] as ReadonlyMap<string, T>) : new Map(answers.flatMap((one) => [...one]))
  }

  return {
    get names() {
      return names()
    },
    named,
    async probe(name) {
      try {
        return await named(name).probe()
      } catch (error) {
        return { ok: false, message: failureOf(error).message }
      }
    },
    kinds(name) {
      try {
        return rowOf(name).runs
      } catch {
        // `probe` says why.
        return []
      }
    },
    of: (instance) => named(nameFor(instance)),
    async observe(ref) {
      try {
        return await named(nameFor(ref)).observe(ref)
      } catch {
        return { state: 'unknown', restarts: 0, pids: [] }
      }
    },
    observeAll: (refs) =>
      grouped<Observed>(
        refs,
        (runtime, group) => runtime.observeAll(group),
        ({ id }) => [[id, 'unknown']],
      ),
    usageAll: (refs) =>
      grouped<Usage>(
        refs,
        (runtime, group) => runtime.usageAll(group),
        () => [],
      ),
    async processesBelow(instances) {
      const found = new Map<string, { readonly runtime: Runtime; readonly processes: readonly ProcessInfo[] }>()
      for (const name of names()) {
        const runtime = usable(name)
        const below = (await runtime?.processesBelow?.(instances)) ?? new Map<string, readonly ProcessInfo[]>()
        if (!runtime) continue
        // One that has another do the work finds the same.
        for (const [id, processes] of below) if (!found.has(id)) found.set(id, { runtime, processes })
      }
      return found
    },
  }
}
