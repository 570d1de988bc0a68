import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { timeOf } from './new-backup.js'
import { autoSaved } from './save-all.js'
import { nameIn } from './choose-backup.js'
import { rememberedCopies } from './copies/remembered-copies.js'
import type { BackupStatus } from './status.js'

export type SaveCheck = {
  readonly name: string
  /** Key of the last good backup, here or at a target; empty: there is none. */
  readonly backup: string
  /** When that was made, ISO 8601; empty: never. */
  readonly saved: string
  /** What is wrong, sentences; empty: nothing. */
  readonly problem: string
}

/** A backup that is here, or only at targets any more. */
interface Known {
  readonly key: string
  /** Id of the instance; undefined: it is not known, and the name in the key says it. */
  readonly instance: string | undefined
  /** When it was made, by the clock of that time; ms since the Unix epoch. */
  readonly made: number
  readonly isGood: boolean
  readonly copies: NonNullable<BackupStatus['copies']>
}

type CheckContext = Pick<ManagerContext, 'backups' | 'clock' | 'registry' | 'settings'>

/**
 * For every instance that is saved automatically: whether it has a good backup, automatic or not, that is younger than
 * APPS_SAVE_MAXAGE, and whether such a one is at each target that is set, as this manager remembers. One that was made
 * since then needs none yet. A backup that is as far in the future is of a clock that was wrong, and does not count.
 */
export async function checkSaves(context: CheckContext): Promise<readonly SaveCheck[]> {
  const known = await knownBackups(context)
  const byInstance = Map.groupBy(known, ({ instance }) => instance)
  const byName = Map.groupBy(byInstance.get(undefined) ?? [], ({ key }) => nameIn(key).toLowerCase())
  return autoSaved(context).map((instance) =>
    checkInstance(context, instance, [
      ...(byInstance.get(instance.id) ?? []),
      ...(byName.get(instance.name.toLowerCase()) ?? []),
    ]),
  )
}

function checkInstance(context: CheckContext, { name, created }: Instance, known: readonly Known[]): SaveCheck {
  const { saveMaxAgeMs, targets } = context.settings.global
  const isYoung = (time: number) => Math.abs(context.clock().getTime() - time) <= saveMaxAgeMs
  const good = known.filter(({ isGood }) => isGood).toSorted((a, b) => b.made - a.made)
  const [last] = good
  const young = good.filter(({ made }) => isYoung(made))
  const hours = `${saveMaxAgeMs / 3_600_000} hours`
  const saved = last ? new Date(last.made).toISOString() : ''
  const problems: string[] = []
  if (young.length === 0 && !isYoung(Date.parse(created))) {
    problems.push(
      last ? `Its last good backup is of ${saved}, which is older than ${hours}.` : 'It has no good backup.',
    )
    const damaged = known.filter((one) => !one.isGood && one.made > (last?.made ?? 0)).length
    if (damaged > 0) problems.push(`${damaged} newer ${damaged === 1 ? 'is' : 'are'} damaged.`)
  }
  if (young.length > 0)
    for (const target of targets) {
      const isThere = young.some(({ copies }) => isGood(copies[target.name]))
      if (!isThere) problems.push(`No good backup of the last ${hours} is at "${target.name}".`)
    }
  return { name, backup: last?.key ?? '', saved, problem: problems.join(' ') }
}

/** For all instances in one call: each by itself would be found in a folder of all. */
async function knownBackups(context: CheckContext): Promise<readonly Known[]> {
  const { backups } = context
  const [here, damaged, away] = await Promise.all([backups.list(), backups.damaged(), rememberedCopies(context)])
  return [
    ...here.map(({ key, copies, damage, manifest }) => {
      const { instance, started } = manifest
      return { key, instance: instance.id, copies, isGood: damage === undefined, made: Date.parse(started) }
    }),
    ...damaged.map(({ key }) => ({ key, instance: undefined, copies: {}, isGood: false, made: timeOf(key) })),
    ...away.map(({ key, copies, of }) => {
      const made = of ? Date.parse(of.started) : timeOf(key)
      return { key, instance: of?.instance, copies, isGood: true, made }
    }),
  ]
}

function isGood(copy: Known['copies'][string] | undefined): boolean {
  return copy !== undefined && copy.damage === undefined
}
