import { withDefaults } from '../settings/with-defaults.js'
import type { Settings } from '../settings/settings.js'
import type { Mail, Mailer } from './mail.js'

/**
 * Mails `APPS_EMAIL` that an unattended action failed; nothing is sent without `APPS_MAILSERVER` or
 * `APPS_EMAIL`. Never rejects.
 *
 * @param mail without secrets
 * @returns why it could not be sent, for the warnings of the action.
 */
export async function mailFailure(
  { mailer, settings }: { readonly mailer: Mailer; readonly settings: Settings },
  { subject, text }: Omit<Mail, 'to'>,
): Promise<string | undefined> {
  // A wrong setting must not keep the mail about it.
  return withDefaults(async () => {
    try {
      const { baseUrl, email } = settings.global
      if (!mailer.enabled || email === undefined) return undefined
      await mailer.send({ subject: `[${new URL(baseUrl).host}] ${subject}`, text: `${text}\n\n-- \n${baseUrl}\n` })
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  })
}
