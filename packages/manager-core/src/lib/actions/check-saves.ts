import { checkSaves } from '../backup/check-saves.js'
import type { Action } from './action.js'

export const checksaves: Action = {
  name: 'checksaves',
  group: 'Backups',
  summary: 'Look whether each instance that is saved automatically has a good backup, not too old',
  description:
    'It must be younger than APPS_SAVE_MAXAGE hours, and be at every target that is set; who made it does not matter, nor ' +
    'does an instance that was made since then. What is missing is mailed to APPS_EMAIL, and the hook monitoring.sh is ' +
    'called with the name of each such instance and the reason "save". Ends with 1 then. schedule does it every morning.',
  ability: 'operate',
  mutating: false,
  examples: ['checksaves', 'checksaves --json'],
  view: {
    type: 'table',
    columns: ['name', 'saved', 'backup', 'problem'],
    empty: 'No instance is saved automatically.',
  },
  async handler({ context }) {
    const list = await checkSaves(context)
    const missed = list.filter(({ problem }) => problem !== '')
    if (missed.length === 0)
      return { message: `All ${list.length} that are saved automatically have a good backup.`, list }
    return {
      message: `${missed.length} of ${list.length} that are saved automatically lack a good backup.`,
      list,
      exitCode: 1,
    }
  },
}
