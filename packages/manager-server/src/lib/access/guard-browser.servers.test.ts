import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsBrowser } from '../../../../../tests/browser.js'
import { sqlite } from '../../../../manager-core/src/lib/store/sqlite.js'
import { testInstance } from '../../../../manager-core/src/lib/testing/made-up-operation.js'
import { basic, startServer, type TestServer } from '../../server-for-test.js'

/** Each way to make a browser ask has an action of its own, so that the history shows which ones came with credentials. */
const embedded = {
  'protect&name=demo': (url: string) => `<img src="${url}">`,
  'autosave&name=demo': (url: string) => `<script src="${url}"></script>`,
  'autoupdate&name=demo': (url: string) => `<iframe src="${url}"></iframe>`,
  'seturl&name=demo&param=http://evil.test': (url: string) => `<link rel="stylesheet" href="${url}">`,
  'start&name=demo': (url: string) =>
    `<script type="module">await fetch("${url}", { mode: "no-cors", credentials: "include" })</script>`,
  'save&name=demo': (url: string) =>
    `<form id="hidden" action="${url}" target="frame">${inputs(url)}</form><iframe name="frame"></iframe>`,
  'delete&name=demo': (url: string) => `<object data="${url}"></object>`,
  saveall: (url: string) => `<link rel="prefetch" href="${url}">`,
  upgradeall: (url: string) => `<video src="${url}"></video>`,
  'neutralise&name=demo': (url: string) => `<iframe srcdoc="<img src='${url}'>"></iframe>`,
} as const

/** Those that show the answer in the window. */
const navigations = {
  'reset&name=demo': (url: string) => `<a id="go" href="${url}">A prize!</a>`,
  'upgrade&name=demo': (url: string) => `<form action="${url}">${inputs(url)}<button id="go">Go on</button></form>`,
  'rename&name=demo&param=stolen': (url: string) =>
    `<a id="go" href="/redirect?to=${encodeURIComponent(url)}">A prize!</a>`,
  'token-add&param=evil&abilities=admin': (url: string) =>
    `<a id="go" href="#" onclick="location = '${url}'" rel="noreferrer">A prize!</a>`,
  'clone&name=demo&param=copy': (url: string) => `<meta http-equiv="refresh" content="0; url=${url}">`,
} as const

function inputs(url: string): string {
  const hidden = [...new URL(url).searchParams].map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  )
  return hidden.join('')
}

let test: TestServer
let attacker: Server
let manager: string
/** Cookies that the attacker got. */
const seen: string[] = []
/** Every entry is a minute younger than the one before, so that refused calls are not one. */
let time = Date.parse('2026-11-21T12:00:00Z')

beforeAll(async () => {
  test = await startServer({ config: ['export APPS_PASSWORD=s3cret'], clock: () => new Date((time += 61_000)) })
  test.manager.context.registry.transaction((writer) =>
    writer.insertInstance(testInstance({ id: 'idemo', name: 'demo' })),
  )
  manager = new URL(test.server.url).port
  attacker = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://attacker')
    seen.push(request.headers.cookie ?? '')
    if (pathname === '/redirect') return response.writeHead(302, { Location: searchParams.get('to') ?? '' }).end()
    response.writeHead(200, { 'Content-Type': 'text/html', 'Referrer-Policy': 'no-referrer' })
    return response.end(`<!doctype html><title>Attack</title><body>${searchParams.get('html') ?? ''}</body>`)
  })
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  attacker?.closeAllConnections()
  attacker?.close()
  await test?.close()
})

const port = () => (attacker.address() as AddressInfo).port
const state = () => {
  const { [sqlite]: database } = test.manager.context.registry
  const all = (sql: string) => database.prepare(sql).all()
  return JSON.stringify([all('select * from instance'), all('select * from operation'), all('select * from token')])
}
/** Actions that came with the administrator's credentials, and were refused, since then. */
const refusedSince = (id: number) =>
  test.manager.context.registry
    .history({ limit: 1000 })
    .filter((entry) => entry.id > id && entry.result === 'refused' && entry.actor === 'admin')
    .map(({ action }) => action)
const lastId = () => test.manager.context.registry.history({ limit: 1 })[0]?.id ?? 0
const actionsOf = (attacks: object) =>
  Object.keys(attacks).map((one) => one.replace(/&.*/, '').replace('token-add', 'token add'))

/** A browser whose user has given name and password to its own box, at an address of the API. */
async function loggedIn(browser: Browser, origin: string): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${origin.replace('://', '://admin:s3cret@')}/api?action=whoami`)
  await page.goto(`${origin}/ui/`)
  expect(
    await page.evaluate(`fetch(new URL('/api?action=whoami', location.origin)).then(({ status }) => status)`),
  ).toBe(200)
  return context.newPage()
}

/** A browser whose user has signed in to the pages, which are open in another tab. */
async function signedIn(browser: Browser, origin: string): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${origin}/ui/`)
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill('s3cret')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Account' }).waitFor()
  return context.newPage()
}

needsBrowser(
  (browser) => {
    // With and without the headers in which browsers name the origin of a request: those need HTTPS, or this machine.
    describe.each([
      ['by a name on plain HTTP', 'manager.apps.test'],
      ['on this machine', 'manager.apps.localhost'],
    ])('a manager %s', (_, host) => {
      const origins = [
        ['another site', 'evil.test', []],
        ['a sibling sub-domain', host.replace('manager', 'shop'), actionsOf(embedded)],
        ['another port', host, actionsOf(embedded)],
      ] as const

      it.each(origins)('does nothing that a page of %s makes the browser ask', async (_from, from, arrives) => {
        const before = state()
        const since = lastId()
        const page = await loggedIn(browser(), `http://${host}:${manager}`)
        const address = (action: string) => `http://${host}:${manager}/api?action=${action}`
        const attack = (html: string) => page.goto(`http://${from}:${port()}/?html=${encodeURIComponent(html)}`)
        await attack(
          Object.entries(embedded)
            .map(([action, html]) => html(address(action)))
            .join('\n'),
        )
        await page.evaluate(`document.querySelector('#hidden').submit()`)
        await page.waitForLoadState('networkidle')
        for (const [action, html] of Object.entries(navigations)) {
          await attack(html(address(action)))
          const go = page.locator('#go')
          if (await go.count().catch(() => 0)) await go.click()
          await page.waitForURL(new RegExp(`^http://${host}:${manager}/api`))
          await expect.poll(() => page.textContent('body'), { message: action }).toContain('"code":"ERR_ACCESS"')
        }
        await page.goto(address('purge'))
        await expect.poll(() => page.textContent('body')).toContain('"code":"ERR_ACCESS"')
        // They did come, with credentials: only the guard stood before them.
        expect(refusedSince(since)).toEqual(expect.arrayContaining([...arrives, ...actionsOf(navigations), 'purge']))
        expect(state()).toBe(before)
        await page.context().close()
      })

      it('knows no session in what pages of other origins make the browser ask', async () => {
        const page = await signedIn(browser(), `http://${host}:${manager}`)
        const before = state()
        const address = (action: string) => `http://${host}:${manager}/api?action=${action}`
        const all = Object.entries(embedded).map(([action, html]) => html(address(action)))
        for (const [, from] of origins) {
          seen.length = 0
          await page.goto(`http://${from}:${port()}/?html=${encodeURIComponent(all.join('\n'))}`)
          await page.evaluate(`document.querySelector('#hidden').submit()`)
          await page.waitForLoadState('networkidle')
          await page.goto(address('reset&name=demo'))
          await expect.poll(() => page.textContent('body')).toContain('"code":"ERR_ACCESS"')
          expect(state()).toBe(before)
          // The cookie goes to other ports of the host as well; what it opens there is nothing.
          const stolen = seen.filter((cookie) => cookie.includes('steward_session'))
          expect(stolen.length > 0).toBe(from === host)
          for (const cookie of stolen)
            for (const more of [{}, { 'x-manager-request': 'ui' }, { 'sec-fetch-site': 'same-origin' }]) {
              const headers = { authorization: undefined, cookie, ...more }
              expect((await test.get('/api?action=whoami', headers)).status).toBe(401)
            }
        }
        await page.context().close()
      })
    })

    it('pages of another origin can neither add the header nor read anything', async () => {
      const page = await loggedIn(browser(), `http://manager.apps.test:${manager}`)
      await page.goto(`http://shop.apps.test:${port()}/`)
      const url = `http://manager.apps.test:${manager}/api?action=protect&name=demo`
      const failed = `.then(() => 'answered', (error) => error.name)`
      const ask = (init: object) => page.evaluate(`fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})${failed}`)
      const before = state()
      expect(await ask({ credentials: 'include', headers: { 'X-Manager-Request': '1' } })).toBe('TypeError')
      expect(await ask({ headers: { Authorization: basic('admin', 's3cret') } })).toBe('TypeError')
      expect(await ask({ credentials: 'include' })).toBe('TypeError')
      expect(state()).toBe(before)
      await page.context().close()
    })

    it('the pages of the manager itself do', async () => {
      const page = await loggedIn(browser(), `http://manager.apps.test:${manager}`)
      await page.goto(`http://manager.apps.test:${manager}/ui/`)
      const ask = (headers: object) =>
        page.evaluate(
          `fetch('/api?action=protect&name=demo', ${JSON.stringify({ headers })}).then(({ status }) => status)`,
        )
      expect(await ask({ 'X-Manager-Request': 'ui' })).toBe(200)
      expect(test.manager.instance('demo').protected).toBe(true)
      await page.context().close()
    })

    it('a browser that logged in is remembered despite guesses from the same address', async () => {
      const page = await signedIn(browser(), `http://manager.apps.test:${manager}`)
      const cookie = { httpOnly: true, sameSite: 'Strict', path: '/', domain: 'manager.apps.test' }
      expect(await page.context().cookies()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'steward_device', ...cookie }),
          expect.objectContaining({ name: expect.stringMatching(/^steward_session_/), ...cookie }),
        ]),
      )
      await page.context().clearCookies({ name: /^steward_session_/ })
      for (let n = 0; n < 10; n++) await test.get('/api', { authorization: basic('admin', `guess ${n}`) })
      const waits = await test.get('/api', { authorization: basic('admin', 's3cret') })
      expect([waits.status, Number(waits.headers['retry-after']) > 0]).toEqual([429, true])
      await page.goto(`http://manager.apps.test:${manager}/ui/`)
      await page.getByLabel('User name').fill('admin')
      await page.getByLabel('Password').fill('s3cret')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Account' }).waitFor()
      await page.context().close()
    })
  },
  ['--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.localhost 127.0.0.1'],
)
