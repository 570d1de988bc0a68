import type { ActionResult } from '../action.js'
import { raiseAlarm } from '../backup/alarm.js'
import { checkSaves, type SaveCheck } from '../backup/check-saves.js'
import { recordHistory } from '../history/record-history.js'
import { defineAction } from './define-action.js'

export const checksaves = defineAction({
  name: 'checksaves',
  group: 'Backups',
  summary: 'Check that every instance in nightly backups has a good, recent backup',
  description:
    'The backup must be younger than APPS_SAVE_MAXAGE hours and be at every configured target. Instances that ' +
    'are newer than that are not checked. What is missing is mailed to APPS_EMAIL, and the hook monitoring.sh is ' +
    'called with the name of each such instance and the reason save-missing; --dry-run notifies no one. The exit ' +
    'code is 1 if a backup is missing. "schedule" runs this every morning.',
  ability: 'operate',
  mutating: true,
  mailsItself: true,
  examples: ['checksaves', 'checksaves --dry-run'],
  view: {
    type: 'table',
    columns: ['name', 'saved', 'backup', 'problem'],
    empty: 'No instance is included in nightly backups.',
  },
  async handler({ context, caller }) {
    if (caller.dryRun) return answer(await checkSaves(context))
    return recordHistory(context, caller, { action: 'checksaves' }, async () => {
      const list = await checkSaves(context)
      const missed = missedOf(list)
      if (missed.length === 0) return answer(list)
      const warnings = await raiseAlarm(context, {
        subject: `no good backup of ${missed.map(({ name }) => name).join(', ')}`,
        text: missed.map(({ name, problem }) => `${name}: ${problem}`).join('\n'),
        instances: missed.map(({ name, problem }) => ({ name, reason: 'save-missing', message: problem })),
      })
      return { ...answer(list), ...(warnings.length > 0 && { warnings }) }
    })
  },
})

function missedOf(list: readonly SaveCheck[]): readonly SaveCheck[] {
  return list.filter(({ problem }) => problem !== '')
}

function answer(list: readonly SaveCheck[]): ActionResult {
  const missed = missedOf(list).length
  const fresh = list.filter(({ problem, backup }) => problem === '' && backup === '').length
  if (missed === 0 && fresh > 0)
    return {
      message:
        `${list.length - fresh} of ${list.length} instances in nightly backups have a good backup; ${fresh} new ` +
        'without one yet.',
      list,
    }
  if (missed === 0) return { message: `All instances in nightly backups have a good backup (${list.length}).`, list }
  const message = `${missed} of ${list.length} instances in nightly backups lack a good backup.`
  return { message, list, exitCode: 1 }
}
