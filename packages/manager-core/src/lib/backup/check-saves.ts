import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { timeOf } from './new-backup.js'
import { autoSaved } from './save-all.js'
import { rememberedCopies } from './remote/remembered-copies.js'
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

/** A good backup, here or only at targets any more. */
interface Known {
  readonly key: string
  readonly copies: NonNullable<BackupStatus['copies']>
}

type CheckContext = Pick<ManagerContext, 'backups' | 'clock' | 'registry' | 'settings'>

/**
 * Of every instance that is saved automatically: whether it has a good backup, automatic or not, that is younger than
 * APPS_SAVE_MAXAGE, and whether such a one is at each target that is set, as this manager remembers. One that was made
 * since then needs none yet.
 */
export async function checkSaves(context: CheckContext): Promise<readonly SaveCheck[]> {
  const checks: SaveCheck[] = []
  for (const instance of autoSaved(context)) checks.push(await checkInstance(context, instance))
  return checks
}

async function checkInstance(context: CheckContext, { name, created }: Instance): Promise<SaveCheck> {
  const { saveMaxAgeMs, targets } = context.settings.global
  const isYoung = (time: number) => context.clock().getTime() - time <= saveMaxAgeMs
  const { good, damaged } = await knownBackups(context, name)
  const last = good[0]
  const young = good.filter(({ key }) => isYoung(timeOf(key)))
  const hours = `${saveMaxAgeMs / 3_600_000} hours`
  const problems: string[] = []
  if (young.length === 0 && !isYoung(Date.parse(created))) {
    problems.push(
      last
        ? `Its last good backup is of ${dateOf(last.key)}, which is more than ${hours} ago.`
        : 'It has no good backup.',
    )
    if (damaged > 0) problems.push(`${damaged} newer ${damaged === 1 ? 'is' : 'are'} damaged.`)
  }
  if (young.length > 0)
    for (const target of targets) {
      const isThere = young.some(({ copies }) => isGood(copies[target.name]))
      if (!isThere) problems.push(`No good backup of the last ${hours} is at "${target.name}".`)
    }
  return { name, backup: last?.key ?? '', saved: last ? dateOf(last.key) : '', problem: problems.join(' ') }
}

/** Good ones, newest first, and how many damaged ones are newer than the first of them. */
async function knownBackups(
  context: CheckContext,
  name: string,
): Promise<{ readonly good: readonly Known[]; readonly damaged: number }> {
  const [backups, broken] = await Promise.all([context.backups.list({ name }), context.backups.damaged({ name })])
  const here = backups.filter(({ damage }) => damage === undefined)
  const good = [...here, ...(await rememberedCopies(context, name))].toSorted((a, b) => timeOf(b.key) - timeOf(a.key))
  const bad = [...backups.filter(({ damage }) => damage !== undefined), ...broken]
  const newest = good[0] ? timeOf(good[0].key) : 0
  return { good, damaged: bad.filter(({ key }) => timeOf(key) > newest).length }
}

function isGood(copy: Known['copies'][string] | undefined): boolean {
  return copy !== undefined && copy.damage === undefined
}

/** ISO 8601, of a key. */
function dateOf(key: string): string {
  return new Date(timeOf(key)).toISOString()
}
