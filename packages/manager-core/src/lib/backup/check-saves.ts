import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { countText } from '../domain/readable.js'
import { knownBackups, lastGood, type KnownBackup } from './known-backups.js'
import { isFutureTime } from './retention.js'
import { autoSaved } from './save-all.js'

export type SaveCheck = {
  readonly name: string
  /** Key of the last good backup, here or at a target; empty: there is none. */
  readonly backup: string
  /** When that was made, ISO 8601; empty: never. */
  readonly saved: string
  /** What is wrong, sentences; empty: nothing. */
  readonly problem: string
  /** Targets without a recent good backup, although there is one here or at others. */
  readonly missing_at: readonly string[]
}

type CheckContext = Pick<ManagerContext, 'backups' | 'clock' | 'registry' | 'settings'>

/**
 * For every instance that is saved automatically: whether it has a good backup, automatic or not, that is younger than
 * APPS_SAVE_MAXAGE, and whether such a one is at each target that is set, as this manager remembers. One that was made
 * since then needs none yet. A backup that is as far in the future is of a clock that was wrong, and does not count.
 */
export async function checkSaves(context: CheckContext): Promise<readonly SaveCheck[]> {
  const instances = autoSaved(context)
  const known = await knownBackups(context, instances)
  return instances.map((instance) => checkInstance(context, instance, known.get(instance.id) ?? []))
}

function checkInstance(context: CheckContext, { name, created }: Instance, known: readonly KnownBackup[]): SaveCheck {
  const { saveMaxAgeMs, targets } = context.settings.global
  const isYoung = (time: number) => Math.abs(context.clock().getTime() - time) <= saveMaxAgeMs
  const good = known.filter(({ isGood }) => isGood).toSorted((a, b) => b.made - a.made)
  const last = lastGood(known, context.clock())
  const young = good.filter(({ made }) => isYoung(made))
  const hours = `${saveMaxAgeMs / 3_600_000} hours`
  const saved = last ? new Date(last.made).toISOString() : ''
  const problems: string[] = []
  const missingAt: string[] = []
  if (young.length === 0 && !isYoung(Date.parse(created))) {
    if (last) problems.push(`Its last good backup is of ${saved}, which is older than ${hours}.`)
    else if (good.length === 0) problems.push('It has no good backup.')
    const future = good.filter(({ made }) => isFutureTime(made, context.clock())).length
    if (future > 0)
      problems.push(
        `${countText(future, 'good backup')} of a date in the future ${future === 1 ? 'does' : 'do'} not count: a clock was wrong.`,
      )
    const damaged = known.filter((one) => !one.isGood && one.made > (last?.made ?? 0)).length
    if (damaged > 0) problems.push(`${damaged} newer ${damaged === 1 ? 'is' : 'are'} damaged.`)
  }
  if (young.length > 0)
    for (const target of targets) {
      const isThere = young.some(({ copies }) => isGood(copies[target.name]))
      if (isThere) continue
      missingAt.push(target.name)
      problems.push(`No good backup of the last ${hours} is at "${target.name}".`)
    }
  return { name, backup: last?.key ?? '', saved, problem: problems.join(' '), missing_at: missingAt }
}

function isGood(copy: KnownBackup['copies'][string] | undefined): boolean {
  return copy !== undefined && copy.damage === undefined
}
