import type { ManagerContext } from '../context.js'
import type { InstanceRequest, RequestLanguage } from '../domain/request.js'
import { de } from './texts/de.js'
import { en } from './texts/en.js'
import { fr } from './texts/fr.js'
import type { MailTexts } from './texts/mail-texts.js'

const texts: Readonly<Record<RequestLanguage, MailTexts>> = { en, fr, de }

type Context = Pick<ManagerContext, 'mailer' | 'settings'>
type Addressee = Pick<InstanceRequest, 'name' | 'version' | 'email' | 'firstname' | 'lastname' | 'language'>

/**
 * Writes to the applicant, in their language. Rejects when the mail server does not take it.
 *
 * @param values what else stands in the text
 */
export async function mailTo(
  { mailer, settings }: Context,
  request: Addressee,
  kind: keyof MailTexts,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const { subject, text } = texts[request.language][kind]
  const { baseUrl, email: support = '' } = settings.global
  const { name, version, firstname, lastname } = request
  const who = [firstname, lastname].filter((part) => part !== '').join(' ')
  const all = { name, version, who: who === '' ? '' : ` ${who}`, manager: baseUrl, support, ...values }
  await mailer.send({ to: [request.email], subject: filled(subject, all), text: filled(text, all) })
}

/** Notifies the operator that a request waits for a decision. Rejects when the mail server does not take it. */
export async function mailOperator({ mailer, settings }: Context, request: InstanceRequest): Promise<void> {
  const { id, name, version, email, firstname, lastname, phone, company } = request
  const { baseUrl } = settings.global
  const person = { email, firstname, lastname, phone, company }
  const lines = Object.entries(person).flatMap(([key, value]) => (value === '' ? [] : [`${key}: ${value}`]))
  await mailer.send({
    subject: `[${new URL(baseUrl).host}] Request ${id}: instance "${name}" for ${email}`,
    text: [
      `An instance "${name}" (version ${version}) was requested by:`,
      lines.join('\n'),
      `Decide here: ${baseUrl}/ui/requests`,
      `Or on the command line: requests approve ${id}, or requests reject ${id}`,
      '',
    ].join('\n\n'),
  })
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, key: string) => values[key] ?? place)
}
