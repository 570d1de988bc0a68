import type { ManagerContext } from '../context.js'
import { mailFailure } from '../mail/mail-failure.js'
import { scheduleProblems } from '../overview/schedule-problems.js'

interface Problem {
  readonly message: string
  readonly help?: string | undefined
}

/** How often the schedule is looked at, in ms. */
const scheduleMs = 3_600_000

/** Mails once what of `config.sh` cannot be used, and what is scheduled but cannot run; again when it is something else. */
export function createProblemTeller(
  context: ManagerContext,
  onProblem: (message: string) => void,
): () => Promise<void> {
  const tell = (subject: string, effect: string) => {
    let told = ''
    return async (problems: readonly Problem[]): Promise<void> => {
      const text = problems
        .map(({ message, help }) => (help === undefined ? message : `${message}\n  ${help}`))
        .join('\n')
      if (text === told) return
      told = text
      if (text === '') return
      onProblem(text)
      const failure = await mailFailure(context, { subject, text: [text, effect].join('\n\n').trim() })
      if (failure !== undefined) onProblem(`This could not be mailed: ${failure}`)
    }
  }
  const settings = tell('config.sh has settings that cannot be used', effectOfSettings)
  const schedule = tell('Scheduled commands cannot run', '')
  let looked = -Infinity
  return async () => {
    await settings(context.settings.problems())
    if (performance.now() - looked < scheduleMs) return
    looked = performance.now()
    const found = await scheduleProblems(context).catch((error: Error) => [{ level: 'error', message: error.message }])
    await schedule(found.filter(({ level }) => level === 'error'))
  }
}

const effectOfSettings =
  'Until they are corrected, the server keeps the former ones, or uses the defaults, and commands that need them are ' +
  'refused.'
