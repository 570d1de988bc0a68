import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { homeAt } from '../domain/home.js'
import { createSettings } from '../settings/create-settings.js'
import { createTestHome } from '../testing/test-home.js'
import { createMailer } from './create-mailer.js'
import { mailFailure } from './mail-failure.js'
import { mailServer, plain, type Received } from './mail-server-for-test.js'

function mailerWith(lines: readonly string[], timeoutMs?: number) {
  const folder = createTestHome(lines)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const settings = createSettings({ home: homeAt(folder), environment: {} })
  const mailer = createMailer({ settings: () => settings, ...(timeoutMs !== undefined && { timeoutMs }) })
  return { folder, settings, mailer }
}

/** A certificate of 127.0.0.1 that no authority signed; undefined: it cannot be made here. */
function selfSigned(): { readonly key: Buffer; readonly cert: Buffer; readonly file: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'steward-mail-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const options = [
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-days',
    '2',
    '-subj',
    '/CN=127.0.0.1',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
  ]
  const { status } = spawnSync('openssl', ['req', '-x509', ...options, '-out', cert], { stdio: 'ignore' })
  return status === 0 ? { key: readFileSync(key), cert: readFileSync(cert), file: cert } : undefined
}

const lines = (port: number, ...more: string[]) => [
  'APPS_MAILSERVER=127.0.0.1',
  `APPS_MAILPORT=${port}`,
  'APPS_EMAIL=operator@example.org',
  ...more,
]
const asMe = ['APPS_MAILUSER=me', "APPS_MAILPASSWORD='s3cret:pass'"]
const mail = { subject: 'Save of demo failed', text: 'Grüße:\nThe disk is full.' }

it('sends to APPS_EMAIL, or to the given recipient', async () => {
  const { received, port } = await mailServer(plain)
  const { mailer } = mailerWith(lines(port))
  expect(mailer.enabled).toBe(true)
  await mailer.send(mail)
  await mailer.send({ ...mail, to: ['a@example.org', 'b@example.org'] })
  expect(received).toMatchObject([
    { from: 'operator@example.org', to: ['operator@example.org'], user: undefined },
    { to: ['a@example.org', 'b@example.org'] },
  ])
  expect(received[0]?.text).toContain('Subject: Save of demo failed\r\n')
  expect(received[0]?.text).toContain('Auto-Submitted: auto-generated\r\n')
})

it('sends nothing without APPS_MAILSERVER', async () => {
  const { mailer } = mailerWith(['APPS_EMAIL=operator@example.org'])
  expect(mailer.enabled).toBe(false)
  await mailer.send(mail)
})

it('says that there is no recipient', async () => {
  const { mailer } = mailerWith(['APPS_MAILSERVER=127.0.0.1'])
  await expect(mailer.send(mail)).rejects.toThrow('APPS_EMAIL is not set')
})

it('logs in', async () => {
  const { received, port } = await mailServer({ ...plain, authOptional: false })
  await mailerWith(lines(port, ...asMe)).mailer.send(mail)
  expect(received).toMatchObject([{ user: 'me' }])
  await expect(mailerWith(lines(port)).mailer.send(mail)).rejects.toThrow(/^Mail could not be sent: /)
})

it('reports a wrong password without showing it', async () => {
  const { port } = await mailServer({ ...plain, authOptional: false })
  const { mailer } = mailerWith(lines(port, 'APPS_MAILUSER=me', 'APPS_MAILPASSWORD=wr0ng-pass'))
  const error = (await mailer.send(mail).catch((thrown: unknown) => thrown)) as Error
  expect(error.message).toBe(
    `Mail could not be sent: the mail server 127.0.0.1:${port} did not accept the user "me" or the password.`,
  )
  expect(inspect(error, { depth: 9 })).not.toContain('wr0ng')
})

it('encrypts when the server can, and refuses certificates that cannot be verified', async ({ skip }) => {
  const certificate = selfSigned()
  if (!certificate) return skip('openssl is not installed')
  const { received, port } = await mailServer(certificate)
  const { mailer } = mailerWith(lines(port, ...asMe))
  await expect(mailer.send(mail)).rejects.toMatchObject({
    message: expect.stringMatching(
      /certificate of the mail server 127\.0\.0\.1:\d+ cannot be verified \(.*self.signed/,
    ) as string,
    help: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
  })
  expect(received).toEqual([])

  const trusting = mailerWith(lines(port, ...asMe, `NODE_EXTRA_CA_CERTS=${certificate.file}`))
  await trusting.mailer.send(mail)
  expect(received).toMatchObject([{ user: 'me', secure: true }])
  const mistaken = mailerWith(lines(port, ...asMe, 'NODE_EXTRA_CA_CERTS=/not/there.pem'))
  await expect(mistaken.mailer.send(mail)).rejects.toThrow('NODE_EXTRA_CA_CERTS cannot be read')
})

it('never sends a password unencrypted to another machine', async () => {
  const { port } = await mailServer(plain)
  // 0.0.0.0 reaches this machine, but its name does not show it.
  const { mailer } = mailerWith([...lines(port, ...asMe), 'APPS_MAILSERVER=0.0.0.0'])
  await expect(mailer.send(mail)).rejects.toThrow('offers no encryption')
})

it('says that the server is not there, or does not answer in time', async () => {
  const silent = createServer()
  const { promise, resolve } = Promise.withResolvers<void>()
  silent.listen(0, '127.0.0.1', resolve)
  await promise
  const { port } = silent.address() as AddressInfo
  const slow = mailerWith(lines(port), 300)
  await expect(slow.mailer.send(mail)).rejects.toThrow(`the mail server 127.0.0.1:${port} does not respond`)
  await new Promise((done) => silent.close(done))
  await expect(mailerWith(lines(port)).mailer.send(mail)).rejects.toThrow(
    `the mail server 127.0.0.1:${port} cannot be reached`,
  )
})

it('reports a recipient that the server refuses', async () => {
  const { port } = await mailServer(plain)
  const { mailer } = mailerWith([...lines(port), 'APPS_EMAIL=nobody@example.org'])
  await expect(mailer.send(mail)).rejects.toMatchObject({ help: 'Check APPS_EMAIL.' })
})

it('puts no line end of a subject into the head', async () => {
  const { received, port } = await mailServer(plain)
  const { mailer } = mailerWith(lines(port))
  await mailer.send({ subject: 'x\r\nBcc: spy@example.org\n\nbody\u2028y\0', text: '.\r\nQUIT\r\n.' })
  await mailer.send({ subject: 'long '.repeat(1000), text: '' })
  const [{ text, to }] = received as [Received]
  const head = text.slice(0, text.indexOf('\r\n\r\n'))
  expect(to).toEqual(['operator@example.org'])
  expect(head).toContain('Subject: x Bcc: spy@example.org body y\r\n')
  expect(head).not.toMatch(/^Bcc:/m)
  expect(text).toContain('QUIT')
  expect(received).toHaveLength(2)
})

it('mailFailure() names the manager, and returns why it could not be sent instead of failing', async () => {
  const { received, port } = await mailServer(plain)
  const good = mailerWith(lines(port))
  expect(await mailFailure(good, mail)).toBeUndefined()
  expect(received[0]?.text).toContain('Subject: [localhost:8000] Save of demo failed\r\n')
  writeFileSync(homeAt(good.folder).config, `APPS_BASEURL=http://x\n${lines(1).join('\n')}\n`)
  expect(await mailFailure(good, mail)).toMatch(
    /^Mail could not be sent: the mail server 127\.0\.0\.1:1 cannot be reached/,
  )
  writeFileSync(homeAt(good.folder).config, 'touch x')
  // What was known stays.
  expect(await mailFailure(good, mail)).toContain('127.0.0.1:1 cannot be reached')
  expect(await mailFailure(mailerWith([]), mail)).toBeUndefined()
  expect(await mailFailure(mailerWith(['APPS_MAILSERVER=127.0.0.1']), mail)).toBeUndefined()
})
