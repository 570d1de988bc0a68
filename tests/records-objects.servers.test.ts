import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, openPage, scrollsSideways } from './browser.js'
import { startApp, type RunningApp } from './programs/app-server.js'

/** Beside those that the tests are about; the head has no room for all of them. */
const others = ['Bin', 'Carrier', 'Depot', 'Employee', 'Forecast', 'Invoice', 'Machine', 'Route', 'Supplier', 'Vehicle']

const files = {
  'app.yaml': 'name: shop\ntitle: Shop\nversion: 1.0.0\nlog: { level: warn }\n',
  ...Object.fromEntries(
    others.map((name) => [
      `objects/${name.toLowerCase()}.yaml`,
      `name: ${name}\npluralLabel: All ${name.toLowerCase()}s\nfields:\n  x_name: { type: string, length: 80, key: true, label: Name }\n`,
    ]),
  ),
  'objects/code.yaml': `
name: Code
pluralLabel: Codes
timestamps: false
fields:
  row_id: { type: id, column: id, values: string, readOnly: false }
  cod_name: { type: string, length: 80, key: true, label: Name }
`,
  'objects/customer.yaml': `
name: Customer
label: Customer
pluralLabel: Customers
fields:
  cus_name: { type: string, length: 80, key: true, label: Name }
  cus_vip: { type: boolean, label: VIP }
`,
  'objects/order.yaml': `
name: Order
label: Order
pluralLabel: Orders
fields:
  ord_number: { type: string, length: 20, key: true, label: Number }
  ord_owner: { type: string, length: 40, default: '[LOGIN]', label: Owner }
  ord_day: { type: date, default: '[DATE]', label: Ordered on }
  ord_customer_id: { type: reference, object: Customer, display: [cus_name], label: Customer }
  ord_pieces: { type: integer, max: 1000, label: Pieces }
  ord_opens: { type: datetime, zone: none, label: Opens }
  ord_seen: { type: datetime, label: Seen }
  ord_until: { type: date, extended: true, label: Until }
`,
  'objects/order.js': `
export default {
  actions: {
    due: {
      label: 'Due',
      scope: 'global',
      parameters: { day: { type: 'date', default: '[DATE]', label: 'Day' } },
      run: ({ parameters }) => (/^\\d{4}-\\d\\d-\\d\\d$/.test(parameters.day) ? 'Due on a day' : 'Never due'),
    },
  },
}
`,
  'objects/order-line.yaml': `
name: OrderLine
label: Order line
pluralLabel: Order lines
fields:
  lin_ord_id: { type: reference, object: Order, display: [ord_number], key: true, label: Order, onDelete: cascade }
  lin_number: { type: integer, key: true, label: Line }
  lin_price: { type: decimal, label: Price }
order: [lin_ord_id, lin_number]
`,
  'objects/delivery.yaml': `
name: Delivery
label: Delivery
pluralLabel: Deliveries
fields:
  dlv_number: { type: integer, key: true, label: Number }
  dlv_line_id: { type: reference, object: OrderLine, label: Line }
`,
  'objects/price.yaml': `
name: Price
label: Price
pluralLabel: Prices
fields:
  pri_country: { type: string, length: 2, key: true, label: Country }
  pri_year: { type: integer, key: true, label: Year }
  pri_amount: { type: decimal, label: Amount }
  pri_since: { type: date, label: Since }
`,
}

const lines = 65
let folder: string
let app: RunningApp
let order: string
let hidden: string

async function create(object: string, body: object): Promise<string> {
  const { status, body: answer } = await app.call(`/${object}`, { method: 'POST', body })
  expect([status, answer]).toEqual([200, expect.objectContaining({ row_id: expect.any(String) })])
  return answer.row_id
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-objects-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  app = await startApp([folder], { password: 'secret-word' })
  const vip = await create('Customer', { cus_name: 'Secret customer', cus_vip: true })
  order = await create('Order', { ord_number: 'O-1', ord_day: '2026-02-03', ord_until: 'infinity' })
  hidden = await create('Order', { ord_number: 'O-2', ord_customer_id: vip })
  await app.call('/OrderLine/_batch', {
    method: 'POST',
    body: Array.from({ length: lines }, (_, at) => ({
      action: 'create',
      values: { lin_ord_id: order, lin_number: at + 1, lin_price: at === 0 ? 39.8 : 15 },
    })),
  })
  for (const pri_year of [2025, 2026])
    await create('Price', { pri_country: 'CH', pri_year, pri_amount: 1234.5, pri_since: `${pri_year}-03-10` })
  const group = await create('Group', { grp_name: 'SALES' })
  const ann = await create('User', { usr_login: 'ann', usr_password: 'ann-word' })
  await create('Responsibility', { rsp_login_id: ann, rsp_group_id: group })
  for (const grt_object of ['Order', 'OrderLine'])
    await create('Grant', { grt_group_id: group, grt_object, grt_rights: 'CRUD' })
  await create('Grant', { grt_group_id: group, grt_object: 'Customer', grt_rights: 'R', grt_filter: 'cus_vip = false' })
})
afterAll(async () => {
  await app?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

needsBrowser((browser) => {
  let page: Page
  let close: () => Promise<void>

  async function signIn(on: Page, login: string, password: string): Promise<void> {
    await on.getByLabel('User name').fill(login)
    await on.getByLabel('Password').fill(password)
    await on.getByRole('button', { name: 'Sign in' }).click()
    await on.getByLabel('User name').waitFor({ state: 'detached' })
  }

  const reference = () =>
    page.frameLocator('iframe[title="API reference"]').getByRole('heading', { name: 'OrderLine' }).first()
  const open = (path: string) => page.goto(`${app.origin}/ui/${path}`)
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  const field = (label: string) => page.getByLabel(label, { exact: true })

  beforeAll(async () => {
    const watched = await openPage(browser(), `${app.origin}/ui/`, { locale: 'en-GB' })
    ;({ page } = watched)
    close = () => watched.close()
    await signIn(page, 'admin', 'secret-word')
  })
  afterAll(() => close?.())

  it('the head leads to every object, at each width, and shows the current one', async () => {
    const head = page.getByRole('navigation', { name: 'Main' })
    const all = [...others.map((name) => `All ${name.toLowerCase()}s`), 'Customers', 'Deliveries', 'Order lines']
    all.push('Codes', 'Orders', 'Prices')
    for (const width of [1280, 900]) {
      await page.setViewportSize({ width, height: 900 })
      await open('Vehicle')
      await expect.poll(() => head.locator('[aria-current]:visible').allTextContents()).toEqual(['All vehicles'])
      const links = head.getByRole('link')
      await expect.poll(() => links.count()).toBeLessThan(all.length)
      const shown = await links.allTextContents()
      await page.getByRole('button', { name: 'More objects' }).click()
      const menu = page.getByRole('menu', { name: 'More objects' })
      const inMenu = () => menu.getByRole('menuitem').allTextContents()
      const objects = shown.filter((one) => one !== 'Administration')
      await expect.poll(async () => objects.concat(await inMenu()).toSorted()).toEqual(all.toSorted())
      const more = await inMenu()
      await keepScreenshot(page, `objects-head-${width}`)
      expect(await scrollsSideways(page)).toBe(false)
      await menu.getByRole('menuitem').last().click()
      await page
        .getByRole('main')
        .getByRole('heading', { name: more.at(-1) ?? '' })
        .waitFor()
      await expect.poll(() => head.locator('[aria-current]:visible').allTextContents()).toEqual([more.at(-1)])
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  it('row 0 of a table that others made, and one that is called like an address of the pages, open as records', async () => {
    for (const [id, name] of [
      ['0', 'Zero'],
      ['_new', 'Underscore'],
    ]) {
      await create('Code', { row_id: id, cod_name: name })
      await open('Code')
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name, exact: true }).waitFor()
    }
    await open('Code')
    await page.getByRole('link', { name: 'New', exact: true }).click()
    await page.getByRole('heading', { name: 'New Code' }).waitFor()
    await open('Customer/0?cus_name=Given')
    await page.getByRole('heading', { name: 'New Customer' }).waitFor()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Given')
  })

  it('a record with a key of several fields is called by all of them, a reference by what it shows', async () => {
    await open('OrderLine')
    await page.getByLabel('Select O-1 · 2', { exact: true }).waitFor()
    await page.getByRole('row').nth(2).getByRole('link').click()
    await page.getByRole('heading', { name: 'O-1 · 2', exact: true }).waitFor()
    await open('Price')
    await page.getByLabel('Select CH · 2025').waitFor()
    await open('Delivery/0')
    await page.getByRole('heading', { name: 'New Delivery' }).waitFor()
    const picker = page.getByRole('combobox', { name: 'Line' })
    await picker.fill('O-1 64')
    await page.getByRole('option', { name: 'O-1 · 64', exact: true }).click()
    await page.getByLabel('Number').fill('10248')
    await save()
    await page.getByRole('heading', { name: '10248', exact: true }).waitFor()
    await expect.poll(() => picker.inputValue()).toMatch(/^O-1.*64$/)
  })

  it('numbers stand below the title of their column with the digits of their scale, keys have no separators', async () => {
    await open('OrderLine')
    const cell = page.getByRole('row').nth(1).getByRole('cell').nth(3)
    await expect.poll(() => cell.textContent()).toBe('39.80')
    await expect.poll(() => page.getByRole('row').nth(2).getByRole('cell').nth(3).textContent()).toBe('15.00')
    const right = (selector: string) =>
      page.evaluate<number>(`{
        const range = document.createRange()
        range.selectNodeContents(document.querySelector(${JSON.stringify(selector)}).firstChild)
        range.getBoundingClientRect().right
      }`)
    const [head, number] = [
      await right('th:nth-child(4) .sort'),
      await right('tbody tr:first-child td:nth-child(4) .unbroken'),
    ]
    expect(Math.abs(head - number)).toBeLessThan(2)
    await open('Price')
    await expect
      .poll(() => page.getByRole('row').nth(1).getByRole('cell').allTextContents())
      .toEqual(['', 'CH', '2025', '1,234.50', '10 Mar 2025'])
    await keepScreenshot(page, 'objects-numbers-1280')
  })

  it('related records have their number, more of them, and their place in the list', async () => {
    await open(`Order/${order}`)
    const related = page.getByRole('region', { name: 'Related records' })
    await related.getByText(`${lines} records`).waitFor()
    await expect.poll(() => related.getByRole('row').count()).toBe(21)
    await keepScreenshot(page, 'objects-related-1280')
    for (let shown = 40; shown <= 80; shown += 20) {
      await related.getByRole('button', { name: 'Load more' }).click()
      await expect
        .poll(() => related.getByRole('table').getAttribute('aria-rowcount'))
        .toBe(String(Math.min(shown, lines) + 1))
    }
    await expect.poll(() => related.getByRole('button', { name: 'Load more' }).count()).toBe(0)
    await related.getByRole('link', { name: 'Show in the list' }).click()
    await page.getByRole('heading', { name: 'Order lines' }).waitFor()
    await page.getByText(`${lines} records`).waitFor()
    await page.locator('.chip').getByText('Order: O-1').waitFor()
    await keepScreenshot(page, 'objects-related-list-1280')
  })

  it('the API reference is shown without another sign-in', async () => {
    const refused: string[] = []
    page.on('response', (answer) => answer.status() === 401 && refused.push(answer.url()))
    await open('')
    await page.getByRole('link', { name: 'API reference' }).click()
    await reference().waitFor()
    await keepScreenshot(page, 'objects-reference-1280')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'OpenAPI' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('openapi.json')
    expect(page.context().pages()).toHaveLength(1)
    expect(refused).toEqual([])
  })

  it('a new record and an action say what is filled in, and it is', async () => {
    await open('Order/0')
    await page.getByText('If left empty: your user name').waitFor()
    await page.getByText('If left empty: today').waitFor()
    await page.getByText('In UTC').waitFor()
    expect(await field('Seen').getAttribute('aria-describedby')).not.toBeNull()
    expect(await field('Opens').getAttribute('aria-describedby')).toBeNull()
    await expect.poll(() => field('Owner').inputValue()).toBe('')
    await keepScreenshot(page, 'objects-defaults-1280')
    await page.getByLabel('Number').fill('O-3')
    await save()
    await page.getByRole('heading', { name: 'O-3', exact: true }).waitFor()
    await expect.poll(() => field('Owner').inputValue()).toBe('admin')
    await expect.poll(() => field('Ordered on').inputValue()).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(await page.getByText('If left empty').count()).toBe(0)
    await open('Order')
    await page.getByRole('button', { name: 'Due' }).click()
    await page.getByRole('dialog').getByText('If left empty: today').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
    await page.getByRole('status').getByText('Due on a day', { exact: true }).first().waitFor()
  })

  it('a date that no date input of a browser can hold is shown and kept', async () => {
    await open(`Order/${order}`)
    await expect.poll(() => field('Until').inputValue()).toBe('infinity')
    await expect.poll(() => field('Ordered on').inputValue()).toBe('2026-02-03')
    await field('Until').fill('12026-01-31')
    await save()
    await page.getByRole('status').getByText('Saved', { exact: true }).first().waitFor()
    expect((await app.call(`/Order/${order}`)).body.ord_until).toBe('12026-01-31')
  })

  it('what is wrong with a field is said under its label without its code', async () => {
    await open(`Order/${order}`)
    await field('Pieces').fill('1001')
    await save()
    await page.getByText('Must be at most 1000, not 1001.', { exact: true }).waitFor()
    await field('Pieces').fill('')
  })

  it('a reference to a record that is not visible is no mistake, and leads nowhere', async () => {
    const { page: own, close: end } = await openPage(browser(), `${app.origin}/ui/Order/${hidden}`, { width: 390 })
    try {
      await signIn(own, 'ann', 'ann-word')
      const picker = own.getByRole('combobox', { name: 'Customer' })
      await expect.poll(() => picker.inputValue()).toBe('Not visible to you')
      expect(await own.locator('.field-error').count()).toBe(0)
      expect(await own.getByRole('link', { name: /^Open / }).count()).toBe(0)
      await own.getByLabel('Pieces').fill('3')
      await own.getByRole('button', { name: 'Save', exact: true }).click()
      await own.getByRole('status').getByText('Saved').first().waitFor()
      await keepScreenshot(own, 'objects-hidden-390')
    } finally {
      await end()
    }
  })

  it('is accessible and fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const [address, text] of [
      ['_reference', 'OpenAPI'],
      [`Order/${order}`, `${lines} records`],
      ['Price', 'CH'],
    ] as const) {
      await open(address)
      await page.getByText(text, { exact: true }).first().waitFor()
      if (address === '_reference') await reference().waitFor()
      await keepScreenshot(page, `objects-${address.replace('/', '-')}-390`)
      expect([address, await accessibilityProblems(page)]).toEqual([address, []])
      expect([address, await scrollsSideways(page)]).toEqual([address, false])
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  })
})
