import pLimit from 'p-limit'
import { healthPlace } from '../application/health-place.js'
import { knownBackups, lastGood, type KnownBackup } from '../backup/known-backups.js'
import type { ManagerContext } from '../context.js'
import { isAvailable, isRunning, type Instance } from '../domain/instance.js'
import { rounded } from '../domain/sample.js'
import type { WireInstance } from '../instances/wire-instance.js'
import type { WireLimits } from '../instances/wire-limits.js'
import { refOf } from '../runtime/instance-ref.js'
import { checkHealth } from '../runtime/health.js'
import { serverOf } from '../servers/application-server.js'
import { createJournal } from '../store/journal.js'
import { isUpgradeNeeded } from '../templates/upgrade-needed.js'

/** What an operator looks at first, beside the fields of an instance. */
export type Overview = {
  /** What is observed and, when it differs, what is recorded; whether an operation changes it or needs attention. */
  readonly state: string
  /** `available`: its version has a newer template. Empty: it has the newest. */
  readonly update: 'available' | ''
  /** Why an operation needs attention; empty: none does. */
  readonly attention: string
  /** Id of that operation, whatever others did since; else of the one that changes the instance now, or empty. */
  readonly operation: string
}

/** What has to be looked for on disk and asked of processes. Null and empty: it does not run, or it is unknown. */
export type Measured = {
  /** `OK`, or the reason why not, as monitoring reports it; empty: it does not run. */
  readonly health: string
  /** ISO 8601; since when it runs, or when it ended. */
  readonly since: string
  readonly uptime_seconds: number | null
  /** How often it was started again after a crash since it was started. */
  readonly restarts: number | null
  readonly memory_mb: number | null
  /** When the last good backup of it was started that is here or, as this manager remembers, at a target, ISO 8601. */
  readonly last_backup: string
  /** Version of the application server that it stays with; empty: it follows the manager, or has its own. */
  readonly server: string
}

/** An instance as `list` answers it. */
export type ListedInstance = WireInstance & Overview & Partial<Measured>

/** An instance as `get` answers it. */
export type ShownInstance = WireInstance &
  Overview &
  WireLimits & {
    readonly neutralised: 'yes' | 'no' | 'unknown'
    /** When it was upgraded, ISO 8601, if that can be rolled back; else empty. */
    readonly restore_point: string
    readonly restore_point_version: string
    readonly restore_point_expires: string
    readonly restore_points_mb: number
    /** When the upgrade to what its version has now was rehearsed, ISO 8601; empty: it was not. */
    readonly rehearsed: string
    readonly rehearsal: 'good' | 'failed' | ''
    readonly server: string
    /** Its system account; empty: it has none. */
    readonly account: string
  }

/** How many instances are asked at the same time, and how long each may take, in ms. */
const atOnce = 50
const patienceMs = 2000

/** By the instance's id; no server is asked. */
export function overviews(
  { registry, clock }: Pick<ManagerContext, 'registry' | 'clock'>,
  instances: readonly Instance[],
): ReadonlyMap<string, Overview> {
  const newest = new Map(registry.versions().map((version) => [version.version, version]))
  const open = createJournal(registry, { clock }).open()
  const stuck = Map.groupBy(
    open.filter(({ state }) => state === 'attention'),
    ({ instanceId }) => instanceId,
  )
  return new Map(
    instances.map((instance) => {
      const version = newest.get(instance.version)
      const [first, ...others] = stuck.get(instance.id) ?? []
      const attention = others.find(({ id }) => id === instance.operation) ?? first
      return [
        instance.id,
        {
          state: stateOf(instance, attention !== undefined),
          update: version && isUpgradeNeeded(instance, version) ? 'available' : '',
          attention: attention?.message ?? '',
          operation: attention?.id ?? instance.operation,
        },
      ]
    }),
  )
}

/** How to get out of what needs attention, for a person; undefined: nothing does. */
export function wayOut({ name }: Pick<Instance, 'name'>, { attention, operation }: Overview): string | undefined {
  if (attention === '') return undefined
  const cause = attention.replace(/\.?$/, '.')
  return (
    `"${name}" needs attention: ${cause} Fix this, then run manager doctor --fix. To leave "${name}" as it is: ` +
    `manager giveup ${operation}`
  )
}

/** By the instance's id. */
export async function measured(
  context: Pick<ManagerContext, 'runtimes' | 'home' | 'backups' | 'clock' | 'registry' | 'settings'>,
  instances: readonly Instance[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Measured>> {
  const { runtimes, home, clock } = context
  const refs = instances
    .filter(({ observed }) => observed !== 'stopped' && observed !== 'asleep')
    .map((instance) => refOf(context, instance))
  const [usage, backups] = await Promise.all([runtimes.usageAll(refs), lastBackups(context, instances)])
  const limit = pLimit(atOnce)
  const measure = async (instance: Instance): Promise<Measured> => {
    const { id, observed } = instance
    const last = { last_backup: backups.get(id) ?? '', server: serverOf(home.instance(id).app) }
    if (observed === 'stopped' || observed === 'asleep') return { ...nothing, ...last }
    const { since = '', restarts } = await runtimes.observe(refOf(context, instance))
    // One that is paused cannot answer, and one that starts has not to.
    const answers = observed === 'started' || observed === 'degraded'
    const health = answers
      ? await checkHealth(healthPlace(context, instance), { timeoutMs: patienceMs, signal })
      : undefined
    const ran = since === '' || !isRunning(observed) ? null : clock().getTime() - Date.parse(since)
    return {
      health: health ? (health.reason ?? 'OK') : '',
      since,
      uptime_seconds: ran === null ? null : Math.max(0, Math.round(ran / 1000)),
      restarts,
      memory_mb: rounded(usage.get(id)?.memoryMb ?? null),
      ...last,
    }
  }
  const all = instances.map((one) => limit(async () => [one.id, await measure(one)] as const))
  return new Map(await Promise.all(all))
}

const nothing: Measured = {
  health: '',
  since: '',
  uptime_seconds: null,
  restarts: null,
  memory_mb: null,
  last_backup: '',
  server: '',
}

/** By the instance's id. Where backups cannot be looked for, the rest is worth showing all the same. */
async function lastBackups(
  context: Pick<ManagerContext, 'backups' | 'clock' | 'registry' | 'settings'>,
  instances: readonly Instance[],
): Promise<ReadonlyMap<string, string>> {
  const known = await knownBackups(context, instances).catch(() => new Map<string, readonly KnownBackup[]>())
  return new Map(
    [...known].flatMap(([id, backups]) => {
      const last = lastGood(backups, context.clock())
      return last ? [[id, new Date(last.made).toISOString()]] : []
    }),
  )
}

function stateOf({ desired, observed, operation }: Instance, needsAttention: boolean): string {
  const fits = observed === 'crashed' || isAvailable(observed) === (desired === 'started')
  const state = fits ? observed : `${observed}, recorded as ${desired}`
  if (needsAttention) return `${state}, needs attention`
  return operation === '' ? state : `${state}, being changed`
}
