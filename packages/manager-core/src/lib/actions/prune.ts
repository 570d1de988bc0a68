import type { Backup } from '../backup/backup.js'
import { examineBackups, prune } from '../backup/prune.js'
import type { Verdict } from '../backup/retention.js'
import type { ManagerContext } from '../context.js'
import type { Action } from './action.js'
import { recordHistory } from './record-history.js'

export const backupsPrune: Action = {
  name: 'backups prune',
  group: 'Backups',
  summary: 'Remove backups that no rule keeps',
  description:
    'What is kept: those younger than APPS_SAVE_DIR_DEPTH days, the newest APPS_KEEP_LAST, and the last one of each of ' +
    'so many days, weeks and months (APPS_KEEP_DAILY, APPS_KEEP_WEEKLY, APPS_KEEP_MONTHLY; local time). One rule that ' +
    'wants it is enough; without any rule nothing is removed. Never removed are the newest good one, the newest that was ' +
    'proved, and what is being used. Damaged ones count for no rule. save does the same with those of its instance.',
  parameters: [{ name: 'name', type: 'text', summary: 'Name of an instance, also of one that is gone (default: all)' }],
  ability: 'admin',
  mutating: true,
  destructive: 'Backups that no rule keeps are removed for good.',
  examples: ['backups prune --dry-run', 'backups prune demo --yes'],
  view: { type: 'table', columns: ['name', 'backup', 'result', 'reason'], empty: 'There are no backups.' },
  async handler({ context, input, caller }) {
    const name = input.name as string | undefined
    const names = name === undefined ? await namesOf(context) : [name]
    const dryRun = caller.dryRun === true
    const work = async () => {
      const verdicts: Verdict<Backup>[] = []
      for (const each of names) verdicts.push(...(await (dryRun ? examineBackups : prune)(context, each)))
      return answer(verdicts, dryRun)
    }
    if (dryRun) return work()
    const instance = { id: (name !== undefined && context.registry.find(name)?.id) || '', name: name ?? '' }
    return recordHistory(context, caller, { action: 'backups prune', instance }, work)
  },
}

/** Of all that have backups. */
async function namesOf({ backups }: Pick<ManagerContext, 'backups'>): Promise<readonly string[]> {
  const names = (await backups.list()).map(({ key }) => key.slice(0, key.indexOf('/')))
  const unique = new Map(names.map((name) => [name.toLowerCase(), name]))
  return [...unique.values()].toSorted((a, b) => a.localeCompare(b))
}

function answer(verdicts: readonly Verdict<Backup>[], dryRun: boolean) {
  const goes = dryRun ? 'would be removed' : 'removed'
  const list = verdicts.map(({ backup: { key, manifest }, keep, reason }) => ({
    name: key.slice(0, key.indexOf('/')),
    backup: manifest.id,
    result: keep ? 'kept' : goes,
    reason,
  }))
  const removed = list.filter(({ result }) => result === goes).length
  return { message: `${removed} ${goes}, ${list.length - removed} kept.`, list }
}
