import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createManager, type Manager } from '@steward/manager-core'
import Koa from 'koa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  accessibilityProblems,
  keepScreenshot,
  needsBrowser,
  openPage,
  scrollsSideways,
} from '../../../../../tests/browser.js'
import { plain, startMailServer } from '../../../../manager-core/src/lib/mail/mail-server-for-test.js'
import { sqlite } from '../../../../manager-core/src/lib/store/sqlite.js'
import {
  createTestManager,
  type TestManager,
  type TestManagerOptions,
} from '../../../../manager-core/src/lib/testing/create-test-manager.js'
import { createAddressing } from '../addressing.js'
import { sendErrors } from '../send-errors.js'
import type { ServerState } from '../server-state.js'
import { registerRouter } from './register-router.js'

let mail: Awaited<ReturnType<typeof startMailServer>>
let manager: TestManager
let server: Server
let url: string
/** Where the requests come from. */
let address = ''

beforeAll(async () => {
  mail = await startMailServer(plain)
  // The built manager, as the server has it, so that errors are of one class; to types that makes two of everything.
  const built = createManager as unknown as NonNullable<TestManagerOptions['createManager']>
  manager = await createTestManager({
    createManager: built,
    config: [
      'export APPS_ALLOWREGISTER=yes',
      'export APPS_ALLOWDISPLAYREGISTER=yes',
      'export APPS_EMAIL=support@example.org',
      'export APPS_MAILSERVER=127.0.0.1',
      `export APPS_MAILPORT=${mail.port}`,
    ],
  })
  const addressing = createAddressing(manager.context.settings.global, '127.0.0.1:0')
  const app = new Koa<ServerState>()
  app.silent = true
  app.use(sendErrors())
  const routes = registerRouter({
    manager: manager.manager as unknown as Manager,
    addressing,
    addressOf: () => address,
  })
  app.use(routes.routes())
  server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/register`
})

afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await manager?.close()
  await mail?.close()
})

beforeEach(() => {
  // Who posts too often has to wait.
  address = randomUUID()
  mail.received.length = 0
  manager.context.registry[sqlite].exec('delete from request')
})

const ada = { name: 'demo', version: '1.0', email: 'ada@example.org', firstname: 'Ada', lang: 'en' }

function post(to: string, fields: Readonly<Record<string, string>>) {
  return fetch(to, { method: 'POST', body: new URLSearchParams(fields) })
}

/** Decodes quoted-printable, with soft line ends. */
function textOf(mailText: string): string {
  const plainText = mailText.replaceAll(/=\r?\n/g, '')
  const bytes = plainText.replaceAll(/(?:=[\dA-F]{2})+/g, (code) =>
    Buffer.from(code.replaceAll('=', ''), 'hex').toString(),
  )
  return bytes.replaceAll('\r\n', '\n')
}

/** The link of the newest mail, at the server of the test. */
function link(): string {
  const [, path = ''] = /http:\/\/localhost:8000(\/register\S+)/.exec(textOf(mail.received.at(-1)!.text)) ?? []
  return new URL(path, url).href
}

const requests = async () => (await manager.perform('requests')).list as readonly Record<string, string>[]

describe('a request', () => {
  test('is sent, confirmed by a button and not by the link, and then approved', async () => {
    const sent = await post(url, ada)
    expect(sent.url).toMatch(/\/register\/sent\?lang=en$/)
    expect(await sent.text()).toContain('Please check your mailbox')
    expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.org']])
    // Links may be followed by programs: nothing changes.
    for (const method of ['GET', 'HEAD', 'GET']) expect((await fetch(link(), { method })).status).toBe(200)
    expect(await requests()).toMatchObject([{ name: 'demo', status: 'unconfirmed' }])
    await expect(manager.perform('requests approve', { id: (await requests())[0]!.id })).rejects.toThrow(
      'has not been confirmed',
    )
    const token = new URL(link()).searchParams.get('token')!
    const confirmed = await post(`${url}/confirm`, { token, lang: 'en' })
    expect(await confirmed.text()).toContain('your request is confirmed')
    expect(mail.received.at(-1)!.to).toEqual(['support@example.org'])
    const [request] = await requests()
    expect(request).toMatchObject({ status: 'confirmed', email: 'ada@example.org', firstname: 'Ada' })
    await manager.perform('requests approve', { id: request!.id })
    expect(manager.instance('demo')).toMatchObject({ ownerEmail: 'ada@example.org', desired: 'started' })
    expect(textOf(mail.received.at(-1)!.text)).toContain('your instance "demo" (version 1.0) is ready:')
    await manager.perform('delete', { name: 'demo', force: true })
  })

  test('is written to in the language of the person', async () => {
    await post(url, { ...ada, lang: 'fr' })
    expect(textOf(mail.received[0]!.text)).toContain('ouvrez cette page avant le')
    expect(await (await fetch(link())).text()).toContain('Confirmer la demande')
    const form = await fetch(url, { headers: { 'Accept-Language': 'fr-CH, fr;q=0.9, en;q=0.8' } })
    expect(await form.text()).toContain('Demander une instance')
    const german = await (await fetch(`${url}?lang=de`)).text()
    expect(german).toContain('<h1>Eine Instanz anfragen</h1>')
    expect([...german.matchAll(/<a href="[^"]*lang=(\w+)"/g)].map(([, code]) => code)).toEqual(['en', 'fr'])
  })

  test('keeps no token: the registry has only its hash', async () => {
    await post(url, ada)
    const token = new URL(link()).searchParams.get('token')!
    expect(token).toMatch(/^[\w-]{43}$/)
    const rows = JSON.stringify(manager.context.registry[sqlite].prepare('select * from request').all())
    expect(rows).not.toContain(token)
  })

  test('is forgotten when it is not confirmed in time', async () => {
    await post(url, ada)
    const { [sqlite]: database } = manager.context.registry
    database.exec(`update request set created = '${new Date(Date.now() - 3.1 * 24 * 3_600_000).toISOString()}'`)
    const gone = await fetch(link())
    expect(gone.status).toBe(404)
    expect(await gone.text()).toContain('no longer valid')
    expect(database.prepare('select count(*) as n from request').get()).toEqual({ n: 0 })
  })
})

describe('the form', () => {
  test.each([
    [{ email: '' }, 'This is needed.'],
    [{ email: 'ada@example.org\r\nBcc: all@example.org' }, 'characters that cannot be seen'],
    [{ email: 'ada' }, 'Not a valid e-mail address.'],
    [{ email: 'nobody@example.org' }, 'No mail can be sent to this address.'],
    [{ name: '../etc' }, 'A name has 3 to 20 letters'],
    [{ name: 'x'.repeat(300) }, 'A name has 3 to 20 letters'],
    [{ version: '9.9' }, 'choose one of the versions'],
    [{ version: '' }, 'choose one of the versions'],
    [{ company: 'x'.repeat(300) }, 'This is too long.'],
  ])('refuses %j and keeps what was written', async (wrong, message) => {
    const answer = await post(url, { ...ada, firstname: '<b>"Ada"</b>', ...wrong })
    expect(answer.status).toBe(400)
    const text = await answer.text()
    expect(text).toContain(message)
    expect(text).toContain('&lt;b&gt;&quot;Ada&quot;&lt;/b&gt;')
    expect(mail.received).toEqual([])
    expect(await requests()).toEqual([])
  })

  test('takes no name that is there or was confirmed by another one', async () => {
    await post(url, ada)
    await post(`${url}/confirm`, { token: new URL(link()).searchParams.get('token')! })
    const answer = await post(url, { ...ada, name: 'DEMO', email: 'other@example.org' })
    expect(await answer.text()).toContain('This name is taken')
  })

  test('without a name has one chosen', async () => {
    await post(url, { ...ada, name: '' })
    expect((await requests())[0]!.name).toMatch(/^[a-z0-9]{10}$/)
  })

  test('answers programs that fill in the hidden field, and does nothing', async () => {
    const answer = await post(url, { ...ada, website: 'https://example.com' })
    expect(await answer.text()).toContain('Please check your mailbox')
    expect(await requests()).toEqual([])
    expect(mail.received).toEqual([])
  })

  test('sends one address three mails at most, and does not reveal it', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five'])
      expect((await post(url, { ...ada, name })).ok).toBe(true)
    expect(mail.received.length).toBe(3)
  })

  test('sends one mailbox three mails at most, however its address is written', async () => {
    const emails = [
      'ada@example.org',
      'ada+1@example.org',
      'Ada+2@Example.org',
      'a.d.a+x+y@example.org',
      'ada+3@example.org',
    ]
    for (const [n, email] of emails.entries())
      expect((await post(url, { ...ada, email, name: `mailbox${n}` })).ok).toBe(true)
    expect(mail.received.length).toBe(3)
    expect((await post(url, { ...ada, email: 'bob+1@example.org', name: 'another' })).ok).toBe(true)
    expect(mail.received.length).toBe(4)
  })

  test('may be posted ten times in an hour', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(url, { ...ada, email: '' })))
    expect(answers.filter(({ status }) => status === 429).length).toBe(2)
    expect(answers.find(({ status }) => status === 429)!.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  test('takes forms only, and short ones', async () => {
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(415)
    expect((await post(url, { ...ada, company: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await fetch(`${url}/else`)).status).toBe(404)
  })

  test('runs no script, and no other page may frame it', async () => {
    const { headers } = await fetch(url)
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none';.*form-action 'self'.*frame-ancestors 'none'/,
    )
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('the link of an approval', () => {
  const support = 'support@example.org'
  const password = 'correct horse '

  afterEach(async () => {
    if (manager.context.registry.find('demo'))
      await manager.perform('delete', { name: 'demo', force: true, purge: true })
  })

  /** The token of the newest mail; the address before it has to be the public one. */
  function tokenOfMail(): string {
    const [, token = ''] =
      /http:\/\/localhost:8000\/register\/password#([\w-]{43})\s/.exec(textOf(mail.received.at(-1)!.text)) ?? []
    return token
  }

  async function approved(fields: Readonly<Record<string, string>> = {}) {
    await post(url, { ...ada, ...fields })
    await post(`${url}/confirm`, { token: new URL(link()).searchParams.get('token')! })
    const [request] = await requests()
    await manager.perform('requests approve', { id: request!.id })
    const { data } = await manager.perform('iocredentials', { name: 'demo' })
    return { id: request!.id, first: String(data!['admin_password']), token: tokenOfMail() }
  }

  const send = (fields: Readonly<Record<string, string>>) => post(`${url}/password`, fields)
  /** What the instance says to this password of its administrator. */
  const tries = async (given: string) => {
    const { port } = manager.instance('demo')
    const authorization = `Basic ${Buffer.from(`admin:${given}`).toString('base64')}`
    const { status } = await fetch(`http://127.0.0.1:${port}/api/rest/User/_key/admin`, {
      method: 'PUT',
      headers: { authorization },
      body: JSON.stringify({ usr_password: given }),
    })
    return status
  }

  test('sets the password that the person chooses, once, and no password is sent by mail', async () => {
    const { first, token } = await approved()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(mail.received.map(({ text }) => textOf(text)).join('')).not.toContain(first)
    const form = await send({ token })
    expect([form.status, await form.text()]).toEqual([200, expect.stringContaining('your instance “demo”')])
    const done = await send({ token, password, again: password })
    const text = await done.text()
    expect([done.status, text]).toEqual([200, expect.stringContaining('Your password is set')])
    expect(text).toContain(`href="http://127.0.0.1:${manager.instance('demo').port}`)
    expect([await tries(first), await tries(password)]).toEqual([401, 200])

    const twice = await send({ token, password: 'another one', again: 'another one' })
    expect([twice.status, await twice.text()]).toEqual([
      410,
      expect.stringContaining(`write to ${support} immediately`),
    ])
    expect(await tries(password)).toBe(200)
    expect(manager.context.registry.history({ limit: 1 })).toMatchObject([
      { action: 'password', actor: ada.email, instance: 'demo', result: 'ok' },
    ])
  })

  test('is taken by one of several who use it at the same time', async () => {
    const { token } = await approved()
    const passwords = ['password one', 'password two', 'password three']
    const answers = await Promise.all(passwords.map((one) => send({ token, password: one, again: one })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410, 410])
    const tried: number[] = []
    for (const one of passwords) tried.push(await tries(one))
    expect(tried).toEqual(answers.map(({ status }) => (status === 200 ? 200 : 401)))
  })

  test('still works after a password that is not accepted, and says what is wrong', async () => {
    const { token } = await approved({ lang: 'fr' })
    for (const [given, again, said] of [
      ['short', 'short', 'au moins 8 caractères'],
      ['long enough', 'not the same', 'sont différents'],
      ['   ', '   ', 'choisir un mot de passe'],
      ['x'.repeat(201), 'x'.repeat(201), 'trop long'],
    ] as const) {
      const answer = await send({ token, password: given, again, lang: 'fr' })
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(said)])
    }
    await manager.perform('stop', { name: 'demo' })
    const silent = await send({ token, password, again: password })
    expect([silent.status, await silent.text()]).toEqual([503, expect.stringContaining('your link still works')])
    await manager.perform('start', { name: 'demo' })
    expect((await send({ token, password, again: password })).status).toBe(200)
  })

  test('that has expired sends another one, to the same person only', async () => {
    const { first, token } = await approved()
    const { [sqlite]: database } = manager.context.registry
    database.exec(`update password_link set expires = '${new Date(Date.now() - 1000).toISOString()}'`)
    const late = await send({ token, password, again: password })
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining('Send me another link')])
    expect(await tries(first)).toBe(200)
    mail.received.length = 0
    const again = await post(`${url}/password/again`, { token })
    expect(await again.text()).toContain('Only the latest one works')
    expect(mail.received.map(({ to }) => to)).toEqual([[ada.email]])
    expect((await send({ token })).status).toBe(404)
    expect((await send({ token: tokenOfMail(), password, again: password })).status).toBe(200)
  })

  test('of the operator replaces those before, and a changed password is never overwritten', async () => {
    const { id, first, token } = await approved()
    await manager.perform('requests password', { id })
    const newer = tokenOfMail()
    expect(newer).not.toBe(token)
    expect((await send({ token })).status).toBe(404)
    await send({ token: newer, password, again: password })
    await manager.perform('requests password', { id })
    const late = await send({ token: tokenOfMail(), password: 'third password', again: 'third password' })
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('was changed already')])
    expect([await tries(first), await tries('third password'), await tries(password)]).toEqual([401, 401, 200])
  })

  test('that is guessed, cut off, or of an instance that is gone is not valid, and says what to do', async () => {
    const { token } = await approved()
    for (const wrong of ['', 'x', token.slice(1), `${token}x`, '0'.repeat(43), "' or 1=1 --"]) {
      const answer = await send({ token: wrong, password, again: password })
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('copy the whole link')])
    }
    await manager.perform('delete', { name: 'demo', force: true })
    expect((await send({ token })).status).toBe(404)
  })

  test('can be tried twenty times in an hour', async () => {
    const answers = await Promise.all(Array.from({ length: 22 }, () => send({ token: 'x' })))
    expect(answers.filter(({ status }) => status === 429).length).toBe(2)
  })

  test('is that of APPS_BASEURL, whatever host is asked for, and only its hash is kept', async () => {
    await post(url, ada)
    const { hostname, port } = new URL(url)
    const body = new URLSearchParams({ token: new URL(link()).searchParams.get('token')! }).toString()
    const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'Content-Length': body.length }
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    await new Promise((resolve, reject) => {
      const options = { hostname, port, path: '/register/confirm', method: 'POST', headers: { ...headers, ...type } }
      request(options, (answer) => answer.resume().once('end', resolve))
        .once('error', reject)
        .end(body)
    })
    const [asked] = await requests()
    await manager.perform('requests approve', { id: asked!.id })
    const token = tokenOfMail()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(mail.received.map(({ text }) => text).join('')).not.toContain('evil.example')
    const { [sqlite]: database } = manager.context.registry
    expect(JSON.stringify(database.prepare('select * from password_link').all())).not.toContain(token)
    const history = JSON.stringify(manager.context.registry.history({ limit: 100 }))
    expect(history).not.toContain(token)
  })

  test('works when registration is closed again', async () => {
    const { token } = await approved()
    const config = join(manager.home, 'config.sh')
    const before = readFileSync(config, 'utf8')
    onTestFinished(() => writeFileSync(config, before))
    writeFileSync(config, before.replace('APPS_ALLOWREGISTER=yes', 'APPS_ALLOWREGISTER=no'))
    for (const path of ['', '/style.css', '/token.js']) expect((await fetch(`${url}/password${path}`)).status).toBe(200)
    expect((await send({ token, password, again: password })).status).toBe(200)
  })

  needsBrowser((browser) => {
    test('leads through the pages: the token is sent with the form alone, never as part of an address', async () => {
      const { token } = await approved()
      const { page, problems, close } = await openPage(browser(), `${url}/password#${token}`, { width: 360 })
      const asked: string[] = []
      page.on('request', (one) => asked.push(one.url()))
      expect(await accessibilityProblems(page)).toEqual([])
      await keepScreenshot(page, 'password-start')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Password', { exact: true }).fill('short')
      await page.getByLabel('The same password again').fill('short')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
      await keepScreenshot(page, 'password-fault')
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByLabel('The same password again').fill(password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your password is set' }).waitFor()
      await keepScreenshot(page, 'password-set')
      expect(asked.filter((one) => one.includes(token))).toEqual([])
      expect(await tries(password)).toBe(200)
      // A form that was refused is answered with 400, which a browser notes.
      expect(problems.filter((one) => !one.includes('400'))).toEqual([])
      await close()
    })
  })
})

describe('registration is closed', () => {
  const config = () => join(manager.home, 'config.sh')
  let before = ''

  beforeEach(() => {
    before = readFileSync(config(), 'utf8')
  })
  afterEach(() => {
    writeFileSync(config(), before)
  })

  test.each([
    ['without a mail server', /.*APPS_MAILSERVER.*\n/],
    ['without an address of the operator', /.*APPS_EMAIL.*\n/],
    ['when the mail server does not answer', /(?<=APPS_MAILPORT=)\d+/],
  ])('%s, and the form says so without a reason', async (_when, what) => {
    writeFileSync(config(), before.replace(what, '9'.repeat(what.source.includes('PORT') ? 1 : 0)))
    const answer = await post(url, ada)
    expect(answer.status).toBe(503)
    const text = await answer.text()
    expect(text).toContain('not possible at the moment')
    expect(text).not.toMatch(/APPS_|mail server/)
    expect(await requests()).toEqual([])
  })

  test('when it is not allowed: there is no such page', async () => {
    writeFileSync(config(), before.replace('APPS_ALLOWREGISTER=yes', 'APPS_ALLOWREGISTER=no'))
    for (const path of ['/register', '/register/confirm?token=x', '/register/style.css', '/'])
      expect((await fetch(new URL(path, url))).status).toBe(404)
    writeFileSync(config(), before.replace('APPS_ALLOWDISPLAYREGISTER=yes', 'APPS_ALLOWDISPLAYREGISTER=no'))
    expect((await fetch(new URL('/', url))).status).toBe(404)
    expect((await fetch(url)).status).toBe(200)
  })
})

describe('the pages', () => {
  needsBrowser((browser) => {
    test.each(['light', 'dark'] as const)('work without script in windows of each width, %s', async (colorScheme) => {
      const { page, problems, close } = await openPage(browser(), url, { colorScheme, locale: 'fr-FR' })
      for (const width of [360, 768, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await scrollsSideways(page)).toBe(false)
        expect(await accessibilityProblems(page)).toEqual([])
        await keepScreenshot(page, `register-${width}-${colorScheme}`)
      }
      expect(problems).toEqual([])
      await close()
    })

    test('lead from the address of the manager to the confirmed request, by keyboard', async () => {
      const { page, problems, close } = await openPage(browser(), new URL('/', url).href, { width: 768 })
      await keepScreenshot(page, 'register-welcome')
      // Two other languages, then the way to an instance.
      for (let stop = 0; stop < 3; stop++) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByLabel('Name of the instance').fill('Démo')
      await page.getByLabel('E-mail address').fill('ada@example.org')
      await page.evaluate('document.querySelector("form").noValidate = true')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
      await keepScreenshot(page, 'register-faults')
      await page.getByLabel('Name of the instance').fill('demo')
      await page.getByRole('button', { name: 'Send the request' }).click()
      await page.getByRole('heading', { name: 'Please check your mailbox' }).waitFor()
      await keepScreenshot(page, 'register-sent')
      await page.goto(link())
      await keepScreenshot(page, 'register-confirm')
      await page.getByRole('button', { name: 'Confirm the request' }).click()
      await page.getByRole('heading', { name: 'your request is confirmed' }).waitFor()
      expect(problems).toEqual([])
      await close()
    })
  })
})
