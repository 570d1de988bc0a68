import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Koa from 'koa'
import { createManager, type Manager } from '@steward/manager-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  accessibilityProblems,
  keepScreenshot,
  needsBrowser,
  openPage,
  scrollsSideways,
} from '../../../../../tests/browser.js'
import { plain, startMailServer } from '../../../../manager-core/src/lib/mail/mail-server-for-test.js'
import {
  createTestManager,
  type TestManager,
  type TestManagerOptions,
} from '../../../../manager-core/src/lib/testing/create-test-manager.js'
import { createAddressing } from '../addressing.js'
import { sendErrors } from '../send-errors.js'
import type { ServerState } from '../server-state.js'
import { registerRoute } from './register-route.js'

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
  app.use(registerRoute({ manager: manager.manager as unknown as Manager, addressing, addressOf: () => address }))
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
  manager.context.registry.database.exec('delete from request')
})

const ada = { name: 'demo', version: '1.0', email: 'ada@example.org', firstname: 'Ada', lang: 'en' }

function post(to: string, fields: Readonly<Record<string, string>>) {
  return fetch(to, { method: 'POST', body: new URLSearchParams(fields) })
}

/** Of quoted-printable, with soft line ends. */
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
    expect(await sent.text()).toContain('Please look into your mailbox')
    expect(mail.received.map(({ to }) => to)).toEqual([['ada@example.org']])
    // Links may be followed by programs: nothing changes.
    for (const method of ['GET', 'HEAD', 'GET']) expect((await fetch(link(), { method })).status).toBe(200)
    expect(await requests()).toMatchObject([{ name: 'demo', status: 'unconfirmed' }])
    await expect(manager.perform('requests approve', { id: (await requests())[0]!.id })).rejects.toThrow(
      'was not confirmed',
    )
    const token = new URL(link()).searchParams.get('token')!
    const confirmed = await post(`${url}/confirm`, { token, lang: 'en' })
    expect(await confirmed.text()).toContain('your request is confirmed')
    expect(mail.received.at(-1)!.to).toEqual(['support@example.org'])
    const [request] = await requests()
    expect(request).toMatchObject({ status: 'confirmed', email: 'ada@example.org', firstname: 'Ada' })
    await manager.perform('requests approve', { id: request!.id })
    expect(manager.instance('demo')).toMatchObject({ ownerEmail: 'ada@example.org', desired: 'started' })
    expect(textOf(mail.received.at(-1)!.text)).toContain('your instance "demo" (version 1.0) is there:')
    await manager.perform('delete', { name: 'demo', force: true })
  })

  test('is written to in the language of the person', async () => {
    await post(url, { ...ada, lang: 'fr' })
    expect(textOf(mail.received[0]!.text)).toContain('ouvrez cette page avant le')
    expect(await (await fetch(link())).text()).toContain('Confirmer la demande')
    const form = await fetch(url, { headers: { 'Accept-Language': 'fr-CH, fr;q=0.9, en;q=0.8' } })
    expect(await form.text()).toContain('Demander une instance')
  })

  test('keeps no token: the registry has only its hash', async () => {
    await post(url, ada)
    const token = new URL(link()).searchParams.get('token')!
    expect(token).toMatch(/^[\w-]{43}$/)
    const rows = JSON.stringify(manager.context.registry.database.prepare('select * from request').all())
    expect(rows).not.toContain(token)
  })

  test('is forgotten when nobody has confirmed it in time', async () => {
    await post(url, ada)
    const { database } = manager.context.registry
    database.exec(`update request set created = '${new Date(Date.now() - 3.1 * 24 * 3_600_000).toISOString()}'`)
    const gone = await fetch(link())
    expect(gone.status).toBe(404)
    expect(await gone.text()).toContain('not valid any more')
    expect(database.prepare('select count(*) as n from request').get()).toEqual({ n: 0 })
  })
})

describe('the form', () => {
  test.each([
    [{ email: '' }, 'This is needed.'],
    [{ email: 'ada@example.org\r\nBcc: all@example.org' }, 'characters that cannot be seen'],
    [{ email: 'ada' }, 'This is no e-mail address.'],
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
    expect(await answer.text()).toContain('Please look into your mailbox')
    expect(await requests()).toEqual([])
    expect(mail.received).toEqual([])
  })

  test('sends one address three mails at most, and tells nobody', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five'])
      expect((await post(url, { ...ada, name })).ok).toBe(true)
    expect(mail.received.length).toBe(3)
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

describe('nobody can register', () => {
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
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
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
      await page.getByRole('heading', { name: 'Please look into your mailbox' }).waitFor()
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
