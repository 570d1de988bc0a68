import type { ManagerContext } from '../context.js'
import { mailFailure } from '../mail/mail-failure.js'

/** Mails once what of `config.sh` cannot be used, and again when it is something else. */
export function createSettingsTeller(
  context: Pick<ManagerContext, 'mailer' | 'settings'>,
  onProblem: (message: string) => void,
): () => Promise<void> {
  let told = ''
  return async () => {
    const text = context.settings
      .problems()
      .map(({ message, help }) => (help === undefined ? message : `${message}\n  ${help}`))
      .join('\n')
    if (text === told) return
    told = text
    if (text === '') return
    onProblem(text)
    const problem = await mailFailure(context, {
      subject: 'config.sh has settings that cannot be used',
      text: `${text}\n\n${effect}`,
    })
    if (problem !== undefined) onProblem(`This could not be mailed: ${problem}`)
  }
}

const effect =
  'Until they are corrected, the server keeps the former ones, or with the defaults, and commands that need them ' +
  'are refused.'
