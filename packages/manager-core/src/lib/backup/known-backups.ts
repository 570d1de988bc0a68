import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { lastPart, nameIn } from './choose-backup.js'
import { rememberedCopies } from './copies/remembered-copies.js'
import { timeOf } from './new-backup.js'
import { isFutureTime } from './retention.js'
import type { BackupStatus } from './status.js'

/** A backup that is here, or only at targets any more. */
export interface KnownBackup {
  readonly key: string
  /** When it was made, by the clock of that time; ms since the Unix epoch. */
  readonly made: number
  readonly isGood: boolean
  readonly copies: NonNullable<BackupStatus['copies']>
}

type KnownContext = Pick<ManagerContext, 'backups' | 'registry' | 'settings'>

/** Those of each of the instances, by its id. All are looked for at once: each by itself would be found in a folder of all. */
export async function knownBackups(
  context: KnownContext,
  instances: readonly Instance[],
): Promise<ReadonlyMap<string, readonly KnownBackup[]>> {
  const { backups } = context
  const [here, damaged, away] = await Promise.all([backups.list(), backups.damaged(), rememberedCopies(context)])
  const known = [
    ...here.map(({ key, copies, damage, manifest }) => {
      const { instance, started } = manifest
      return { key, instance: instance.id, copies, isGood: damage === undefined, made: madeAt(key, started) }
    }),
    ...damaged.map(({ key }) => ({ key, instance: undefined, copies: {}, isGood: false, made: timeOf(key) })),
    ...away.map(({ key, copies, of }) => {
      return { key, instance: of?.instance, copies, isGood: true, made: madeAt(key, of?.started) }
    }),
  ]
  const byInstance = Map.groupBy(known, ({ instance }) => instance)
  // Some are known only with the name of their instance.
  const byName = Map.groupBy(byInstance.get(undefined) ?? [], ({ key }) => nameIn(key).toLowerCase())
  return new Map(
    instances.map(({ id, name }) => [id, [...(byInstance.get(id) ?? []), ...(byName.get(name.toLowerCase()) ?? [])]]),
  )
}

/** As its manifest says, or else its key: a manifest that was forged says anything. */
function madeAt(key: string, started = ''): number {
  const made = Date.parse(started)
  return Number.isNaN(made) ? timeOf(key) : made
}

/** The newest good one; undefined: there is none whose time is known and not in the future. */
export function lastGood(known: readonly KnownBackup[], now: Date): KnownBackup | undefined {
  return known
    .filter(({ isGood, made }) => isGood && !Number.isNaN(made) && !isFutureTime(made, now))
    .toSorted((a, b) => b.made - a.made)[0]
}

export interface BackupAway {
  /** `20261121T030000Z-1.0-abcdefgh` */
  readonly id: string
  readonly target: string
}

/** The newest one that is at targets only, when it is newer than a backup; no target is asked. */
export async function newerAway(
  context: Pick<ManagerContext, 'registry' | 'settings'>,
  name: string,
  key?: string,
): Promise<BackupAway | undefined> {
  const [newest] = await rememberedCopies(context, name)
  const [target] = Object.keys(newest?.copies ?? {})
  if (!newest || target === undefined || (key !== undefined && lastPart(newest.key) <= lastPart(key))) return undefined
  return { id: lastPart(newest.key), target }
}
