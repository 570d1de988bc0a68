import { createHmac } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  accessibilityProblems,
  keepScreenshot,
  needsBrowser,
  openPage,
  scrollsSideways,
  type WatchedPage,
} from './browser.js'
import { startApp, type RunningApp } from './programs/app-server.js'

const files = {
  'app.yaml': `
name: shop
title: Shop
version: 1.0.0
log: { level: info }
events: { allowPrivateWebhooks: true }
`,
  'objects/task.yaml': `
name: Task
pluralLabel: Tasks
events: true
fields:
  tas_title: { type: string, length: 80, key: true, label: Title }
  tas_state: { type: enum, values: [{ code: open, label: Open }, { code: done, label: Done }], label: State }
  tas_owner: { type: string, length: 80, label: Owner }
  tas_cost: { type: integer, label: Cost }
order: [tas_title]
`,
  'objects/task.ts': `
import { defineCode } from '@steward/rest-core'

export default defineCode({
  actions: {
    count: {
      scope: 'global',
      background: true,
      async run({ progress, signal }) {
        progress(3, 10, 'Counting')
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        signal.throwIfAborted()
      },
    },
    fail: {
      scope: 'global',
      background: true,
      async run() {
        throw new RangeError('not for anyone')
      },
    },
  },
})
`,
}

const secret = 4711

let folder: string
let app: RunningApp
let receiver: Server
let answer = 410
const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
const hookUrl = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`

async function create(object: string, body: object): Promise<string> {
  const { status, body: made } = await app.call(`/${object}`, { method: 'POST', body })
  expect([status, made]).toEqual([200, expect.objectContaining({ row_id: expect.any(String) })])
  return made.row_id
}

const mayRead = async (login: string, password: string) =>
  (await app.call('/Task/?_count=true', { as: `${login}:${password}` })).status

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-records-admin-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(answer).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  app = await startApp([folder], { password: 'secret-word' })
  await create('Task', { tas_title: 'Mine', tas_state: 'open', tas_owner: 'ann', tas_cost: secret })
  await create('Task', { tas_title: 'Finished', tas_state: 'done', tas_owner: 'ann', tas_cost: secret })
  const clerks = await create('Group', { grp_name: 'Clerks' })
  const clerk = await create('User', { usr_login: 'clerk', usr_password: 'clerk-word' })
  await create('Responsibility', { rsp_login_id: clerk, rsp_group_id: clerks })
  await create('Grant', { grt_group_id: clerks, grt_object: 'User', grt_rights: 'R', grt_hidden_fields: 'usr_email' })
  await create('Grant', { grt_group_id: clerks, grt_object: 'BackgroundTask', grt_rights: 'R' })
})
afterAll(async () => {
  await app?.stop()
  receiver?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

needsBrowser((browser) => {
  let watched: WatchedPage
  let page: Page

  beforeAll(async () => {
    watched = await openPage(browser(), `${app.origin}/ui/`)
    page = watched.page
    await signIn(page, 'admin', 'secret-word')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })
  afterAll(() => watched?.close())
  afterEach(checkThatNothingIsWrong)

  function checkThatNothingIsWrong(): void {
    expect(watched.problems.splice(0)).toEqual([])
  }

  async function signIn(on: Page, login: string, password: string): Promise<void> {
    await on.getByLabel('User name').fill(login)
    await on.getByLabel('Password').fill(password)
    await on.getByRole('button', { name: 'Sign in' }).click()
  }

  const dialog = (name: string) => page.getByRole('dialog', { name })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const row = (text: string, on = page) => on.getByRole('row').filter({ hasText: text })
  const open = async (section: string) => {
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: section }).click()
    await page.getByRole('heading', { name: section, level: 1 }).waitFor()
  }
  const grantText = 'Sales may read and change Tasks where State is Open; not the field Cost.'

  it('grants rights to a group in a sentence; a wrong filter is shown at its field', async () => {
    const section = page.getByRole('region', { name: 'Administration' })
    await section.getByRole('link', { name: 'Groups' }).click()
    await row('ADMIN').waitFor()
    await button('New group').click()
    await dialog('New group').getByRole('textbox', { name: 'Name' }).fill('Sales')
    await dialog('New group').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Sales' }).waitFor()
    await page.getByText('No grants').waitFor()
    await button('New grant').click()
    const form = dialog('Grant for Sales')
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    await form.getByText('Is required.').waitFor()
    await form.getByLabel('Object').selectOption('Tasks')
    await form.getByLabel('Change', { exact: true }).check()
    await form.getByLabel('Row filter').fill('tas_state == open')
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    await form.locator('#grant-filter-error').filter({ hasText: /\S/ }).waitFor()
    await expect.poll(() => form.getByLabel('Row filter').getAttribute('aria-invalid')).toBe('true')
    await form.getByLabel('Row filter').fill('')
    await form.getByRole('combobox', { name: 'Field', exact: true }).selectOption('State')
    await form.getByRole('combobox', { name: 'Value', exact: true }).selectOption('Open')
    await form.getByRole('button', { name: 'Add condition' }).click()
    await expect.poll(() => form.getByLabel('Row filter').inputValue()).toBe("tas_state = 'open'")
    await form.getByRole('group', { name: 'Hidden fields' }).getByLabel('Cost').check()
    await form.getByText(grantText).waitFor()
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    await form.waitFor({ state: 'detached' })
    await page.getByRole('main').getByText(grantText).waitFor()
    const { body } = await app.call('/Grant/?grt_object=Task')
    expect(body).toMatchObject([{ grt_rights: 'RU', grt_filter: "tas_state = 'open'", grt_hidden_fields: 'tas_cost' }])
  })

  it('creates a user with a password that is shown once, and changes it', async () => {
    await open('Users')
    await button('New user').click()
    const form = dialog('New user')
    await form.getByLabel('Login').fill('admin')
    await form.getByRole('button', { name: 'Create' }).click()
    await form.locator('.field-error').filter({ hasText: /\S/ }).waitFor()
    await form.getByLabel('Login').fill('ann')
    await form.getByLabel('First name').fill('Ann')
    await form.getByRole('group', { name: 'Groups' }).getByLabel('Sales').check()
    await form.getByRole('button', { name: 'Create' }).click()
    const shown = dialog('ann is created')
    const password = await shown.locator('code').innerText()
    expect(password).toMatch(/^[A-Za-z2-9]{20}$/)
    expect(await mayRead('ann', password)).toBe(200)
    await shown.getByRole('button', { name: 'Done' }).click()
    await row('ann').filter({ hasText: 'Sales' }).filter({ hasText: 'Active' }).waitFor()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(password)
    await page.getByRole('link', { name: 'ann' }).click()
    await page.getByRole('main').getByText(grantText).waitFor()
    await button('Set password').click()
    const change = dialog('Set password')
    await change.getByLabel('Enter a password').check()
    await change.getByLabel('Password', { exact: true }).fill('short')
    await change.getByRole('button', { name: 'Set password' }).click()
    await change.getByText(/at least 8/).waitFor()
    await change.getByLabel('Password', { exact: true }).fill('long-enough-word')
    await change.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('The password of ann is set').waitFor()
    expect([await mayRead('ann', 'long-enough-word'), await mayRead('ann', password)]).toEqual([200, 401])
  })

  it('shows what the user sees, and nothing else, until it is stopped', async () => {
    const answers: string[] = []
    const listen = (response: { text(): Promise<string>; url(): string }) => {
      if (response.url().includes('/api/rest'))
        void response.text().then(
          (text) => answers.push(text),
          () => undefined,
        )
    }
    await button('See as this user').click()
    await page.getByText('You see what ann sees').waitFor()
    page.on('response', listen)
    await page.getByRole('main').getByRole('link', { name: 'Tasks 1' }).click()
    await row('Mine').waitFor()
    expect(await page.getByRole('region', { name: 'Administration' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'New', exact: true }).count()).toBe(0)
    await button('Show as API call').click()
    await dialog('Show as API call').locator('pre').filter({ hasText: "-H 'x-view-as: ann'" }).waitFor()
    await dialog('Show as API call').getByRole('tab', { name: 'rest-client' }).click()
    await dialog('Show as API call').locator('pre').filter({ hasText: 'viewAs: "ann"' }).waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByText('You see what ann sees').waitFor()
    await page.getByRole('link', { name: 'Mine' }).click()
    await page.getByRole('heading', { name: 'Mine' }).waitFor()
    await page.getByText('Open', { exact: true }).waitFor()
    expect(await button('Save').count()).toBe(0)
    page.off('response', listen)
    expect(answers.length).toBeGreaterThan(3)
    expect(answers.join('\n')).not.toMatch(new RegExp(`${secret}|tas_cost|Finished`))
    await keepScreenshot(page, 'admin-view-as')
    await button('Stop').click()
    await page.getByLabel('Cost').waitFor()
    expect(await page.getByText('You see what').count()).toBe(0)
    const line = app
      .errors()
      .split('\n')
      .find((one) => one.includes('"viewAs":"ann"'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ user: 'admin', viewAs: 'ann' })
  })

  it('leaves a view that is no longer given', async () => {
    await page.goto(`${app.origin}/ui/_admin/users`)
    await page.getByRole('link', { name: 'ann' }).click()
    await button('See as this user').click()
    await page.getByText('You see what ann sees').waitFor()
    const [{ row_id: id }] = (await app.call('/User/?usr_login=ann')).body
    await app.call(`/User/${id}`, { method: 'PUT', body: { usr_active: false } })
    await page.reload()
    await page.getByRole('region', { name: 'Administration' }).waitFor()
    expect(await page.getByText('You see what').count()).toBe(0)
    await app.call(`/User/${id}`, { method: 'PUT', body: { usr_active: true } })
  })

  it('switches users off and on, and moves them between groups', async () => {
    await page.goto(`${app.origin}/ui/_admin/users?_q=ann`)
    await page.getByRole('link', { name: 'ann' }).click()
    await button('Switch off').click()
    await dialog('Switch off ann?').getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('ann is switched off').waitFor()
    await page.getByRole('main').getByText('Switched off', { exact: true }).waitFor()
    expect(await button('See as this user').count()).toBe(0)
    expect(await mayRead('ann', 'long-enough-word')).toBe(401)
    await button('Switch on').click()
    await page.getByRole('main').getByText('Active', { exact: true }).waitFor()
    await button('Remove Sales').click()
    await page.getByText('In no group').waitFor()
    expect(await mayRead('ann', 'long-enough-word')).toBe(403)
    await page.getByLabel('Add to group').selectOption('Sales')
    await button('Add').click()
    await button('Remove Sales').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Sales' }).click()
    await page.getByRole('heading', { name: 'Sales' }).waitFor()
    await page.getByLabel('Add member').fill('cler')
    await page.getByRole('option', { name: 'clerk' }).click()
    await button('Add').click()
    await button('Remove clerk').waitFor()
    await button('Remove clerk').click()
    await button('Remove clerk').waitFor({ state: 'detached' })
    await page.goto(`${app.origin}/ui/_admin/users`)
    await page.getByRole('link', { name: 'admin', exact: true }).click()
    await page.getByText('Members of ADMIN may do everything').waitFor()
    await button('Remove ADMIN').click()
    await page.getByText('This would remove the last active administrator').waitFor()
  })

  it('changes and deletes a grant', async () => {
    await open('Groups')
    await page.getByRole('link', { name: 'Sales' }).click()
    await page.locator('.admin-grants').getByRole('button', { name: 'Edit', exact: true }).click()
    const form = dialog('Grant for Sales')
    await form.getByLabel('Change', { exact: true }).uncheck()
    await form.getByLabel('Run actions').check()
    await form.getByRole('group', { name: 'Actions' }).getByLabel('count').check()
    await form.getByRole('button', { name: 'Save' }).click()
    const changed = 'Sales may read Tasks where State is Open; may run the action count; not the field Cost.'
    await page.getByRole('main').getByText(changed).waitFor()
    await keepScreenshot(page, 'admin-group')
    await button('New grant').click()
    await form.getByLabel('Object').selectOption('all objects')
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    const all = page.getByRole('listitem').filter({ hasText: 'Sales may read all objects.' })
    await all.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await all.waitFor({ state: 'detached' })
    expect((await app.call('/Grant/?grt_group_id__grp_name=Sales')).body).toMatchObject([
      { grt_rights: 'RA', grt_actions: 'count' },
    ])
  })

  it('has webhooks with a secret shown once, their deliveries, and sends one again', async () => {
    await open('Webhooks')
    await button('New webhook').click()
    const form = dialog('New webhook')
    await form.getByLabel('Name').fill('Partner')
    await form.getByLabel('Address').fill('ftp://example.com/')
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText(/Must be an address with https or http/).waitFor()
    await form.getByLabel('Address').fill(hookUrl())
    await form.getByLabel('Tasks').check()
    await form.getByLabel('Created').check()
    await form.getByRole('button', { name: 'Create' }).click()
    const shown = dialog('Secret of Partner')
    const key = await shown.locator('code').innerText()
    expect(key).toMatch(/^whsec_[\w+/]{43}=$/)
    await shown.getByRole('button', { name: 'Done' }).click()
    await row('Partner').filter({ hasText: 'Task · Created' }).filter({ hasText: 'Active' }).waitFor()
    await create('Task', { tas_title: 'Sent', tas_state: 'open' })
    // A list in which nothing waits is not looked at again.
    await expect.poll(() => received.length).toBe(1)
    await page.getByRole('link', { name: 'Partner' }).click()
    const [{ headers, body } = { headers: {}, body: '' }] = received
    const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`
    const mac = createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
      .update(signed)
      .digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${mac}`)
    await row('Given up').filter({ hasText: '410' }).waitFor()
    await page.reload()
    await page.getByRole('main').getByText('Switched off', { exact: true }).waitFor()
    await page.getByText(/410/).first().waitFor()
    await keepScreenshot(page, 'admin-webhook-off')
    answer = 200
    await button('Switch on').click()
    await page.getByRole('main').getByText('Active', { exact: true }).waitFor()
    await button('Retry').click()
    await row('Sent').filter({ hasText: '200' }).waitFor()
    expect(received.map((one) => one.headers['webhook-id'])).toEqual([headers['webhook-id'], headers['webhook-id']])
    await button('New secret').click()
    await dialog('Replace the secret of Partner?').getByRole('button', { name: 'New secret' }).click()
    const next = await dialog('Secret of Partner').locator('code').innerText()
    expect(next).not.toBe(key)
    await dialog('Secret of Partner').getByRole('button', { name: 'Done' }).click()
    await button('Edit').click()
    await dialog('Partner').getByLabel('Changed').check()
    await dialog('Partner').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Task · Created, Changed').waitFor()
    await page.getByLabel('Status').selectOption('Given up')
    await page.getByText('No deliveries').waitFor()
  })

  it('shows background tasks as they run and end, and cancels them', async () => {
    await open('Background tasks')
    await page.getByRole('heading', { name: 'No background tasks' }).waitFor()
    expect((await app.call('/Task/action:count', { method: 'POST', body: {} })).status).toBe(202)
    expect((await app.call('/Task/action:fail', { method: 'POST', body: {} })).status).toBe(202)
    await page.reload()
    await row('Tasks: count').filter({ hasText: 'Running' }).filter({ hasText: '3 / 10 · Counting' }).waitFor()
    await row('Tasks: fail').filter({ hasText: 'Failed' }).waitFor()
    expect(await page.getByRole('main').innerText()).not.toContain('not for anyone')
    await keepScreenshot(page, 'admin-tasks')
    await row('Tasks: count').getByRole('button', { name: 'Cancel' }).click()
    await row('Tasks: count').filter({ hasText: 'Cancelled' }).waitFor()
    expect(await button('Cancel').count()).toBe(0)
  })

  it('shows parameters with their defaults, and sets them by their kind', async () => {
    await open('Parameters')
    await row('USE_WEBSERVICES_OBJECTPOOL').filter({ hasText: 'Default: No' }).waitFor()
    await button('Change: USE_WEBSERVICES_OBJECTPOOL').click()
    const flag = dialog('USE_WEBSERVICES_OBJECTPOOL')
    await flag.getByLabel('Value').selectOption('Yes')
    await flag.getByRole('button', { name: 'Save' }).click()
    await row('USE_WEBSERVICES_OBJECTPOOL').getByRole('cell', { name: 'Yes', exact: true }).waitFor()
    await button('Change: WEBSERVICES_OBJECTPOOL_MAXTOTAL').click()
    const number = dialog('WEBSERVICES_OBJECTPOOL_MAXTOTAL')
    await number.getByLabel('Value').fill('10001')
    await number.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => number.getByLabel('Value').evaluate((input) => input.matches(':invalid'))).toBe(true)
    await number.getByLabel('Value').fill('40')
    await number.getByRole('button', { name: 'Save' }).click()
    await row('WEBSERVICES_OBJECTPOOL_MAXTOTAL').getByRole('cell', { name: '40', exact: true }).waitFor()
    await row('WEBSERVICES_OBJECTPOOL_MAXTOTAL').getByRole('button', { name: 'Use default' }).click()
    await row('WEBSERVICES_OBJECTPOOL_MAXTOTAL').filter({ hasText: 'Default: 50' }).waitFor()
    await button('New parameter').click()
    await dialog('New parameter').getByLabel('Code').fill('GREETING')
    await dialog('New parameter').getByLabel('Value').fill('Hello')
    await dialog('New parameter').getByRole('button', { name: 'Create' }).click()
    await row('GREETING').filter({ hasText: 'Hello' }).waitFor()
    expect((await app.call('/SystemParam/?sys_code=USE_WEB*')).body).toMatchObject([{ sys_value: 'yes' }])
    await row('USE_WEBSERVICES_OBJECTPOOL').getByRole('button', { name: 'Use default' }).click()
    await row('USE_WEBSERVICES_OBJECTPOOL').filter({ hasText: 'Default: No' }).waitFor()
  })

  it('offers others what their rights allow, and nothing more', async () => {
    const other = await openPage(browser(), `${app.origin}/ui/`)
    try {
      await signIn(other.page, 'clerk', 'clerk-word')
      const links = other.page.getByRole('region', { name: 'Administration' }).getByRole('link')
      await expect.poll(() => links.allTextContents()).toEqual(['Users', 'Background tasks'])
      await links.first().click()
      await row('ann', other.page).waitFor()
      expect(await other.page.getByRole('columnheader').allTextContents()).toEqual(['Login', 'Name', 'State'])
      expect(await other.page.getByRole('button', { name: 'New user' }).count()).toBe(0)
      await other.page.getByRole('link', { name: 'ann' }).click()
      await other.page.getByRole('heading', { name: 'ann' }).waitFor()
      expect(await other.page.getByRole('main').getByRole('button').count()).toBe(0)
      await other.page.goto(`${app.origin}/ui/_admin/tasks`)
      await row('Task: count', other.page).filter({ hasText: 'Cancelled' }).waitFor()
      await other.page.goto(`${app.origin}/ui/_admin/groups`)
      await other.page.getByRole('heading', { name: 'Nothing found at this address' }).waitFor()
      expect(other.problems).toEqual([])
    } finally {
      await other.close()
    }
  })

  it.each([
    [1280, 'light', 'fr-FR'],
    [360, 'dark', 'de-DE'],
    ...(process.env['TEST_DEEP'] === '1'
      ? ([
          [360, 'light', 'en-US'],
          [1280, 'dark', 'en-US'],
        ] as const)
      : []),
  ] as const)('is accessible and fits at %d pixels, %s, in %s', async (width, colorScheme, locale) => {
    const other = await openPage(browser(), `${app.origin}/ui/`, { width, colorScheme, locale })
    const { page: on } = other
    const texts = {
      'en-US': ['User name', 'Password', 'Sign in', 'Sales may read Tasks where State is Open'],
      'fr-FR': ['Identifiant', 'Mot de passe', 'Se connecter', 'Sales peut lire Tasks lorsque State est Open'],
      'de-DE': ['Benutzername', 'Passwort', 'Anmelden', 'Sales darf Tasks lesen, wenn State Open ist'],
    }[locale]
    const check = async (name: string) => {
      await keepScreenshot(on, `admin-${name}-${width}-${colorScheme}`)
      expect([name, await accessibilityProblems(on)]).toEqual([name, []])
      expect([name, await scrollsSideways(on)]).toEqual([name, false])
    }
    const go = async (path: string, seen: string) => {
      await on.goto(`${app.origin}/ui/_admin/${path}`)
      await on.getByText(seen).first().waitFor()
    }
    try {
      await on.getByLabel(texts[0] as string).fill('admin')
      await on.getByLabel(texts[1] as string, { exact: true }).fill('secret-word')
      await on.getByRole('button', { name: texts[2] as string }).click()
      await on.getByRole('main').locator('a[href$="/_admin/users"]').waitFor()
      await check('home')
      await go('users', 'clerk')
      await check('users')
      await on.getByRole('main').locator('.view-actions button').click()
      await on.getByRole('dialog').waitFor()
      await check('new-user')
      const id = async (object: string, query: string) =>
        (await app.call(`/${object}/?${query}`)).body[0].row_id as string
      await go(`users/${await id('User', 'usr_login=ann')}`, texts[3] as string)
      await check('user')
      await go(`groups/${await id('Group', 'grp_name=Sales')}`, texts[3] as string)
      await check('group')
      await on.locator('.admin-grants button').first().click()
      await on.getByRole('dialog').locator('.admin-preview').waitFor()
      await check('grant')
      await go(`webhooks/${await id('Webhook', 'whk_name=Partner')}`, '200')
      await check('webhook')
      await go('tasks', 'count')
      await check('tasks')
      await go('parameters', 'GREETING')
      await check('parameters')
      expect(other.problems).toEqual([])
    } finally {
      await other.close()
    }
  })
})

it('is served as one page below /ui/_admin/', async () => {
  const answered = await fetch(`${app.origin}/ui/_admin/users/1`)
  expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('<base href="../../"')])
})
