import type { Backup } from '../backup/backup.js'
import { nameIn } from '../backup/choose-backup.js'
import { examineCopies, pruneCopies } from '../backup/copies/prune-copies.js'
import { examineBackups, prune } from '../backup/prune.js'
import type { Verdict } from '../backup/retention.js'
import { recordHistory } from '../history/record-history.js'
import { defineAction } from './define-action.js'
import { atTarget } from './shared-inputs.js'

export const backupsPrune = defineAction({
  name: 'backups prune',
  group: 'Backups',
  summary: 'Remove backups that no rule keeps',
  description:
    'Keeps backups younger than APPS_SAVE_DIR_DEPTH days, the latest APPS_KEEP_LAST, and the last one of each of ' +
    'the past days, weeks and months (APPS_KEEP_DAILY, APPS_KEEP_WEEKLY, APPS_KEEP_MONTHLY; local time). One ' +
    'matching rule is enough; without rules, nothing is removed. Never removes the latest good backup, the ' +
    'latest with a test restore, backups in use, and backups still to be copied to a target. Damaged backups ' +
    'match no rule. save also does this for the backups of its instance, saveall also at targets. ' +
    'APPS_SAVE_DIR_DEPTH does not apply to targets.',
  parameters: [{ name: 'name', type: 'text', summary: 'Name of an instance, also of one that is gone (default: all)' }],
  options: [atTarget],
  ability: 'admin',
  mutating: true,
  destructive: 'Backups that no rule keeps are deleted permanently.',
  examples: ['backups prune --dry-run', 'backups prune demo --yes', 'backups prune --at s3 --dry-run'],
  view: { type: 'table', columns: ['name', 'backup', 'result', 'reason'], empty: 'There are no backups.' },
  async handler({ context, input, caller }) {
    const name = input.name
    const target = input.at
    const { dryRun = false, signal } = caller
    const work = async () => {
      const verdicts = await (target === undefined
        ? (dryRun ? examineBackups : prune)(context, name)
        : (dryRun ? examineCopies : pruneCopies)(context, target, { name, signal }))
      return answer(verdicts, dryRun)
    }
    if (dryRun) return work()
    const instance = { id: (name !== undefined && context.registry.find(name)?.id) || '', name: name ?? '' }
    const parameters = target === undefined ? {} : { at: target }
    return recordHistory(context, caller, { action: 'backups prune', instance, parameters }, work)
  },
})

function answer(verdicts: readonly Verdict<Pick<Backup, 'key' | 'manifest'>>[], dryRun: boolean) {
  const goes = dryRun ? 'would be removed' : 'removed'
  const list = verdicts.map(({ backup: { key, manifest }, keep, reason }) => ({
    name: nameIn(key),
    backup: manifest.id,
    result: keep ? 'kept' : goes,
    reason,
  }))
  const removed = list.filter(({ result }) => result === goes).length
  return { message: `${removed} ${goes}, ${list.length - removed} kept.`, list }
}
