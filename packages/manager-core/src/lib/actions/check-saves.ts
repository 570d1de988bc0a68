import type { ActionResult } from '../action.js'
import { raiseAlarm } from '../backup/alarm.js'
import { checkSaves, type SaveCheck } from '../backup/check-saves.js'
import { recordHistory } from '../history/record-history.js'
import { defineAction } from './define-action.js'

export const checksaves = defineAction({
  name: 'checksaves',
  group: 'Backups',
  summary: 'Check that each instance that is saved automatically has a good and recent backup',
  description:
    'It must be younger than APPS_SAVE_MAXAGE hours, and be at every target that is set; who made it does not matter, nor ' +
    'does an instance that was made since then. What is missing is mailed to APPS_EMAIL, and the hook monitoring.sh is ' +
    'called with the name of each such instance and the reason save-missing; with --dry-run nobody is told. Ends with 1 ' +
    'then. schedule does it every morning.',
  ability: 'operate',
  mutating: true,
  mailsItself: true,
  examples: ['checksaves', 'checksaves --dry-run'],
  view: {
    type: 'table',
    columns: ['name', 'saved', 'backup', 'problem'],
    empty: 'No instance is saved automatically.',
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
      message: `${list.length - fresh} of ${list.length} that are saved automatically have a good backup; ${fresh} new without one yet.`,
      list,
    }
  if (missed === 0) return { message: `All ${list.length} that are saved automatically have a good backup.`, list }
  const message = `${missed} of ${list.length} that are saved automatically lack a good backup.`
  return { message, list, exitCode: 1 }
}
