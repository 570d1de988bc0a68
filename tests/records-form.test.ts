import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, openPage, scrollsSideways } from './browser.js'
import { startApp, type RunningApp } from './programs/app-server.js'

const files = {
  'app.yaml': 'name: shop\ntitle: Shop\nversion: 1.0.0\nlog: { level: warn }\n',
  'objects/maker.yaml': `
name: Maker
label: Maker
pluralLabel: Makers
fields:
  mak_name: { type: string, length: 80, key: true, label: Name }
`,
  'objects/product.yaml': `
name: Product
label: Product
pluralLabel: Products
areas: { main: Main, more: More }
audit: true
fields:
  prd_code: { type: string, length: 20, key: true, label: Code, area: main }
  prd_name: { type: string, length: 200, required: true, label: Name, area: main }
  prd_kind: { type: enum, default: tool, values: [{ code: fruit, label: Fruit }, { code: tool, label: Tool }], label: Kind, area: main }
  prd_tags: { type: multi-enum, values: [{ code: a, label: Alpha }, { code: b, label: Beta }], label: Tags, area: main }
  prd_stock: { type: integer, min: 0, label: Stock, area: more }
  prd_price: { type: decimal, min: 0, label: Price, area: more }
  prd_since: { type: date, label: Since, area: more }
  prd_seen: { type: datetime, label: Seen, area: more }
  prd_opens: { type: time, label: Opens, area: more }
  prd_active: { type: boolean, label: Active, area: more }
  prd_url: { type: url, label: Site, area: more }
  prd_mail: { type: email, label: Mail, area: more }
  prd_phone: { type: phone, label: Phone, area: more }
  prd_color: { type: color, label: Color, area: more }
  prd_place: { type: geocoords, label: Place, area: more }
  prd_note: { type: text, label: Note, area: more }
  prd_html: { type: html, label: Page, area: more }
  prd_file: { type: document, label: Manual, area: more }
  prd_maker_id: { type: reference, object: Maker, display: [mak_name], onDelete: setNull, label: Maker, area: more }
  prd_state: { type: enum, values: [{ code: draft, label: Draft }, { code: sold, label: Sold }, { code: gone, label: Gone }], label: State, area: main }
  prd_margin: { type: string, length: 40, label: Margin, area: more }
states:
  field: prd_state
  initial: draft
  transitions:
    - { from: [draft], to: sold }
    - { from: [sold], to: gone }
`,
}

/** In a field that some users may not see. */
const secret = 'twelve percent'
let folder: string
let app: RunningApp
let maker: string

async function create(object: string, body: object): Promise<string> {
  const { status, body: answer } = await app.call(`/${object}`, { method: 'POST', body })
  expect([status, answer]).toEqual([200, expect.objectContaining({ row_id: expect.any(String) })])
  return answer.row_id
}

const product = (id: string) => app.call(`/Product/${id}`).then(({ body }) => body)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-form-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  app = await startApp([folder], { password: 'secret-word' })
  maker = await create('Maker', { mak_name: "O'Neil & 100%" })
  await create('Maker', { mak_name: 'Another' })
  const group = await create('Group', { grp_name: 'READERS' })
  const reader = await create('User', { usr_login: 'reader', usr_password: 'reader-word' })
  await create('Responsibility', { rsp_login_id: reader, rsp_group_id: group })
  for (const [object, hidden] of [
    ['Product', 'prd_margin'],
    ['Maker', ''],
  ])
    await create('Grant', {
      grt_group_id: group,
      grt_object: object,
      grt_rights: 'R',
      ...(hidden && { grt_hidden_fields: hidden }),
    })
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

  beforeAll(async () => {
    const watched = await openPage(browser(), `${app.origin}/ui/`)
    ;({ page } = watched)
    close = () => watched.close()
    await signIn(page, 'admin', 'secret-word')
  })
  afterAll(() => close?.())

  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const said = (text: string) => page.getByRole('status').getByText(text, { exact: true }).first().waitFor()

  it('a new record: each type of field is written and read back', async () => {
    await page.goto(`${app.origin}/ui/Product`)
    await page.getByRole('link', { name: 'New', exact: true }).click()
    await page.getByRole('heading', { name: 'New Product' }).waitFor()
    const texts = {
      Stock: '12',
      Price: '3.5',
      Since: '2026-02-03',
      Seen: '2026-02-03T04:05:06',
      Opens: '07:08:09',
      Site: 'https://example.org/a',
      Mail: 'ada@example.org',
      Phone: '+4912345678',
      Color: '#aabbcc',
      Place: '48.5;9.25',
      Note: 'One\nTwo',
      Page: '<p>Text</p>',
    }
    await page.getByLabel('Code').fill('N1')
    await page.getByLabel('Name').fill('First')
    await expect.poll(() => page.getByLabel('Kind').inputValue()).toBe('tool')
    await page.getByLabel('Kind').selectOption('fruit')
    await field('Beta').check()
    await field('Active').check()
    for (const [label, text] of Object.entries(texts)) await field(label).fill(text)
    await field('Manual').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('read me') })
    await page.getByRole('combobox', { name: 'Maker' }).fill("o'neil & 100%")
    await page.getByRole('option', { name: "O'Neil & 100%" }).click()
    await save()
    await page.getByRole('heading', { name: 'N1 First' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) as string
    expect(await product(id)).toMatchObject({
      prd_code: 'N1',
      prd_kind: 'fruit',
      prd_tags: ['b'],
      prd_stock: 12,
      prd_price: 3.5,
      prd_since: '2026-02-03',
      prd_seen: '2026-02-03 04:05:06',
      prd_opens: '07:08:09',
      prd_active: true,
      prd_url: texts.Site,
      prd_mail: texts.Mail,
      prd_phone: texts.Phone,
      prd_color: texts.Color,
      prd_place: texts.Place,
      prd_note: texts.Note,
      prd_html: texts.Page,
      prd_maker_id: maker,
      prd_state: 'draft',
    })
    for (const [label, text] of Object.entries(texts))
      await expect.poll(() => field(label).inputValue(), { message: label }).toBe(text)
    await expect.poll(() => page.getByRole('combobox', { name: 'Maker' }).inputValue()).toBe("O'Neil & 100%")
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('a.txt')
  })

  it('what the service refuses is said at its field, which gets the focus', async () => {
    const id = await create('Product', { prd_code: 'E1', prd_name: 'Errors' })
    await page.goto(`${app.origin}/ui/Product/${id}`)
    await field('Price').fill('not a number')
    await page.getByLabel('Name').fill('')
    await save()
    await page.getByRole('alert').getByText('Not saved. Correct the marked fields.').waitFor()
    await page.locator('[aria-invalid=true]').first().waitFor()
    await expect.poll(() => page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => page.getByLabel('Name').getAttribute('aria-describedby')).toMatch(/error/)
    await expect
      .poll(() => page.getByLabel('Name').evaluate((input) => input === input.ownerDocument.activeElement))
      .toBe(true)
    expect((await product(id)).prd_name).toBe('Errors')
  })

  it('offers the states that come next, and no others', async () => {
    const id = await create('Product', { prd_code: 'S1', prd_name: 'States' })
    await page.goto(`${app.origin}/ui/Product/${id}`)
    const options = () => page.getByLabel('State').locator('option').allTextContents()
    await page.getByLabel('State').waitFor()
    await expect.poll(options).toEqual(['Draft', 'Sold'])
    await page.getByLabel('State').selectOption('sold')
    await save()
    await expect.poll(options).toEqual(['Sold', 'Gone'])
    expect((await product(id)).prd_state).toBe('sold')
  })

  it('shows a conflict field by field, and loses neither side', async () => {
    const id = await create('Product', { prd_code: 'C1', prd_name: 'Before', prd_note: 'old', prd_stock: 1 })
    await page.goto(`${app.origin}/ui/Product/${id}`)
    await page.getByLabel('Name').fill('Mine')
    await field('Note').fill('my note')
    await field('Phone').fill('+49111')
    const theirs = { prd_name: 'Theirs', prd_note: 'their note', prd_stock: 2 }
    await app.call(`/Product/${id}`, { method: 'PUT', body: theirs })
    await save()
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this record' })
    await dialog.waitFor()
    await expect.poll(() => dialog.getByRole('group').count()).toBe(2)
    await dialog.getByRole('group', { name: 'Name' }).getByLabel('Theirs: Theirs').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'C1 Theirs' }).waitFor()
    expect(await product(id)).toMatchObject({
      prd_name: 'Theirs',
      prd_note: 'my note',
      prd_phone: '+49111',
      prd_stock: 2,
    })
  })

  it('asks before unsaved changes are thrown away', async () => {
    const id = await create('Product', { prd_code: 'U1', prd_name: 'Unsaved' })
    await page.goto(`${app.origin}/ui/Product/${id}`)
    await page.getByLabel('Name').fill('Typed')
    await page.getByRole('main').getByRole('link', { name: 'Products' }).click()
    const dialog = page.getByRole('dialog', { name: 'Discard your changes?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Typed')
    await page.getByRole('main').getByRole('link', { name: 'Products' }).click()
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL(`${app.origin}/ui/Product`)
    expect((await product(id)).prd_name).toBe('Unsaved')
  })

  it('shows related records, adds one, copies, and says what a delete changes', async () => {
    const id = await create('Maker', { mak_name: 'Related' })
    await page.goto(`${app.origin}/ui/Maker/${id}`)
    await page.getByRole('link', { name: 'New Product' }).click()
    await page.getByLabel('Code').fill('R1')
    await page.getByLabel('Name').fill('Child')
    await expect.poll(() => page.getByRole('combobox', { name: 'Maker' }).inputValue()).toBe('Related')
    await save()
    await page.getByRole('heading', { name: 'R1 Child' }).waitFor()
    await page.getByRole('link', { name: 'Copy', exact: true }).click()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Child')
    await page.getByLabel('Code').fill('R2')
    await save()
    await page.getByRole('heading', { name: 'R2 Child' }).waitFor()
    await page.goto(`${app.origin}/ui/Maker/${id}`)
    await page.getByRole('link', { name: 'R1 Child' }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Related?' })
    await dialog.getByText('Products: 2 records lose this reference').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await said('Deleted')
    expect((await app.call(`/Maker/${id}`)).status).toBe(404)
  })

  it('tells who changed what, and brings a value of before back into the form', async () => {
    const id = await create('Product', { prd_code: 'T1', prd_name: 'First', prd_kind: 'fruit' })
    await page.goto(`${app.origin}/ui/Product/${id}`)
    await page.getByLabel('Name').fill('Second')
    await page.getByLabel('Kind').selectOption('tool')
    await save()
    const trail = page.getByRole('region', { name: 'History' })
    await trail.getByText('Second').waitFor()
    const latest = trail.getByRole('listitem').nth(0)
    const first = trail.getByRole('listitem').nth(1)
    await expect
      .poll(() => latest.innerText())
      .toMatch(/^admin changed .*\s+Name\s+First → Second\s+Restore this value\s+Kind\s+Fruit → Tool/)
    await expect.poll(() => first.innerText()).toMatch(/^admin created this record/)
    await latest.getByRole('button', { name: 'Restore this value' }).first().click()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('First')
    expect((await product(id)).prd_name).toBe('Second')
    await save()
    await page.getByRole('heading', { name: 'T1 First' }).waitFor()
    expect((await product(id)).prd_name).toBe('First')
  })

  it('a user who may only read sees values and no button that would be refused, and nothing hidden', async () => {
    const id = await create('Product', { prd_code: 'H1', prd_name: 'Hidden', prd_margin: secret, prd_maker_id: maker })
    const { page: other, close: end } = await openPage(browser(), `${app.origin}/ui/`)
    const bodies: Promise<string>[] = []
    try {
      other.on('response', (response) => bodies.push(response.text().catch(() => '')))
      await signIn(other, 'reader', 'reader-word')
      await other.goto(`${app.origin}/ui/Product/${id}`)
      await other.getByRole('main').getByRole('link', { name: "O'Neil & 100%" }).waitFor()
      for (const name of ['Save', 'Delete', 'Copy', 'New'])
        expect(await other.getByText(name, { exact: true }).count(), name).toBe(0)
      expect(await other.getByRole('main').locator('input, select, textarea').count()).toBe(0)
      expect(await other.getByRole('region', { name: 'History' }).count()).toBe(0)
      await other.goto(`${app.origin}/ui/Product/0`)
      await other.getByRole('heading', { name: 'Nothing found at this address' }).waitFor()
      const traffic = (await Promise.all(bodies)).join('\n')
      expect(traffic).toContain('prd_price')
      expect(traffic).not.toContain('prd_margin')
      expect(traffic).not.toContain(secret)
    } finally {
      await end()
    }
  })

  it('is accessible and fits a phone', async () => {
    const id = await create('Product', { prd_code: 'A1', prd_name: 'Access', prd_maker_id: maker })
    const { page: other, close: end } = await openPage(browser(), `${app.origin}/ui/`, { width: 360 })
    try {
      await signIn(other, 'admin', 'secret-word')
      for (const address of [`Product/${id}`, 'Product/0', `Maker/${maker}`]) {
        await other.goto(`${app.origin}/ui/${address}`)
        await other.getByRole('button', { name: 'Save', exact: true }).waitFor()
        await keepScreenshot(other, `form-${address.replace('/', '-')}`)
        expect([address, await accessibilityProblems(other)]).toEqual([address, []])
        expect([address, await scrollsSideways(other)]).toEqual([address, false])
      }
    } finally {
      await end()
    }
  })
})
