import type { Settings } from '../settings/settings.js'
import type { Mailer } from './mail.js'

export function createMailer(_options: { readonly settings: () => Settings }): Mailer {
  throw new Error('Not there yet')
}
