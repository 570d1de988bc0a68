/** @module-tag mixed */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@steward/rest-client'
import type { Page, Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityProblems,
  keepScreenshot,
  needsBrowser,
  openPage,
  scrollsSideways,
  type WatchedPage,
} from './browser.js'
import { startApp, type RunningApp } from './programs/app-server.js'
import { freshDatabase, needs } from './servers/index.js'

const files = {
  'app.yaml': 'name: shop\ntitle: Shop for fruit, tools and all the rest\nversion: 1.0.0\nlog: { level: warn }\n',
  'objects/maker.yaml': `
name: Maker
pluralLabel: Makers
indexable: true
fields:
  mak_name: { type: string, length: 80, key: true, label: Name }
`,
  'objects/product.yaml': `
name: Product
pluralLabel: Products
fields:
  prd_code: { type: string, length: 20, key: true, label: Code }
  prd_name: { type: string, length: 200, required: true, label: Name }
  prd_kind: { type: enum, values: [{ code: fruit, label: Fruit }, { code: tool, label: Tool }], label: Kind }
  prd_price: { type: decimal, min: 0, label: Price }
  prd_since: { type: date, label: Since }
  prd_active: { type: boolean, label: Active }
  prd_maker_id: { type: reference, object: Maker, display: [mak_name], label: Maker }
  prd_margin: { type: string, length: 40, label: Margin }
order: [prd_code]
crosstabs:
  months:
    label: Kinds by month
    lines: [{ field: prd_kind, label: Kind }]
    columns: [{ field: prd_since, by: month }]
    values: [{ function: count }, { function: sum, field: prd_price, name: sum, label: Sum of prices }]
  active:
    label: Active products
    lines: [{ field: prd_active, label: Active }]
`,
}

const count = 150
/** In a field that some users may not see. */
const secret = 'twelve percent'

const products = Array.from({ length: count }, (_, at) => ({
  prd_code: `P${String(at + 1).padStart(3, '0')}`,
  prd_name: at === 0 ? '<b>Apple</b>, 100% red' : `Product ${at + 1}`,
  prd_kind: at % 10 === 0 ? 'fruit' : 'tool',
  prd_price: at + 0.5,
  prd_since: `2020-01-${String((at % 28) + 1).padStart(2, '0')}`,
  prd_active: at % 2 === 0,
  prd_margin: secret,
}))

/** Runs code that the pages show, and gives its answer. */
async function runModule(code: string): Promise<unknown> {
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor
  const run = new AsyncFunction('createClient', 'process', `${code.replace(/^import .*$/m, '')}\nreturn answer`) as (
    ...values: readonly unknown[]
  ) => Promise<unknown>
  return run(createClient, { env: { PASSWORD: 'secret-word' } })
}

/** Keys that are pressed before it has gone are not for the page. */
async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

let folder: string
let app: RunningApp

async function create(object: string, body: object): Promise<string> {
  const { status, body: answer } = await app.call(`/${object}`, { method: 'POST', body })
  expect([status, answer]).toEqual([200, expect.objectContaining({ row_id: expect.any(String) })])
  return answer.row_id
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-records-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  app = await startApp([folder], { password: 'secret-word' })
  const maker = await create('Maker', { mak_name: 'Orchard & Sons' })
  await app.call('/Product/_batch', {
    method: 'POST',
    body: products.map((values, at) => ({
      action: 'create',
      values: at === 0 ? { ...values, prd_maker_id: maker } : values,
    })),
  })
  const group = await create('Group', { grp_name: 'READERS' })
  const reader = await create('User', { usr_login: 'reader', usr_password: 'reader-word' })
  await create('Responsibility', { rsp_login_id: reader, rsp_group_id: group })
  await create('Grant', {
    grt_group_id: group,
    grt_object: 'Product',
    grt_rights: 'R',
    grt_hidden_fields: 'prd_margin',
  })
})
afterAll(async () => {
  await app?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const html = { Accept: 'text/html,*/*;q=0.8' }

describe('the front door', () => {
  it.each([
    ['/', '/ui/'],
    ['/ui', '/ui/'],
    ['/shop', '/shop/ui/'],
    ['/shop/', '/shop/ui/'],
  ])('leads browsers from %s to %s; programs get 404 as JSON', async (path, to) => {
    const page = await fetch(app.origin + path, { headers: html })
    expect([new URL(page.url).pathname, page.status]).toEqual([to, 200])
    const program = await fetch(app.origin + path)
    expect([program.status, await program.json()]).toEqual([404, expect.objectContaining({ code: 'ERR_NOT_FOUND' })])
  })

  it('has the page at every address below /ui/, tagged, with a strict policy', async () => {
    const first = await fetch(`${app.origin}/ui/Product/12`)
    expect(first.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    expect(await first.text()).toContain('<base href="../"')
    const tag = first.headers.get('etag') ?? ''
    const again = await fetch(`${app.origin}/ui/Product/12`, {
      headers: { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' },
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('has an icon, compressed files to be kept for ever, and no other files', async () => {
    const icon = await fetch(`${app.origin}/favicon.ico`)
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png'])
    const page = await (await fetch(`${app.origin}/ui/`)).text()
    const script = /assets\/index-[^"]+\.js/.exec(page)?.[0] ?? ''
    const file = await fetch(`${app.origin}/ui/${script}`, { headers: { 'Accept-Encoding': 'br' } })
    expect(file.headers.get('content-encoding')).toBe('br')
    expect(file.headers.get('cache-control')).toContain('immutable')
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
    for (const path of ['assets/gone.js', 'assets/..%2findex.html', 'assets/%'])
      expect([path, (await fetch(`${app.origin}/ui/${path}`)).status]).toEqual([path, 404])
  })
})

needsBrowser((browser) => {
  let watched: WatchedPage
  let page: Page

  beforeAll(async () => {
    watched = await openPage(browser(), `${app.origin}/`)
    page = watched.page
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

  const row = (on: Page, text: string) => on.getByRole('row').filter({ hasText: text })
  const isShown = (path: string) => page.waitForURL(app.origin + path)

  it('signs in with a user of the application, and keeps no password', async () => {
    await signIn(page, 'admin', 'wrong')
    await page.getByRole('alert').filter({ hasText: 'Wrong user name or password.' }).waitFor()
    await signIn(page, 'admin', 'secret-word')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await expect.poll(() => page.title()).toBe('Home · Shop for fruit, tools and all the rest')
    const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie')
    expect(kept).not.toContain('secret-word')
    await page.reload()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('shows the objects with their counts, those of the system apart', async () => {
    const main = page.getByRole('main')
    await main.getByRole('link', { name: `Products ${count}` }).waitFor()
    await main.getByRole('link', { name: 'Makers 1' }).waitFor()
    expect(await main.getByRole('link', { name: 'Grants' }).isVisible()).toBe(false)
    await main.getByText('System', { exact: true }).click()
    await main.getByRole('link', { name: 'Grants' }).waitFor()
  })

  it('finds words in all objects, with an index and without', async () => {
    await page.getByRole('searchbox').fill('orch')
    const found = page.getByRole('list', { name: '2 records found' })
    await found.getByText('Maker', { exact: true }).waitFor()
    await found.getByRole('link', { name: /^P001 / }).waitFor()
    await isShown('/ui/?_q=orch')
    await found.getByRole('link', { name: 'Orchard & Sons' }).click()
    await page.getByRole('heading', { name: 'Orchard & Sons' }).waitFor()
    await page.goBack()
    await page.getByRole('searchbox').fill('nowhere')
    await page.getByText('No matching records').waitFor()
    await page.goto(`${app.origin}/ui/`)
  })

  it('lists records by their metadata, more of them as one scrolls', async () => {
    await page.getByRole('main').getByRole('link', { name: 'Products' }).click()
    await page.getByText(`${count} records`).waitFor()
    await expect
      .poll(() => page.getByRole('columnheader').allTextContents())
      .toEqual(['', 'Code', 'Name', 'Kind', 'Price', 'Since', 'Active', 'Maker'])
    await row(page, '<b>Apple</b>').getByText('Orchard & Sons').waitFor()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await row(page, `P${count}`).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
  })

  it('has filters, sort and words in the address, and the back button undoes them', async () => {
    await page.goto(`${app.origin}/ui/Product`)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Field').selectOption({ label: 'Kind' })
    await page.getByLabel('Fruit').check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('15 records').waitFor()
    await isShown('/ui/Product?prd_kind=is%3Afruit')
    await page.getByRole('button', { name: 'Price' }).click()
    await page.getByRole('button', { name: 'Price' }).click()
    await isShown('/ui/Product?_order=-prd_price&prd_kind=is%3Afruit')
    await page.getByRole('row').nth(1).getByText('P141').waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Field').selectOption({ label: 'Price' })
    await page.getByLabel('To').fill('40')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('4 records').waitFor()
    await page.goBack()
    await page.getByText('15 records').waitFor()
    await page.goBack()
    await page.goBack()
    await page.goBack()
    await page.getByText(`${count} records`).waitFor()
    await isShown('/ui/Product')
    await page.getByRole('searchbox').fill('100% red')
    await page.getByText('1 record', { exact: true }).waitFor()
    await isShown('/ui/Product?_q=100%25+red')
    await page.goto(`${app.origin}/ui/Product?prd_name=has%3Anone&prd_since=from%3A2020-01-02%3B`)
    await page.getByText('No matching records').waitFor()
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await page.getByText(`${count} records`).waitFor()
  })

  it('shows the columns that were chosen, after a reload too', async () => {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByLabel('Active').uncheck()
    await page.getByLabel('Margin').check()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Margin' }).waitFor()
    await expect.poll(() => page.getByRole('columnheader', { name: 'Active' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Default columns' }).click()
    await page.getByRole('columnheader', { name: 'Active' }).waitFor()
  })

  it('exports and deletes what is selected', async () => {
    await page.goto(`${app.origin}/ui/Product?_order=-prd_code`)
    await page.getByLabel('Select P150 Product 150').check()
    await page.getByLabel('Select P149 Product 149').check()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ])
    expect(await readFile(await download.path(), 'utf8')).toBe(
      '\uFEFFCode,Name,Kind,Price,Since,Active,Maker\r\nP150,Product 150,Tool,149.50,2020-01-10,No,\r\nP149,Product 149,Tool,148.50,2020-01-09,Yes,\r\n',
    )
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 records deleted').waitFor()
    await page.getByText(`${count - 2} records`).waitFor()
    expect((await app.call('/Product/?_count=true')).body.count).toBe(count - 2)
  })

  it('changes a field of all selected records, or of none', async () => {
    await page.goto(`${app.origin}/ui/Product?_order=-prd_code`)
    const select = async () => {
      await page.getByLabel('Select P148 Product 148').check()
      await page.getByLabel('Select P147 Product 147').check()
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      await page.getByLabel('Field').selectOption({ label: 'Price' })
    }
    await select()
    const dialog = page.getByRole('dialog', { name: 'Change 2 records' })
    expect(await dialog.getByLabel('Field').locator('option').allTextContents()).not.toContain('Code')
    await dialog.getByLabel('New value').fill('-1')
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('New value').fill('1200')
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await page.getByText('2 records changed').waitFor()
    await row(page, 'P147').getByText('1,200').waitFor()
    const { body } = await app.call('/Product/?prd_price=1200&_order=prd_code')
    expect(body.map((one: { prd_code: string }) => one.prd_code)).toEqual(['P147', 'P148'])
  })

  it('opens lists, records and forms from the palette', async () => {
    await page.goto(`${app.origin}/ui/`)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.keyboard.press('Control+k')
    const words = page.getByRole('combobox', { name: 'Search and commands' })
    await words.fill('prod list')
    await page.getByRole('option', { name: 'Products', selected: true }).waitFor()
    await words.press('Enter')
    await isShown('/ui/Product')
    await page.getByText(`${count - 2} records`).waitFor()
    await page.getByRole('button', { name: 'Search and commands' }).click()
    await words.fill('orch')
    await page.getByRole('option', { name: 'Orchard & Sons' }).click()
    await page.getByRole('heading', { name: 'Orchard & Sons' }).waitFor()
    await page.keyboard.press('Control+k')
    await words.fill('nowhere')
    await page.getByRole('option', { name: 'Search “nowhere” in Products' }).waitFor()
    await words.fill('apple')
    await words.press('ArrowUp')
    await page.getByRole('option', { name: 'Search “apple” in Products', selected: true }).waitFor()
    await words.press('Enter')
    await isShown('/ui/Product?_q=apple')
    const search = page.getByRole('searchbox')
    await search.focus()
    await page.keyboard.press('Control+k')
    await words.waitFor()
    const focused = page.evaluate(`new Promise((resolve) => {
      const watch = new MutationObserver(() => document.querySelector('dialog') ?? resolve(document.activeElement.type))
      watch.observe(document.body, { childList: true, subtree: true })
    })`)
    await words.press('Escape')
    // The focus is there when the palette goes, not a moment later.
    expect(await focused).toBe('search')
  })

  it('works with keys: rows, selection, search, a new record, and a list of them', async () => {
    await page.goto(`${app.origin}/ui/Product`)
    await row(page, 'P002').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await expect
      .poll(() => page.getByRole('link', { name: 'P002' }).evaluate((link) => link.matches(':focus')))
      .toBe(true)
    await page.keyboard.press('x')
    await page.getByRole('group', { name: '1 selected' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await closeDialog(page)
    await page.keyboard.press('/')
    await page.keyboard.type('n')
    // What was searched for meanwhile changes neither the focus nor what is typed.
    await isShown('/ui/Product?_q=n')
    await page.keyboard.type('?')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('n?')
    await page.getByRole('heading', { name: 'Products' }).click()
    // The form comes after what was typed would be searched.
    await page.route('**/record-*.js', (loaded) => setTimeout(() => void loaded.continue(), 600))
    await page.keyboard.press('n')
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    await expect.poll(() => page.url()).toBe(`${app.origin}/ui/Product/_new`)
    await page.unroute('**/record-*.js')
  })

  it('shows each screen as an API call that gives what it shows', async () => {
    await page.goto(`${app.origin}/ui/Product?_order=-prd_price&_q=Product&prd_kind=is%3Afruit`)
    await row(page, 'P141').waitFor()
    const dialog = page.getByRole('dialog', { name: 'Show as API call' })
    const code = async () => {
      await page.getByRole('button', { name: 'Show as API call' }).click()
      await dialog.locator('pre').filter({ hasText: 'curl' }).waitFor()
      const curl = await dialog.locator('pre').innerText()
      await dialog.getByRole('tab', { name: 'rest-client' }).click()
      const text = await dialog.locator('pre').innerText()
      await dialog.getByRole('button', { name: 'Close' }).click()
      expect(curl + text).not.toContain('secret-word')
      return { curl, text }
    }
    const list = await code()
    const [, login, url = ''] = /^curl -u '(\w+)' '([^']+)'$/.exec(list.curl.replaceAll(String.raw`'\''`, '%27')) ?? []
    const Authorization = `Basic ${btoa(`${login}:secret-word`)}`
    const found = (await (await fetch(url, { headers: { Authorization } })).json()) as { prd_code: string }[]
    expect(found[0]?.prd_code).toBe('P141')
    const { records } = (await runModule(list.text)) as { records: { prd_code: string }[] }
    expect(records).toEqual(found)
    await page.goto(`${app.origin}/ui/Product/2`)
    await page.getByLabel('Name').waitFor()
    expect((await code()).curl).toMatch(/^curl -u 'admin' 'http[^']+\/Product\/2'$/)
    await page.getByLabel('Name').fill("It's new")
    const change = await code()
    expect(change.curl).toContain(`-X PUT -H 'content-type: application/json' -d '{"prd_name":"It'\\''s new"}'`)
    expect(await runModule(change.text)).toMatchObject({ row_id: '2', prd_name: "It's new" })
    await page.reload()
    await page.getByRole('heading', { name: "P002 It's new" }).waitFor()
  })

  it('shows a pivot table with totals and a chart; a cell leads to its records', async () => {
    await page.goto(`${app.origin}/ui/Product?prd_active=is%3Atrue`)
    await page.getByRole('link', { name: 'Kinds by month' }).click()
    await page.getByRole('heading', { name: 'Kinds by month' }).waitFor()
    await page.getByText('Active: Yes').waitFor()
    const cells = () => page.getByRole('row').evaluateAll((rows) => rows.map((one) => one.textContent))
    const all = products.slice(0, count - 2).filter((one) => one.prd_active)
    const fruits = all.filter((one) => one.prd_kind === 'fruit').length
    const tools = all.length - fruits
    await expect
      .poll(cells)
      .toEqual([
        'Kind2020-01Total',
        `Fruit${fruits}${fruits}`,
        `Tool${tools}${tools}`,
        `Total${all.length}${all.length}`,
      ])
    await page.getByLabel('Value').selectOption('Sum of prices')
    const sum = all.filter((one) => one.prd_kind === 'fruit').reduce((total, one) => total + one.prd_price, 0)
    await page
      .getByRole('link', { name: sum.toLocaleString('en') })
      .first()
      .waitFor()
    await page.getByRole('tab', { name: 'Chart' }).click()
    await page.getByRole('img', { name: /^2020-01: / }).waitFor()
    await page.getByRole('tab', { name: 'Table' }).click()
    await row(page, 'Fruit').getByRole('link').first().click()
    await isShown('/ui/Product?prd_active=is%3Atrue&prd_kind=is%3Afruit&prd_since=from%3A2020-01-01%3B2020-01-31')
    await page.getByText(`${fruits} records`).waitFor()
    await page.goto(`${app.origin}/ui/Product/pivot/active`)
    await page.getByRole('tab', { name: 'Chart' }).click()
    await page
      .getByRole('definition')
      .filter({ hasText: `${all.length}` })
      .first()
      .waitFor()
    await page.goto(`${app.origin}/ui/Product/pivot/none`)
    await page.getByRole('heading', { name: 'Nothing found at this address' }).waitFor()
  })

  it('leads to a record and along its references; bad addresses say so', async () => {
    await page.goto(`${app.origin}/ui/Product`)
    await page.getByRole('link', { name: 'P001' }).click()
    await page.getByRole('heading', { name: 'P001 <b>Apple</b>, 100% red' }).waitFor()
    await page.getByRole('link', { name: 'Orchard & Sons' }).click()
    await page.getByRole('heading', { name: 'Orchard & Sons' }).waitFor()
    for (const path of ['/ui/Product/99999', '/ui/Nothing', '/ui/Nothing/1', '/ui/a/b/c/d']) {
      await page.goto(app.origin + path)
      await page.getByRole('heading', { name: 'Nothing found at this address' }).waitFor()
    }
    await page.goto(`${app.origin}/ui/Product?no_field=has%3Ax`)
    await page.getByRole('alert').filter({ hasText: 'no_field' }).waitFor()
  })

  it('sends nothing of a field that the user may not see', async () => {
    const other = await openPage(browser(), `${app.origin}/ui/Product`)
    const bodies: Promise<string>[] = []
    const keep = (response: Response) => bodies.push(response.text().catch(() => ''))
    try {
      other.page.on('response', keep)
      await signIn(other.page, 'reader', 'reader-word')
      await row(other.page, 'P001').waitFor()
      await other.page.getByRole('button', { name: 'Columns' }).click()
      await expect.poll(() => other.page.getByLabel('Price').count()).toBe(1)
      expect(await other.page.getByLabel('Margin').count()).toBe(0)
      await other.page.getByLabel('Select P001').check()
      expect(await other.page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0)
      await other.page.getByRole('link', { name: 'P001' }).click()
      await other.page.getByRole('heading', { name: /^P001/ }).waitFor()
      const traffic = (await Promise.all(bodies)).join('\n') + (await other.page.content())
      expect(traffic).toContain('prd_price')
      expect(traffic).not.toContain('prd_margin')
      expect(traffic).not.toContain(secret)
      expect(other.problems).toEqual([])
    } finally {
      await other.close()
    }
  })

  it('asks for the password over the page when the session has ended, and signs out', async () => {
    await page.goto(`${app.origin}/ui/Product`)
    await row(page, 'P001').waitFor()
    // Any other request would be the first to be refused.
    await page.waitForLoadState('networkidle')
    const token = await page.evaluate<string>('JSON.parse(Object.values(sessionStorage)[0]).token')
    await fetch(`${app.origin}/api/logout`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
    await page.getByRole('searchbox').fill('Apple')
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    await expect.poll(() => page.getByRole('searchbox', { includeHidden: true }).inputValue()).toBe('Apple')
    await signIn(page, 'admin', 'secret-word')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('1 record', { exact: true }).waitFor()
    const next = await page.evaluate<string>('JSON.parse(Object.values(sessionStorage)[0]).token')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByText(/^Steward \d+\.\d+\.\d+$/).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('User name').waitFor()
    await expect
      .poll(async () => {
        const headers = { Authorization: `Bearer ${next}` }
        return (await fetch(`${app.origin}/api/rest/`, { headers })).status
      })
      .toBe(401)
  })

  it('changes the own password, of a user without rights, and says what is wrong at its field', async () => {
    await create('User', { usr_login: 'pat', usr_password: 'first word' })
    const { page: other, close } = await openPage(browser(), `${app.origin}/ui/`)
    try {
      await signIn(other, 'pat', 'first word')
      await other.getByRole('button', { name: 'Account' }).click()
      await other.getByRole('button', { name: 'Change password' }).click()
      const dialog = other.getByRole('dialog', { name: 'Change password' })
      const [present, next] = [dialog.getByLabel('Current password'), dialog.getByLabel('New password')]
      for (const [old, wanted, wrong, right, text] of [
        ['wrong', 'second word', present, next, 'The present password is wrong.'],
        ['first word', 'short', next, present, 'The new password must'],
      ] as const) {
        await present.fill(old)
        await next.fill(wanted)
        await dialog.getByRole('button', { name: 'Change', exact: true }).click()
        await dialog.getByText(text).waitFor()
        await expect.poll(() => wrong.getAttribute('aria-invalid')).toBe('true')
        expect(await right.getAttribute('aria-invalid')).toBe('false')
      }
      expect(await accessibilityProblems(other)).toEqual([])
      await next.fill('second word')
      await dialog.getByRole('button', { name: 'Change', exact: true }).click()
      await other.getByText('Password changed').waitFor()
      await other.reload()
      await other.getByRole('heading', { name: 'Home' }).waitFor()
      expect((await app.call('/', { as: 'pat:first word' })).status).toBe(401)
      expect((await app.call('/', { as: 'pat:second word' })).status).toBe(200)
    } finally {
      await close()
    }
  })

  it.each([
    [1280, 'light'],
    [360, 'dark'],
    ...(process.env['TEST_DEEP'] === '1'
      ? ([
          [360, 'light'],
          [1280, 'dark'],
        ] as const)
      : []),
  ] as const)('is accessible and fits at %d pixels, %s', { tags: 'core' }, async (width, colorScheme) => {
    const other = await openPage(browser(), `${app.origin}/ui/`, { width, colorScheme })
    const check = async (name: string) => {
      await keepScreenshot(other.page, `records-${name}-${width}-${colorScheme}`)
      expect([name, await accessibilityProblems(other.page)]).toEqual([name, []])
      expect([name, await scrollsSideways(other.page)]).toEqual([name, false])
    }
    const escape = () => closeDialog(other.page)
    try {
      await other.page.getByLabel('User name').waitFor()
      await check('sign-in')
      await signIn(other.page, 'admin', 'secret-word')
      await other.page.getByRole('link', { name: /^Products \d/ }).waitFor()
      await check('home')
      if (width === 360) {
        await other.page.getByRole('button', { name: 'Menu' }).click()
        await other.page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Makers' }).waitFor()
        const menu = await other.page.getByRole('button', { name: 'Menu' }).boundingBox()
        expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeLessThanOrEqual(width)
      }
      await other.page.goto(`${app.origin}/ui/Product?prd_kind=is%3Afruit&prd_price=from%3A1%3B40`)
      await other.page.getByText('P011').waitFor()
      await other.page.getByLabel('Select P011').check()
      await check('list')
      await other.page.getByRole('button', { name: 'Change', exact: true }).click()
      await other.page.getByLabel('New value').waitFor()
      await check('bulk-change')
      await escape()
      await other.page.keyboard.press('Control+k')
      await other.page.getByRole('option', { name: 'New Product' }).waitFor()
      await check('palette')
      await escape()
      await other.page.getByRole('button', { name: 'Show as API call' }).click()
      await other.page.locator('pre').filter({ hasText: 'curl' }).waitFor()
      await check('api-call')
      await escape()
      await other.page.getByRole('button', { name: 'Filter', exact: true }).click()
      await other.page.getByRole('dialog').waitFor()
      await check('filter')
      await other.page.goto(`${app.origin}/ui/Product/pivot/months`)
      await row(other.page, 'Fruit').waitFor()
      await check('pivot')
      await other.page.getByRole('tab', { name: 'Chart' }).click()
      await other.page.getByRole('img', { name: /^2020-01: / }).waitFor()
      await check('pivot-chart')
      await other.page.goto(`${app.origin}/ui/Product/1`)
      await other.page.getByRole('heading', { name: /^P001/ }).waitFor()
      await check('record')
      expect(other.problems).toEqual([])
    } finally {
      await other.close()
    }
  })

  needs('postgresql', (url) => {
    it('filters each type of field', async () => {
      const database = await freshDatabase(url)
      const other = await startApp([folder, '--data', join(folder, 'other')], {
        password: 'secret-word',
        env: { STEWARD_DATABASE: database.url },
      })
      const { page: list, close } = await openPage(browser(), `${other.origin}/ui/Product`)
      try {
        const body = products.slice(0, 30).map((values) => ({ action: 'create', values }))
        expect((await other.call('/Product/_batch', { method: 'POST', body })).status).toBe(200)
        await signIn(list, 'admin', 'secret-word')
        await row(list, 'P001').waitFor()
        for (const [query, records] of [
          ['', 30],
          ['_q=100%25+red', 1],
          ['prd_name=has%3A%25', 1],
          ['prd_kind=is%3Afruit', 3],
          ['prd_kind=is%3Afruit%2Ctool', 30],
          ['prd_price=from%3A10%3B20', 10],
          ['prd_since=from%3A2020-01-28%3B', 1],
          ['prd_active=is%3Atrue', 15],
          ['prd_maker_id__mak_name=empty', 30],
        ] as const) {
          await list.goto(`${other.origin}/ui/Product?${query}`)
          await list.getByText(records === 1 ? '1 record' : `${records} records`, { exact: true }).waitFor()
        }
      } finally {
        await close()
        await other.stop()
        await database.drop()
      }
    })
  })

  it('loads a view when the connection is back that could not be loaded without one, and before it is needed', async () => {
    const saving = await openPage(browser(), `${app.origin}/ui/Product`, { saveData: true })
    try {
      const own = saving.page
      await signIn(own, 'admin', 'secret-word')
      await own.getByRole('link', { name: 'P002' }).waitFor()
      await own.context().setOffline(true)
      await own.getByRole('link', { name: 'P002' }).click()
      await own.getByText('There is no connection. The page is shown when it is back.').waitFor()
      await keepScreenshot(own, 'records-view-offline')
      await own.context().setOffline(false)
      await own.getByRole('heading', { name: /^P002 / }).waitFor()
      await expect
        .poll(() => own.evaluate(`getComputedStyle(document.querySelector('.record-form')).display`))
        .toBe('grid')

      // The server is away, and no event of the browser reports when it is back.
      await own.route('**/assets/record-*.js', (route) => route.abort())
      await own.reload()
      await own.getByRole('heading', { name: 'This page could not be shown.' }).waitFor()
      await own.unroute('**/assets/record-*.js')
      await own.getByRole('heading', { name: /^P002 / }).waitFor()
    } finally {
      await saving.close()
    }
    const ahead = await openPage(browser(), `${app.origin}/ui/Product`)
    await signIn(ahead.page, 'admin', 'secret-word')
    const files = `performance.getEntriesByType('resource').map(({ name }) => name).join()`
    for (const view of ['record', 'pivot', 'admin'])
      await expect.poll(() => ahead.page.evaluate(files)).toMatch(new RegExp(`/assets/${view}-[^/]*\\.js`))
    await ahead.close()
  })

  it('speaks French to those who prefer it', async () => {
    const other = await openPage(browser(), `${app.origin}/ui/`, { locale: 'fr-FR' })
    try {
      await other.page.getByRole('button', { name: 'Se connecter' }).waitFor()
    } finally {
      await other.close()
    }
  })
})

it('is not there while USE_RECORDS_PAGES is no, without a restart', async () => {
  const id = await create('SystemParam', { sys_code: 'USE_RECORDS_PAGES', sys_value: 'no' })
  expect((await fetch(`${app.origin}/ui/`, { headers: html })).status).toBe(404)
  const start = await fetch(`${app.origin}/`, { headers: html })
  expect([start.status, new URL(start.url).pathname]).toEqual([200, '/'])
  expect(await start.text()).toContain('<h1>Shop for fruit')
  await app.call(`/SystemParam/${id}`, { method: 'DELETE' })
  expect((await fetch(`${app.origin}/ui/`, { headers: html })).status).toBe(200)
})
