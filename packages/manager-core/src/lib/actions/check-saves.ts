import { raiseAlarm } from '../backup/alarm.js'
import { checkSaves } from '../backup/check-saves.js'
import type { Action } from './action.js'

export const checksaves: Action = {
  name: 'checksaves',
  group: 'Backups',
  summary: 'Look whether each instance that is saved automatically has a good backup, not too old',
  description:
    'It must be younger than APPS_SAVE_MAXAGE hours, and be at every target that is set; who made it does not matter, nor ' +
    'does an instance that was made since then. What is missing is mailed to APPS_EMAIL, and the hook monitoring.sh is ' +
    'called with the name of each such instance and the reason save-missing. Ends with 1 then. schedule does it every morning.',
  ability: 'operate',
  mutating: false,
  examples: ['checksaves', 'checksaves --json'],
  view: {
    type: 'table',
    columns: ['name', 'saved', 'backup', 'problem'],
    empty: 'No instance is saved automatically.',
  },
  async handler({ context, caller }) {
    const list = await checkSaves(context)
    const missed = list.filter(({ problem }) => problem !== '')
    if (missed.length === 0)
      return { message: `All ${list.length} that are saved automatically have a good backup.`, list }
    const message = `${missed.length} of ${list.length} that are saved automatically lack a good backup.`
    if (caller.dryRun) return { message, list, exitCode: 1 }
    const warnings = await raiseAlarm(context, {
      subject: `no good backup of ${missed.map(({ name }) => name).join(', ')}`,
      text: missed.map(({ name, problem }) => `${name}: ${problem}`).join('\n'),
      instances: missed.map(({ name, problem }) => ({ name, reason: 'save-missing', message: problem })),
    })
    return { message, list, exitCode: 1, ...(warnings.length > 0 && { warnings }) }
  },
}
