import { ManagerError } from '../../errors.js'

/** The mail server takes no mail to that address. */
export class RecipientRefused extends ManagerError {}

export interface Mail {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}

export interface Mailer {
  /** False: `APPS_MAILSERVER` is not set, and nothing is sent. */
  readonly enabled: boolean
  /** To `APPS_EMAIL` unless `to` says otherwise. Rejects when the server does not take it; the message has no password. */
  send(mail: Omit<Mail, 'to'> & { readonly to?: readonly string[] }): Promise<void>
}
