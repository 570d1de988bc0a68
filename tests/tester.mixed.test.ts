/** @module-tag mixed */
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { testerRouter } from '@steward/rest-koa'
import Koa from 'koa'
import mount from 'koa-mount'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  accessibilityProblems,
  keepScreenshot,
  needsBrowser,
  openPage,
  scrollsSideways,
  type WatchedPage,
} from './browser.js'
import { de } from '../packages/rest-koa/src/tester/texts/de.js'
import { en } from '../packages/rest-koa/src/tester/texts/en.js'
import { fr } from '../packages/rest-koa/src/tester/texts/fr.js'
import { startApp, type RunningApp } from './programs/app-server.js'

const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

const files = {
  'app.yaml': 'name: shop\ntitle: Shop\nversion: 1.0.0\nlog: { level: warn }\n',
  'objects/product.ts': `
import { setTimeout as pause } from 'node:timers/promises'
export const Product = {
  name: 'Product',
  pluralLabel: 'Products',
  fields: {
    prd_code: { type: 'string', length: 20, key: true, label: 'Code' },
    prd_name: { type: 'string', length: 200, required: true, label: 'Name' },
    prd_price: { type: 'decimal', min: 0, label: 'Price' },
    prd_kind: { type: 'enum', values: ['fruit', 'tool'], label: 'Kind' },
    prd_picture: { type: 'image', label: 'Picture' },
  },
  order: ['prd_code'],
  indexable: true,
  publications: {
    sheet: { format: 'html', template: '<style>h1 { color: rgb(1, 2, 3) }</style><h1 style="font-style: italic">{{prd_name}}</h1>' },
    list: { scope: 'global', format: 'csv', fields: ['prd_code'] },
  },
  crosstabs: { kinds: { lines: ['prd_kind'] } },
  actions: {
    raise: {
      label: 'Raise the price',
      parameters: {
        by: { type: 'integer', required: true, min: 1, label: 'By' },
        reason: { type: 'enum', values: ['costs', 'greed'], label: 'Reason' },
      },
      async run({ service, principal, record, parameters }) {
        const price = Number(record.prd_price) + Number(parameters.by)
        await service.update(principal, 'Product', record.row_id, { prd_price: price })
        return { price, reason: parameters.reason }
      },
    },
    crawl: { scope: 'global', background: true, run: ({ signal }) => pause(60_000, undefined, { signal }) },
    wait: { scope: 'global', run: ({ signal }) => pause(60_000, undefined, { signal }) },
  },
}
`,
  'objects/place.yaml': `
name: Place
fields:
  row_id: { type: id, fields: [plc_product, plc_code] }
  plc_product: { type: reference, object: Product }
  plc_code: { type: string, length: 20 }
  plc_count: { type: integer }
`,
}

let folder: string
let app: RunningApp

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-tester-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  app = await startApp([folder], { password: 'secret-word' })
  await fill()
})

afterAll(async () => {
  await app?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function fill(): Promise<void> {
  const picture = await sharp({ create: { width: 320, height: 200, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const products = [
    { prd_code: 'A', prd_name: 'Apple', prd_price: 2, prd_kind: 'fruit' },
    { prd_code: 'B', prd_name: 'Bolt', prd_price: 0.25, prd_kind: 'tool' },
    { prd_code: 'P', prd_name: 'Pear', prd_picture: { name: 'pear.png', content: picture.toString('base64') } },
    { prd_code: 'X', prd_name: hostile },
  ]
  for (const body of products) expect((await app.call('/Product', { body })).status).toBe(200)
}

describe('the address of the tester page', () => {
  const get = (path: string, init?: RequestInit) => fetch(app.origin + path, init)

  it.each(['/api/tester', '/api/tester/', '/shop/api/tester', '/shop/api/tester/', '/api/tester?x#y'])(
    '%s leads to its files and to the service',
    async (path) => {
      const page = await get(path)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
      const html = await page.text()
      const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(html)?.[1] ?? ''
      const script = await fetch(new URL(attribute('src'), page.url))
      expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
      expect(script.headers.get('cache-control')).toContain('immutable')
      const style = /rel="stylesheet" href="([^"]*)"/.exec(html)?.[1] ?? ''
      const css = await fetch(new URL(style, page.url))
      expect([css.status, css.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
      const rest = new URL(attribute('data-rest'), new URL(attribute('data-folder'), page.url))
      expect(rest.pathname).toBe(path.startsWith('/shop') ? '/shop/api/rest' : '/api/rest')
    },
  )

  it('may be below a mount, and is not there below level 3.2', async () => {
    const application = new Koa()
    application.use(mount('/deep/inside', testerRouter({ prefix: '', rest: '../service' }).routes()))
    application.use(testerRouter({ prefix: '/old', level: '3.1' }).routes())
    const server = application.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      for (const path of ['/deep/inside', '/deep/inside/']) {
        const page = await fetch(`http://127.0.0.1:${port}${path}`)
        const [, script = '', folder = ''] = / src="([^"]*)".* data-folder="([^"]*)"/s.exec(await page.text()) ?? []
        expect((await fetch(new URL(script, page.url))).status).toBe(200)
        expect(new URL('../service', new URL(folder, page.url)).pathname).toBe('/deep/service')
      }
      expect((await fetch(`http://127.0.0.1:${port}/old`)).status).toBe(404)
    } finally {
      server.close()
    }
  })

  it('answers 304, 404 and 405 as they should be', async () => {
    const first = await get('/api/tester')
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const tag = first.headers.get('etag') ?? ''
    expect((await get('/api/tester', { headers: { 'If-None-Match': tag } })).status).toBe(304)
    expect((await get('/api/tester', { method: 'HEAD' })).status).toBe(200)
    expect((await get('/api/tester/other.js')).status).toBe(404)
    expect((await get('/api/tester/..%2f..%2fpackage.json')).status).toBe(404)
    const posted = await get('/api/tester', { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('is not there while USE_API_TESTER is no, without a restart', async () => {
    const created = await app.call('/SystemParam', { body: { sys_code: 'USE_API_TESTER', sys_value: 'no' } })
    const row = `/SystemParam/${created.body.row_id}`
    const refused = await get('/shop/api/tester')
    expect([refused.status, await refused.json()]).toMatchObject([404, { code: 'ERR_NOT_FOUND' }])
    await app.call(row, { method: 'PUT', body: { sys_value: 'yes' } })
    expect((await get('/shop/api/tester')).status).toBe(200)
    await app.call(row, { method: 'PUT', body: { sys_value: 'no' } })
    expect((await get('/shop/api/tester')).status).toBe(404)
    await app.call(row, { method: 'DELETE' })
    expect((await get('/shop/api/tester')).status).toBe(200)
  })
})

needsBrowser((browser) => {
  const address = () => `${app.origin}/shop/api/tester`
  let watched: WatchedPage
  let page: Page

  async function signIn(password: string): Promise<void> {
    await page.getByLabel('Login').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  const workbench = () => page.getByRole('heading', { name: 'Request' }).waitFor()

  async function choose(operation: string, object?: string): Promise<void> {
    await page.locator('[name=operation]').selectOption({ label: operation })
    if (object !== undefined) await page.locator('[name=object]').selectOption(object)
  }

  const history = () => page.getByRole('region', { name: 'History' }).getByRole('listitem')

  /** Sends, and gives the status of the answer when it is there. */
  async function send(): Promise<string> {
    const before = await history().count()
    await page.getByRole('button', { name: 'Send' }).click()
    await history().nth(before).waitFor()
    return (await page.locator('.facts .status').textContent()) ?? ''
  }

  const answer = () => page.locator('#answer')

  beforeAll(async () => {
    watched = await openPage(browser(), address())
    page = watched.page
  })

  afterAll(() => watched?.close())

  /** The token is kept unless a test that signed out has failed, and nothing else: what was entered is in the address. */
  beforeEach(async () => {
    await page.unrouteAll()
    await page.evaluate(`sessionStorage.removeItem('steward-tester-history')`)
    await page.goto('about:blank')
    await page.goto(address())
    const signInButton = page.getByRole('button', { name: 'Sign in' })
    await signInButton.or(page.getByRole('heading', { name: 'Request' })).waitFor()
    if (await signInButton.isVisible()) await signIn('secret-word')
    await workbench()
  })

  async function checkThatNothingIsWrong(): Promise<void> {
    expect(watched.problems.splice(0)).toEqual([])
    expect(await page.evaluate('window.hacked')).toBeUndefined()
  }

  afterEach(checkThatNothingIsWrong)

  it('signs in with a password or a token, and keeps no password', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn('wrong')
    await page.getByRole('alert').filter({ hasText: 'Login or password are wrong.' }).waitFor()
    await signIn('secret-word')
    await workbench()
    await page.reload()
    await workbench()
    const stored = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie')
    expect(stored).toContain('Bearer ')
    expect(stored).not.toContain('secret-word')
    const token = /Bearer ([^"\\]+)/.exec(String(stored))?.[1] ?? ''
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password with each request').check()
    // The page does not wait for that.
    const headers = { Authorization: `Bearer ${token}` }
    await expect.poll(async () => (await fetch(`${app.origin}/api/rest/`, { headers })).status).toBe(401)
    await signIn('secret-word')
    await choose('Application info')
    expect(await send()).toBe('200 OK')
    expect(await page.evaluate('[...Object.keys(sessionStorage), ...Object.keys(localStorage)]')).toEqual([
      'steward-tester-history',
    ])
    await expect.poll(() => page.url()).toBe(`${app.origin}/shop/api/tester#//info`)
    await expect
      .poll(() => page.getByLabel('curl command').textContent())
      .toBe(`curl -u 'admin' '${app.origin}/shop/api/rest/'`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Anonymous').check()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').filter({ hasText: 'This needs a login and password' }).waitFor()
    await page.getByLabel('Token').check()
    await signIn('secret-word')
    await workbench()
  })

  it('searches with filters and pages, shows the address, and unfolds records', async () => {
    await choose('Search one page', 'Product')
    await page.getByRole('button', { name: 'Add a filter' }).click()
    const filter = page.getByRole('group', { name: 'Filter 1' })
    await filter.getByLabel('Field').selectOption('prd_kind')
    await filter.getByLabel('Value').selectOption('tool')
    await expect.poll(() => page.locator('#request-url').textContent()).toContain('?prd_kind=tool&')
    await filter.getByLabel('Operator').selectOption('condition')
    await filter.getByText('fruit · tool').waitFor()
    await filter.getByLabel('Field').selectOption('prd_name')
    await filter.getByLabel('Operator').selectOption('contains')
    await filter.getByLabel('Value').fill('p')
    await page.getByLabel('Sort').fill('-prd_name')
    await page.getByLabel('Page size').fill('1')
    await expect
      .poll(() => page.locator('#request-url').textContent())
      .toBe(`${app.origin}/shop/api/rest/Product/?prd_name=*p*&_order=-prd_name&_page=0&_pagesize=1`)
    await page.getByRole('button', { name: 'Copy address' }).click()
    await page.getByText('Copied').waitFor()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('_order=-prd_name')
    await page.getByLabel('On several fields').fill("prd_name = 'Pear' or prd_name like 'App%'")
    await expect
      .poll(() => page.locator('#request-url').textContent())
      .toContain(`&_filter=prd_name%20%3D%20'Pear'%20or%20prd_name%20like%20'App%25'&`)
    expect(await send()).toBe('200 OK')
    await page.getByText('prd_name: Pear').or(answer().getByText('Pear')).first().waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await answer().getByText('Apple').first().waitFor()
    await page.getByRole('status').filter({ hasText: '200 OK. 1 item.' }).waitFor()
    await page.getByRole('button', { name: /^Get record/ }).click()
    await expect.poll(() => page.getByLabel('Row id').inputValue()).not.toBe('')
    expect(await send()).toBe('200 OK')
    await page.getByRole('tab', { name: 'Headers' }).click()
    await answer().getByText('x-request-id').waitFor()
    await page.getByRole('tab', { name: 'Text' }).click()
    await answer().getByText('{"row_id":"1","prd_code":"A"').waitFor()
    await expect.poll(() => history().count()).toBe(3)
    await history().last().getByRole('button').click()
    await expect.poll(() => page.locator('[name=operation]').inputValue()).toBe('page')
    await expect.poll(() => page.getByLabel('Sort').inputValue()).toBe('-prd_name')
  })

  it('shows records as a table, and opens those that they refer to', async () => {
    const product = String((await app.call('/Product/?prd_code=B')).body[0].row_id)
    await app.call('/Place', { body: { plc_product: product, plc_code: 'N1', plc_count: 1200 } })
    await choose('Search one page', 'Place')
    expect(await send()).toBe('200 OK')
    const table = page.getByRole('region', { name: 'Records' })
    await expect.poll(() => table.getByRole('columnheader').allTextContents()).toContain('Row id')
    await table.getByRole('cell', { name: 'N1', exact: true }).waitFor()
    await table.getByRole('button', { name: `Get record ${product}`, exact: true }).click()
    await expect.poll(() => page.locator('[name=object]').inputValue()).toBe('Product')
    await expect.poll(() => page.getByLabel('Row id').inputValue()).toBe(product)
    // The answer is still that of the search, and says so.
    await answer().getByText('Answer to the previous request').waitFor()
    expect(await send()).toBe('200 OK')
    await expect.poll(() => answer().getByText('Answer to the previous request').count()).toBe(0)
    await expect
      .poll(() => answer().getByRole('row').filter({ hasText: 'Bolt' }).first().textContent())
      .toBe('NameBolt')
    await app.call(`/Place/${product},N1`, { method: 'DELETE' })
  })

  it('keeps what was entered in the address, for a reload and the back button', async () => {
    await choose('Search one page', 'Product')
    await page.getByLabel('Sort').fill('-prd_name')
    expect(await send()).toBe('200 OK')
    const first = page.url()
    expect(first).toBe(`${app.origin}/shop/api/tester#/Product/page?order=-prd_name`)
    await choose('Create')
    await page.getByLabel('Body (JSON)').fill('{"prd_name":"private"}')
    expect(await send()).toBe('400 Bad Request')
    await expect.poll(() => page.url()).toContain('#/Product/create')
    expect(decodeURIComponent(page.url())).not.toContain('private')
    await page.goBack()
    await expect.poll(() => page.getByLabel('Sort').inputValue()).toBe('-prd_name')
    await page.goto('about:blank')
    await page.goto(first)
    await expect.poll(() => page.getByLabel('Sort').inputValue()).toBe('-prd_name')
    // Objects to choose from come a moment later.
    await expect.poll(() => page.locator('[name=object]').inputValue()).toBe('Product')
  })

  it('leads from the tree of objects to each request, and keeps those that were sent for a reload', async () => {
    const tree = page.getByRole('navigation', { name: 'Objects' })
    await page.keyboard.press('/')
    await page.keyboard.type('prod')
    await expect.poll(() => tree.getByRole('listitem').count()).toBe(1)
    await tree.getByText('Product', { exact: true }).click()
    const operations = tree.getByRole('group', { name: 'Operations of Product' })
    await operations.getByRole('button', { name: 'Search', exact: true }).click()
    await expect.poll(() => page.url()).toContain('#/Product/search')
    expect(await send()).toBe('200 OK')
    await operations.getByRole('button', { name: 'Get', exact: true }).click()
    // Row ids of the last list are offered, with what they are.
    await expect.poll(() => page.locator('datalist option').first().getAttribute('label')).toBe('A Apple')
    await tree
      .getByRole('group', { name: 'Actions' })
      .getByRole('button', { name: /^Raise the price/ })
      .click()
    await expect.poll(() => page.getByLabel('Action (required)').inputValue()).toBe('raise')
    await expect.poll(() => tree.locator('[aria-current=true]').textContent()).toBe('Raise the price (raise)')
    await tree.getByRole('searchbox').fill('')
    await tree.getByText('System', { exact: true }).click()
    await tree.getByText('User', { exact: true }).click()
    await tree
      .getByRole('group', { name: 'Operations of User' })
      .getByRole('button', { name: 'Create', exact: true })
      .click()
    await page.getByLabel('Body (JSON)').fill('{"usr_password":"a-secret"}')
    expect(await send()).toBe('400 Bad Request')
    await page.reload()
    await expect.poll(() => history().allTextContents()).toEqual([expect.stringMatching(/^GET ?\/Product\/ ?200/)])
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('a-secret')
    await history().getByRole('button').click()
    await expect.poll(() => page.locator('[name=operation]').inputValue()).toBe('search')
  })

  it('creates, updates, counts and deletes, and shows every mistake', async () => {
    await choose('Create', 'Product')
    const body = page.getByLabel('Body (JSON)')
    await expect.poll(() => body.inputValue()).toContain('"prd_kind"')
    await body.fill('{ "prd_price": -1, "prd_kind": "spoon" }')
    expect(await send()).toBe('400 Bad Request')
    for (const text of ['"prd_code" is required', '"prd_name" is required', 'ERR_ENUM', 'at least 0'])
      await page.locator('.failure').getByText(text).first().waitFor()
    await page.getByRole('button', { name: 'Template' }).click()
    const template = JSON.parse(await body.inputValue()) as object
    await body.fill(JSON.stringify({ ...template, prd_code: 'N', prd_name: 'Nail', prd_price: 1, prd_size: 2 }))
    await page.getByText('Form', { exact: true }).click()
    await page.getByText('The form cannot show this body: it has no field for "prd_size".').waitFor()
    await body.fill(JSON.stringify({ ...template, prd_name: 'Nail', prd_price: -1 }))
    await page.getByText('Form', { exact: true }).click()
    const name = page.getByLabel('Name (prd_name) (required)')
    const price = page.getByLabel('Price (prd_price)')
    await expect.poll(() => name.inputValue()).toBe('Nail')
    await expect.poll(() => page.getByLabel('Picture (prd_picture)').count()).toBe(0)
    await page.getByLabel('Kind (prd_kind)').selectOption('tool')
    await name.fill('')
    expect(await send()).toBe('400 Bad Request')
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('form', { name: 'Request' }).getByText('"prd_name" is required').waitFor()
    await page.getByRole('form', { name: 'Request' }).getByText('at least 0').waitFor()
    await page.locator('.failure').getByText('at least 0').waitFor()
    await page.getByLabel('Code (prd_code) (required)').fill('N')
    await name.fill('Nail')
    await price.fill('1.')
    await price.press('5')
    await page.getByText('JSON', { exact: true }).click()
    const written = { prd_code: 'N', prd_name: 'Nail', prd_price: 1.5, prd_kind: 'tool' }
    await expect.poll(() => body.inputValue()).toBe(JSON.stringify(written, null, 2))
    await page.getByText('Form', { exact: true }).click()
    await expect.poll(() => price.inputValue()).toBe('1.5')
    await page.reload()
    // A reload keeps the form, not what it held.
    await expect.poll(() => name.inputValue()).toBe('')
    await page.getByLabel('Code (prd_code) (required)').fill('N')
    await name.fill('Nail')
    expect(await send()).toBe('200 OK')
    await page.getByText('JSON', { exact: true }).click()
    const id = String((await app.call('/Product/?prd_code=N')).body[0].row_id)

    await choose('Update')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').filter({ hasText: 'Give the row id.' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('row')
    await page.keyboard.type(id)
    await page.getByRole('button', { name: 'Load the record' }).click()
    // As the record is written, with its blanks; what was sent before is in the field until it is there.
    await expect.poll(() => body.inputValue()).toContain('"prd_name": "Nail"')
    await page.getByText('Form', { exact: true }).click()
    await page.getByText('To empty a field of the record, use JSON.').waitFor()
    await expect.poll(() => page.getByLabel('Name (prd_name)').inputValue()).toBe('Nail')
    await page.getByText('JSON', { exact: true }).click()
    await body.fill('{ "prd_name": "Long nail"')
    await page.getByText('Not valid JSON yet').waitFor()
    expect(await send()).toBe('400 Bad Request')
    await body.fill('{ "prd_name": "Long nail" }')
    expect(await send()).toBe('200 OK')
    await answer().getByText('Long nail').waitFor()

    await choose('Count')
    expect(await send()).toBe('200 OK')
    await answer().getByText('maxpage').waitFor()
    await choose('Delete')
    expect(await send()).toBe('200 OK')
    expect(await send()).toBe('404 Not Found')
    expect((await app.call('/Product/?prd_code=N')).body).toEqual([])
  })

  it('opens and saves a record that several fields identify', async () => {
    const created = await app.call('/Place', { body: { plc_product: '1', plc_code: 'a/b~é?', plc_count: 1 } })
    expect(created.status).toBe(200)
    const id = '1~a.2Fb.7E.C3.A9.3F'
    const known = Promise.withResolvers<void>()
    await page.route('**/Place/?_metadata=true', (route) => known.promise.then(() => route.continue()))
    await choose('Update', 'Place')
    const body = page.getByLabel('Body (JSON)')
    await page.getByLabel('Row id').fill(id)
    const load = page.getByRole('button', { name: 'Load the record' })
    await expect.poll(() => load.isDisabled()).toBe(true)
    known.resolve()
    await load.click()
    await expect.poll(() => body.inputValue()).toContain('"plc_count": 1')
    const loaded = JSON.parse(await body.inputValue()) as object
    expect(loaded).toEqual({ plc_product: '1', plc_code: 'a/b~é?', plc_count: 1 })
    await body.fill(JSON.stringify({ ...loaded, plc_count: 2 }))
    expect(await send()).toBe('200 OK')
    expect((await app.call(`/Place/${id}`)).body).toMatchObject({ row_id: id, plc_code: 'a/b~é?', plc_count: 2 })
    await choose('Get')
    expect(await send()).toBe('200 OK')
    await answer().getByText(id).first().waitFor()
    await choose('Delete')
    expect(await send()).toBe('200 OK')
    expect((await app.call(`/Place/${id}`)).status).toBe(404)
  })

  it('runs an action with the form that its metadata describe, and cancels one that takes long', async () => {
    await choose('Action', 'Product')
    await page.getByLabel('Action (required)').selectOption('raise')
    await page.getByLabel('Row id').fill('2')
    await page.getByLabel('By (by) (required)').fill('3')
    await page.getByLabel('Reason').selectOption('costs')
    await expect.poll(() => page.getByLabel('curl command').textContent()).toContain(`-d '{"by":"3","reason":"costs"}'`)
    expect(await send()).toBe('200 OK')
    await answer().getByText('3.25').waitFor()
    await page.getByLabel('Action (required)').selectOption('wait')
    await page.getByRole('button', { name: 'Send' }).click()
    await answer().getByText('Waiting …').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await answer().getByText('Cancelled.').waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
  })

  it('knows the other operations', async () => {
    await choose('Index search', 'Product')
    await page.getByLabel('Search text').fill('app*')
    expect(await send()).toBe('200 OK')
    await answer().getByText('1 item', { exact: true }).waitFor()
    await choose('Pivot table')
    await page.getByLabel('Pivot table (required)').selectOption('kinds')
    expect(await send()).toBe('200 OK')
    const table = page.getByRole('region', { name: 'Pivot table' })
    await expect.poll(() => table.getByRole('columnheader').allTextContents()).toEqual(['Kind', 'Total'])
    await expect
      .poll(() => table.getByRole('row').allTextContents())
      .toEqual(['KindTotal', '(empty)2', 'fruit1', 'tool1', 'Total4'])
    await page.getByRole('tab', { name: 'Chart' }).click()
    await expect.poll(() => page.locator('.bars > div').allTextContents()).toEqual(['(empty)2', 'fruit1', 'tool1'])

    await choose('Create or update by key')
    await page.getByLabel('Functional key').fill('K')
    const body = page.getByLabel('Body (JSON)')
    await body.fill('{"prd_name":"Kite"}')
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Dry run').check()
    expect(await send()).toBe('200 OK')
    expect((await app.call('/Product/?prd_code=K&_count=true')).body.count).toBe(0)
    await choose('Batch')
    await body.fill(
      '[{"action":"create","values":{"prd_code":"K","prd_name":"Kite"}}, {"action":"create","values":{}}]',
    )
    expect(await send()).toBe('400 Bad Request')
    await page.getByLabel('All or nothing').uncheck()
    expect(await send()).toBe('200 OK')
    await answer().getByText('2 items').waitFor()

    await choose('Publication')
    await page.getByLabel('Publication (required)').selectOption('sheet')
    await page.getByLabel('Row id').fill('1')
    expect(await send()).toBe('200 OK')
    await page.frameLocator('iframe.html').getByRole('heading', { name: 'Apple' }).waitFor()
    await page.getByLabel('Publication (required)').selectOption('list')
    expect(await send()).toBe('200 OK')
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download list.csv' }).click()
    expect((await saved).suggestedFilename()).toBe('list.csv')

    await choose('Action')
    await page.getByLabel('Action (required)').selectOption('crawl')
    await page.getByLabel('Dry run').uncheck()
    expect(await send()).toBe('202 Accepted')
    await page.getByRole('button', { name: 'Check progress' }).click()
    await answer().getByText('running').waitFor()
    await choose('Stop of a background action')
    expect(await send()).toBe('200 OK')
  })

  it('takes files, and shows pictures', async () => {
    const idOf = async (code: string) => String((await app.call(`/Product/?prd_code=${code}`)).body[0].row_id)
    await choose('Download of a document', 'Product')
    await page.getByLabel('Row id').fill(await idOf('P'))
    await page.getByLabel('Field (required)').selectOption('prd_picture')
    expect(await send()).toBe('200 OK')
    await answer().getByText('320 × 200').waitFor()
    await choose('Upload of a document')
    await page.getByLabel('Row id').fill(await idOf('B'))
    const buffer = await sharp({ create: { width: 50, height: 40, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    await page.getByLabel('File (required)').setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer })
    await expect.poll(() => page.getByLabel('curl command').textContent()).toContain(`--data-binary '@red.png'`)
    expect(await send()).toBe('200 OK')
    await choose('Thumbnail')
    expect(await send()).toBe('200 OK')
    await answer().getByText('50 × 40').waitFor()
  })

  it('shows documentation as pages and pictures as pictures', async () => {
    await choose('Documentation', 'Product')
    expect(await send()).toBe('200 OK')
    await page.locator('.markdown').getByRole('heading').first().waitFor()
    await page.getByLabel('Format').selectOption('html')
    expect(await send()).toBe('200 OK')
    await page.frameLocator('iframe.html').getByRole('heading').first().waitFor()
    await page.getByLabel('Format').selectOption('openapi')
    expect(await send()).toBe('200 OK')
    await answer().getByText('3.1').first().waitFor()
    await choose('Metadata')
    expect(await send()).toBe('200 OK')
    await answer().getByText('rowidfield').waitFor()

    await choose('Get')
    await page.getByLabel('Row id').fill('3')
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Contents of documents and images').check()
    expect(await send()).toBe('200 OK')
    const picture = page.getByAltText('pear.png')
    await picture.waitFor()
    await answer().getByText('320 × 200').waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download pear.png' }).click()
    expect((await saved).suggestedFilename()).toBe('pear.png')
  })

  it('runs nothing of what records and answers hold', async () => {
    await choose('Search', 'Product')
    expect(await send()).toBe('200 OK')
    await answer().getByRole('cell', { name: '<img src=x' }).waitFor()
    await page.getByRole('tab', { name: 'Tree' }).click()
    await page.locator('.tree summary').last().click()
    await answer().getByText(hostile).first().waitFor()

    const evil = `${hostile}<style>h1 { color: rgb(1, 2, 3) } @import 'https://evil.example/x.css';
      p { background: url(https://evil.example/y.png) }</style><h1 style="font-style: italic" onclick="window.hacked=1">Title</h1>
      <p id="p">Text <a href="javascript:parent.hacked=1">one</a> <a href="#p">two</a></p><svg onload="parent.hacked=1"></svg>
      <iframe srcdoc="<script>parent.hacked=1</script>"></iframe><form action="https://evil.example"><button>Go</button></form>
      <img src="https://evil.example/z.png"><img src="/api/rest/Product/1"><meta http-equiv="refresh" content="0;url=https://evil.example">
      <base href="https://evil.example/"><link rel="stylesheet" href="https://evil.example/x.css"><math><mi xlink:href="data:x"></math>`
    await page.route('**/Product/?_doc=true*', (route) => {
      const html = route.request().url().includes('html')
      return route.fulfill({
        contentType: html ? 'text/html' : 'text/markdown',
        body: html ? evil : `# Head\n\n${evil}\n\n[x](javascript:hacked=1)`,
      })
    })
    await choose('Documentation')
    expect(await send()).toBe('200 OK')
    await page.locator('.markdown').getByText('Title').click()
    await page.locator('.markdown').getByText('two').click()
    expect(await page.locator('.markdown').innerHTML()).not.toMatch(/evil|onclick|javascript|<iframe|<form|style=/)
    await page.getByLabel('Format').selectOption('html')
    expect(await send()).toBe('200 OK')
    // By way of the page, because nothing can run in the frame.
    const inside = (expression: string) =>
      page.evaluate(`((inner) => ${expression})(document.querySelector('iframe.html').contentDocument)`)
    const title = "inner.defaultView.getComputedStyle(inner.querySelector('h1'))"
    await expect.poll(() => inside(`[${title}.color, ${title}.fontStyle]`)).toEqual(['rgb(1, 2, 3)', 'italic'])
    expect(await inside('inner.documentElement.outerHTML')).not.toMatch(
      /evil|onclick|javascript|script|<iframe|<form|<svg/,
    )
    await inside("inner.querySelectorAll('h1, a').forEach((element) => element.click())")
    await page.getByRole('tab', { name: 'Text' }).click()
    await answer().getByText('window.hacked').first().waitFor()
    // What is left out is refused besides, while the markup is parsed.
    const problems = watched.problems.splice(0)
    expect(problems.filter((text) => !/violates the following Content Security Policy/.test(text))).toEqual([])
  })

  it('shows long answers piece by piece', async () => {
    const rows = Array.from({ length: 25_000 }, (_, at) => ({ row_id: String(at), text: 'x'.repeat(400) }))
    await page.route('**/Product/', (route) => route.fulfill({ json: rows }))
    await choose('Search', 'Product')
    expect(await send()).toBe('200 OK')
    await answer().getByText('25,000 items').waitFor()
    await expect.poll(() => answer().getByRole('row').count()).toBe(101)
    await page.getByRole('button', { name: 'Show 100 more of 24,900' }).click()
    await expect.poll(() => answer().getByRole('row').count()).toBe(201)
    await page.getByRole('tab', { name: 'Tree' }).click()
    await expect.poll(() => page.locator('.tree li').count()).toBe(100)
    await page.getByRole('button', { name: 'Show 100 more of 24,900' }).click()
    await expect.poll(() => page.locator('.tree > ul > li').count()).toBe(200)
    await page.locator('.tree summary').first().click()
    await page.getByRole('button', { name: 'Show all 400 characters' }).click()
    await page.getByRole('tab', { name: 'Text' }).click()
    await page.getByRole('button', { name: /^Show more/ }).waitFor()
    await expect.poll(async () => (await page.locator('pre.text').textContent())?.length).toBe(50_000)
  })

  it('is used with the keyboard alone', async () => {
    const { keyboard } = page
    const focused = () =>
      page.evaluate("document.activeElement.getAttribute('name') ?? document.activeElement.textContent")
    /** Tabs until the focus is there, and sees that it shows. */
    const tabTo = async (name: string) => {
      for (let presses = 0; (await focused()) !== name; presses++) {
        expect(presses, `Tab does not lead to ${name}`).toBeLessThan(60)
        await keyboard.press('Tab')
      }
      await expect.poll(() => page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    }
    await tabTo('Sign out')
    await keyboard.press('Enter')
    await page.getByLabel('Login').focus()
    await keyboard.type('admin')
    await keyboard.press('Tab')
    await keyboard.type('secret-word')
    await keyboard.press('Enter')
    await workbench()
    await page.locator('[name=object]').locator('option', { hasText: 'Product' }).waitFor({ state: 'attached' })
    await tabTo('object')
    await keyboard.type('Product')
    await tabTo('operation')
    await keyboard.type('Count')
    await keyboard.press('Control+Enter')
    await page.getByRole('status').filter({ hasText: '200 OK' }).waitFor()
    await tabTo('Send')
    await tabTo('Tree')
    await keyboard.press('ArrowRight')
    await expect.poll(() => page.getByRole('tab', { name: 'Text' }).getAttribute('aria-selected')).toBe('true')
    await keyboard.press('End')
    await expect.poll(focused).toBe('Headers')
    await keyboard.press('Home')
    await keyboard.press('Tab')
    await expect.poll(() => page.evaluate("document.activeElement.getAttribute('role')")).toBe('tabpanel')
  })

  it('finds objects, operations and earlier requests with Ctrl+K', async () => {
    const { keyboard } = page
    const palette = page.getByRole('dialog', { name: 'Search and commands' })
    const lines = palette.getByRole('option')
    const operation = page.locator('[name=operation]')
    const object = page.locator('[name=object]')
    await object.locator('option', { hasText: 'Product' }).waitFor({ state: 'attached' })
    await keyboard.press('Control+k')
    await keyboard.type('prod count')
    await expect.poll(() => lines.allTextContents()).toEqual(['CountProduct'])
    await keyboard.press('Enter')
    await expect.poll(() => operation.inputValue()).toBe('count')
    await expect.poll(() => object.inputValue()).toBe('Product')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('operation')
    expect(await send()).toBe('200 OK')

    // The object in the form has its actions, too.
    await page.getByRole('button', { name: 'Search and commands' }).click()
    await keyboard.type('raise')
    await keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('Action (required)').inputValue()).toBe('raise')
    await keyboard.press('Control+k')
    await keyboard.type('place')
    await lines.first().waitFor()
    await expect.poll(() => lines.first().textContent()).toBe('PlaceSearch one page')
    await keyboard.press('Enter')
    await expect.poll(() => object.inputValue()).toBe('Place')

    await keyboard.press('Control+k')
    await keyboard.type('get history')
    await expect.poll(() => lines.allTextContents()).toEqual(['GET /Product/?_count=trueHistory: status 200'])
    await keyboard.press('Enter')
    await expect.poll(() => operation.inputValue()).toBe('count')
    await expect.poll(() => object.inputValue()).toBe('Product')

    await keyboard.press('Control+k')
    await keyboard.type('no such thing')
    await palette.getByText('Nothing found').waitFor()
    await keyboard.press('Control+Enter')
    await keyboard.press('Escape')
    await expect.poll(() => palette.count()).toBe(0)
    await expect.poll(() => history().count()).toBe(1)
  })

  /**
   * Texts in English that another language has other words for, as far as the page shows them. Documentation comes from
   * the service, in English.
   */
  async function englishLeft(texts: Readonly<Record<string, unknown>>): Promise<string[]> {
    const shown = new Set(
      (await page.evaluate(`[...document.querySelectorAll(':not(.markdown, .markdown *)')].flatMap((element) => [
        ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()),
        ...['aria-label', 'title', 'placeholder', 'label', 'alt'].map((name) => element.getAttribute(name)),
      ])`)) as string[],
    )
    // The application has a field of the name "Picture".
    for (const one of ['Picture', ...Object.values(texts)]) shown.delete(String(one))
    return Object.values(en).filter((text) => typeof text === 'string' && shown.has(text)) as string[]
  }

  it.each([
    ['fr-CH', fr, 'Testeur REST'],
    ['de-AT', de, 'REST-Tester'],
  ] as const)('speaks the language of a browser with %s, or the one that is chosen', async (locale, texts, title) => {
    const before = page
    const other = await openPage(browser(), address(), { locale })
    page = other.page
    try {
      await expect.poll(() => page.title()).toBe(`Shop · ${title}`)
      await expect.poll(() => englishLeft(texts)).toEqual([])
      await page.getByLabel(texts['signin.login'] as string).fill('admin')
      await page.locator('[type=password]').fill('secret-word')
      await page.locator('[type=submit]').click()
      await page.getByRole('heading', { name: texts.request as string }).waitFor()
      const complaint = () => page.getByRole('alert').filter({ hasText: /\w/ })
      // Not that of the request before.
      const failure = () => page.locator('#answer:has(.asked:not(.stale)) .failure')
      const operations = {
        indexSearch: complaint,
        page: () => page.getByRole('region', { name: texts.records as string }),
        create: failure,
        publication: complaint,
        batch: failure,
        documentation: () => page.locator('.markdown table').first(),
      }
      for (const [operation, whatFollows] of Object.entries(operations)) {
        await page.goto(`${address()}#/Product/${operation}`)
        await page.locator('[name=object] option', { hasText: 'Product' }).waitFor({ state: 'attached' })
        await expect.poll(() => page.locator('[name=operation]').inputValue()).toBe(operation)
        await page.locator('.send button').click()
        await whatFollows().waitFor()
        expect(await englishLeft(texts)).toEqual([])
      }
      await keepScreenshot(page, `tester-${locale}`)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.locator('.preferences-button').click()
      await page.getByText(/^Steward \d+\.\d+\.\d+$/).waitFor()
      await page.locator('#preferences select').first().selectOption('en')
      await workbench()
      expect(other.problems).toEqual([])
    } finally {
      page = before
      await other.close()
    }
  })

  const looks = [
    [360, 'dark'],
    [1280, 'light'],
    ...(process.env['TEST_DEEP'] === '1'
      ? ([
          [360, 'light'],
          [1280, 'dark'],
        ] as const)
      : []),
  ] as const

  async function checkLook(name: string): Promise<void> {
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await keepScreenshot(page, `tester-${name}`)
  }

  it.each(looks)('is accessible and fits at %d pixels, %s', { tags: 'core' }, async (width, colorScheme) => {
    const look = `${width}-${colorScheme}`
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await choose('Search one page', 'Product')
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('group', { name: 'Filter 1' }).getByLabel('Field').selectOption('prd_name')
    await page.getByText('Fields to return').click()
    await page.getByText('curl', { exact: true }).click()
    expect(await send()).toBe('200 OK')
    await checkLook(`search-${look}`)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    await checkLook(`palette-${look}`)
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Tree' }).click()
    await page.locator('.tree summary').first().click()
    await checkLook(`tree-${look}`)
    await choose('Pivot table')
    await page.getByLabel('Pivot table (required)').selectOption('kinds')
    expect(await send()).toBe('200 OK')
    await checkLook(`pivot-${look}`)
    await choose('Create')
    await page.getByText('Form', { exact: true }).click()
    await page.getByLabel('Price (prd_price)').fill('-1')
    expect(await send()).toBe('400 Bad Request')
    await page.getByRole('form', { name: 'Request' }).getByText('at least 0').waitFor()
    await checkLook(`errors-${look}`)
    // Its start has all kinds of things; the whole takes long to be checked.
    await page.route(/_doc=true$/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).slice(0, 6000) })
    })
    await choose('Documentation')
    expect(await send()).toBe('200 OK')
    await page.locator('.markdown h1').waitFor()
    await checkLook(`documentation-${look}`)
  })

  it('is accessible before the user has signed in, too', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    for (const [width, colorScheme] of looks) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await checkLook(`sign-in-${width}-${colorScheme}`)
    }
  })
})
