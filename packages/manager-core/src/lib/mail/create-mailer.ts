import { readFile } from 'node:fs/promises'
import { ManagerError } from '../../errors.js'
import type { MailSettings, Settings } from '../settings/settings.js'
import { RecipientRefused, type Mailer } from './mail.js'

export interface MailerOptions {
  readonly settings: () => Settings
  /** How long the server may take for each answer. Default 10,000. */
  readonly timeoutMs?: number
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i

export function createMailer({ settings, timeoutMs = 10_000 }: MailerOptions): Mailer {
  return {
    get enabled() {
      return settings().global.mail !== undefined
    },

    async send({ subject, text, to }) {
      const { mail, email, passedOn } = settings().global
      if (!mail) return
      const recipients = to ?? (email === undefined ? [] : [email])
      if (recipients.length === 0)
        throw new ManagerError('ERR_SETTINGS', 'Mail has no recipient: APPS_EMAIL is not set.')
      const transport = await transportTo(mail, timeoutMs, await authorities(passedOn.NODE_EXTRA_CA_CERTS))
      try {
        await transport.sendMail({
          from: email ?? recipients[0],
          to: [...recipients],
          subject: oneLine(subject),
          text,
          // Says to others that no person wrote it, so that no holiday notice comes back (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
        })
      } catch (error) {
        throw translate(error, mail)
      } finally {
        transport.close()
      }
    },
  }
}

/**
 * TLS at once on port 465, else STARTTLS when the server offers it, with a certificate that can be verified. Not
 * specified; chosen: a password never goes over the network in plain text, so that with a user STARTTLS must be offered
 * by a server that is not this machine.
 */
async function transportTo(
  { server, port, user, password }: MailSettings,
  timeoutMs: number,
  ca: string[] | undefined,
) {
  const secure = port === 465
  // It takes longer to load than most commands to run.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host: server,
    port,
    secure,
    requireTLS: !secure && user !== undefined && !loopback.test(server),
    ...(user !== undefined && { auth: { user, pass: password?.reveal() ?? '' } }),
    ...(ca && { tls: { ca } }),
    connectionTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  })
}

/**
 * Those that Node knows and those of a file. `NODE_EXTRA_CA_CERTS` in `config.sh` holds for instances and hooks, so it does
 * here, where Node itself would only look at the environment, which a timer does not have.
 */
async function authorities(file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined) return undefined
  const { getCACertificates } = await import('node:tls')
  try {
    return [...getCACertificates(), await readFile(file, 'utf8')]
  } catch (error) {
    throw new ManagerError('ERR_SETTINGS', `NODE_EXTRA_CA_CERTS cannot be read: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

/** Line ends would start another header. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200)
}

function translate(error: unknown, { server, port, user, password }: MailSettings): ManagerError {
  const { code = '', message, command } = error as Error & { readonly code?: string; readonly command?: string }
  const secret = password?.reveal() ?? ''
  const said = (secret === '' ? message : message.replaceAll(secret, '***')).trim()
  const where = `the mail server ${server}:${port}`
  const made = (text: string, help?: string) =>
    // Without the cause: its fields hold the dialogue with the server.
    new ManagerError('ERR_FAILED', `Mail could not be sent: ${text}`, { ...(help !== undefined && { help }) })
  if (code === 'EAUTH')
    return made(
      `${where} did not accept the user "${user}" or the password.`,
      'Check APPS_MAILUSER and APPS_MAILPASSWORD.',
    )
  if (/certificate|self.signed|altnames/i.test(said))
    return made(
      `the certificate of ${where} cannot be verified (${said}).`,
      'Use the host name in the certificate, and set NODE_EXTRA_CA_CERTS in config.sh to the certificate of its ' +
        'authority.',
    )
  if (code === 'ETLS' || /STARTTLS/.test(said))
    return made(`${where} offers no encryption, so the password could be intercepted (${said}).`)
  if (code === 'ETIMEDOUT')
    return made(`${where} does not respond (${said}).`, 'Check APPS_MAILSERVER and APPS_MAILPORT.')
  if (['ECONNECTION', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ENOTFOUND'].includes(code))
    return made(`${where} cannot be reached (${said}).`, 'Check APPS_MAILSERVER and APPS_MAILPORT.')
  if (code === 'EENVELOPE' && command === 'RCPT TO')
    return new RecipientRefused('ERR_FAILED', `Mail could not be sent: ${where} refused the recipient (${said}).`, {
      help: 'Check APPS_EMAIL.',
    })
  if (code === 'EENVELOPE') return made(`${where} refused the sender (${said}).`, 'Check APPS_EMAIL.')
  return made(`${where} said: ${said}`)
}
