import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, openPage, scrollsSideways } from './browser.js'
import { startApp, type RunningApp } from './programs/app-server.js'
import { freshDatabase, needs } from './servers/index.js'

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
events: true
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
  prd_photo: { type: image, label: Photo, area: more }
  prd_maker_id: { type: reference, object: Maker, display: [mak_name], onDelete: setNull, label: Maker, area: more }
  prd_state: { type: enum, values: [{ code: draft, label: Draft }, { code: sold, label: Sold }, { code: gone, label: Gone }], label: State, area: main }
  prd_margin: { type: string, length: 40, label: Margin, area: more }
states:
  field: prd_state
  initial: draft
  transitions:
    - { from: [draft], to: sold }
    - { from: [sold], to: gone }
publications:
  sheet:
    label: Data sheet
    format: html
    fileName: '{{prd_code}}.html'
    template: '<style>h1 { color: rgb(200, 0, 0) }</style><h1>{{prd_name}} {{prd_margin}}</h1><b>Fine</b><img src="x" onerror="parent.ran = true"><script>parent.ran = true</script>'
  letter:
    label: Letter
    format: md
    template: |
      # Dear {{prd_name}}

      | Code | Price |
      | ---- | ----- |
      | **{{prd_code}}** | 2 |

      [script](javascript:parent.ran=true) [data](data:text/html,x) [site](https://elsewhere.example/) [top](#dear-published)

      <img src="x" alt="" onerror="parent.ran = true"><script>parent.ran = true</script><b onclick="parent.ran = true">Fine</b>
      ![out](https://elsewhere.example/x.png) <iframe srcdoc="<script>parent.ran = true</script>"></iframe>
  names:
    label: Names
    format: txt
    scope: global
    template: '{{#each records}}{{prd_code}};{{/each}}'
  paper: { label: On paper, format: pdf, scope: both, fields: [prd_code, prd_name] }
`,
  'objects/product.js': `
import { existsSync } from 'node:fs'
export default {
  actions: {
    discount: {
      label: 'Discount',
      scope: 'both',
      background: true,
      parameters: { percent: { type: 'integer', required: true, label: 'Percent' } },
      async run({ record, records, parameters, progress }) {
        let count = 0
        if (record) count++
        else for await (const batch of await records()) count += batch.length
        progress(1, 2, 'Half of it')
        while (!existsSync(new URL('../go', import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 20))
        return count + ' products: ' + parameters.percent + ' % less'
      },
    },
  },
}
`,
}

/** A picture of one pixel. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
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

/** Fills a new record with a value of each type, and reads it back, in the form and by the service. */
async function walk({ origin, call }: RunningApp, page: Page): Promise<void> {
  const field = (label: string) => page.getByLabel(label, { exact: true })
  await page.goto(`${origin}/ui/Product`)
  await page.getByRole('link', { name: 'New', exact: true }).click()
  await page.getByRole('heading', { name: 'New Product' }).waitFor()
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
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'N1 First' }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) as string
  const { body } = await call(`/Product/${id}`)
  expect(body).toMatchObject({
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
    prd_maker_id__mak_name: "O'Neil & 100%",
    prd_state: 'draft',
  })
  for (const [label, text] of Object.entries(texts))
    await expect.poll(() => field(label).inputValue(), { message: label }).toBe(text)
  await expect.poll(() => page.getByRole('combobox', { name: 'Maker' }).inputValue()).toBe("O'Neil & 100%")
  await page.getByText('a.txt').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('a.txt')
}

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
  const second = await create('User', { usr_login: 'second', usr_password: 'second-word' })
  const editors = await create('Group', { grp_name: 'EDITORS' })
  await create('Responsibility', { rsp_login_id: second, rsp_group_id: editors })
  await create('Grant', { grt_group_id: editors, grt_object: 'Product', grt_rights: 'CRUD' })
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

  it('a new record: each type of field is written and read back', () => walk(app, page))

  needs('postgresql', (url) => {
    it('a new record: each type of field is written and read back', async () => {
      const database = await freshDatabase(url)
      const other = await startApp([folder, '--data', join(folder, 'other')], {
        password: 'secret-word',
        env: { STEWARD_DATABASE: database.url },
      })
      const { page: form, close: end } = await openPage(browser(), `${other.origin}/ui/`)
      try {
        await other.call('/Maker', { body: { mak_name: "O'Neil & 100%" } })
        await signIn(form, 'admin', 'secret-word')
        await walk(other, form)
      } finally {
        await end()
        await other.stop()
        await database.drop()
      }
    })
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
    // The page shows what others changed before it has saved, too.
    await expect
      .poll(() => product(id))
      .toMatchObject({
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
    await page.goto(`${app.origin}/ui/Maker`)
    await page.getByLabel('Select Related').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const asked = page.getByRole('dialog', { name: 'Delete 1 record?' })
    await asked.getByText('Products: 2 records lose this reference').waitFor()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await page.goto(`${app.origin}/ui/Maker/${id}`)
    await page.getByRole('region', { name: 'Related records' }).getByRole('link', { name: 'R1' }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Related?' })
    await dialog.getByText('Products: 2 records lose this reference').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await said('Deleted')
    expect((await app.call(`/Maker/${id}`)).status).toBe(404)
  })

  it('shows who changed what, and brings an earlier value back into the form', async () => {
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

  it('shows a document, replaces it by one that is dropped, and removes it', async () => {
    const id = await create('Product', { prd_code: 'D1', prd_name: 'Documents' })
    await page.goto(`${app.origin}/ui/Product/${id}`)
    const manual = page.locator('.file', { has: page.getByText('Manual', { exact: true }) })
    const photo = page.locator('.file', { has: page.getByText('Photo', { exact: true }) })
    await page.getByLabel('Name').fill('Typed meanwhile')
    const drop = (content: string, name: string, type: string) =>
      page.evaluate(`{
        const place = [...document.querySelectorAll('.file')].find((one) => one.innerText.startsWith('Manual'))
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([${JSON.stringify(content)}], '${name}', { type: '${type}' }))
        for (const kind of ['dragover', 'drop'])
          place.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }))
      }`)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/_document/**', async (request) => {
      if (request.request().method() === 'PUT') await held
      await request.continue()
    })
    await drop('<h1>Hello</h1><script>parent.ran = true</script>', 'page.html', 'text/html')
    await manual.getByRole('progressbar', { name: 'Upload' }).waitFor()
    release()
    await manual.getByText('page.html').waitFor()
    await page.unroute('**/_document/**')
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Typed meanwhile')
    await manual.getByRole('button', { name: 'Preview' }).click()
    const dialog = page.getByRole('dialog', { name: 'Manual' })
    await dialog.frameLocator('iframe').getByRole('heading', { name: 'Hello' }).waitFor()
    expect(await page.evaluate('globalThis.ran')).toBe(undefined)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await drop('plain words', 'words.txt', 'text/plain')
    await manual.getByText('words.txt').waitFor()
    await manual.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('plain words').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Photo').setInputFiles({ name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('no') })
    await photo
      .getByText(/Photo|prd_photo/)
      .last()
      .waitFor()
    await expect.poll(() => page.getByLabel('Photo').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Photo').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot })
    await photo.getByText('dot.png').waitFor()
    await expect.poll(() => page.evaluate("document.querySelector('.file-stored img')?.naturalWidth")).toBe(1)
    await photo.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('dialog', { name: 'Photo' }).getByText('1 × 1').waitFor()
    await page.keyboard.press('Escape')
    await photo.getByRole('button', { name: 'Remove' }).click()
    await photo.getByText('Removed when you save').waitFor()
    expect((await product(id)).prd_photo).not.toBe('')
    await save()
    await photo.getByText('Drop a file here').waitFor()
    expect(await product(id)).toMatchObject({ prd_name: 'Typed meanwhile', prd_photo: '' })
  })

  it('publishes a record, a list and what is selected: shown without what could run, and saved', async () => {
    const id = await create('Product', { prd_code: 'P1', prd_name: 'Published', prd_kind: 'fruit' })
    await create('Product', { prd_code: 'P2', prd_name: 'Published', prd_kind: 'fruit' })
    await page.goto(`${app.origin}/ui/Product/${id}`)
    const publish = async (on: ReturnType<Page['getByRole']>, name: string) => {
      await on.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByRole('menuitem', { name }).click()
      return page.getByRole('dialog', { name })
    }
    const main = page.getByRole('main')
    const sheet = await publish(main, 'Data sheet')
    await sheet.frameLocator('iframe').getByRole('heading', { name: 'Published' }).waitFor()
    const color = "getComputedStyle(document.querySelector('iframe').contentDocument.querySelector('h1')).color"
    await expect.poll(() => page.evaluate(color)).toBe('rgb(200, 0, 0)')
    await sheet.frameLocator('iframe').getByText('Fine').waitFor()
    expect(await page.evaluate('globalThis.ran')).toBe(undefined)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      sheet.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('P1.html')
    await sheet.getByRole('button', { name: 'Close' }).click()

    const letter = await publish(main, 'Letter')
    const text = letter.locator('.markdown')
    await text.getByRole('heading', { name: 'Dear Published' }).waitFor()
    await text.getByRole('group', { name: 'Table' }).getByRole('cell', { name: 'P1' }).locator('strong').waitFor()
    await keepScreenshot(page, 'publication-markdown')
    await text.getByText('Fine').click()
    await text.getByText('script', { exact: true }).click()
    await text.getByText('data', { exact: true }).click()
    await text.getByRole('link', { name: 'top' }).click()
    await expect.poll(() => text.getByRole('link').allTextContents()).toEqual(['site', 'top'])
    expect(await text.innerHTML()).not.toMatch(/javascript|data:|onclick|onerror|<script|<iframe|\.png/)
    expect(await page.evaluate('globalThis.ran')).toBeUndefined()
    expect(await accessibilityProblems(page)).toEqual([])
    await letter.getByRole('button', { name: 'Close' }).click()
    const paper = await publish(main, 'On paper')
    await paper.locator('iframe, p').first().waitFor()
    await paper.getByRole('button', { name: 'Close' }).click()
    await page.goto(`${app.origin}/ui/Product?prd_name=has%3APublished&_order=-prd_code`)
    await page.getByText('2 records', { exact: true }).waitFor()
    const names = await publish(main, 'Names')
    await names.getByText('P2;P1;').waitFor()
    await names.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Select P1 Published').check()
    const selected = await publish(page.getByRole('group', { name: '1 selected' }), 'Names')
    await selected.getByText('P1;', { exact: true }).waitFor()
    await selected.getByRole('button', { name: 'Close' }).click()
  })

  it('runs an action on the records of a list, and shows its progress and its result', async () => {
    await create('Product', { prd_code: 'L1', prd_name: 'Listed' })
    await create('Product', { prd_code: 'L2', prd_name: 'Listed' })
    await page.goto(`${app.origin}/ui/Product?prd_name=has%3AListed`)
    await page.getByText('2 records', { exact: true }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Discount' }).click()
    const dialog = page.getByRole('dialog', { name: 'Discount' })
    await dialog.getByText('2 records', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Run' }).click()
    await dialog.getByRole('alert').waitFor()
    await expect.poll(() => dialog.getByLabel('Percent').getAttribute('aria-invalid')).toBe('true')
    await dialog.getByLabel('Percent').fill('20')
    await dialog.getByRole('button', { name: 'Run' }).click()
    await dialog.getByText('Half of it').waitFor()
    await expect.poll(() => dialog.getByRole('progressbar').getAttribute('max')).toBe('2')
    await writeFile(join(folder, 'go'), '')
    await said('2 products: 20 % less')
    await dialog.waitFor({ state: 'detached' })
  })

  it('shows what others change, at once, and keeps what is being typed', async () => {
    const id = await create('Product', { prd_code: 'V1', prd_name: 'Live', prd_note: 'old', prd_stock: 1 })
    const second = await create('Product', { prd_code: 'V2', prd_name: 'Live' })
    const { page: list, close: end } = await openPage(browser(), `${app.origin}/ui/`)
    const listening = (on: Page) => on.waitForResponse((response) => response.url().endsWith('/api/events'))
    const asSecond = { as: 'second:second-word' }
    try {
      await signIn(list, 'admin', 'secret-word')
      await Promise.all([listening(list), list.goto(`${app.origin}/ui/Product?prd_name=has%3ALive`)])
      await Promise.all([listening(page), page.goto(`${app.origin}/ui/Product/${id}`)])
      await list.getByText('2 records', { exact: true }).waitFor()
      await page.getByLabel('Name').fill('Live, typed')
      await app.call(`/Product/${id}`, { method: 'PUT', body: { prd_stock: 7, prd_kind: 'fruit' }, ...asSecond })
      await page.getByText('second changed this record').waitFor()
      await page.getByText('New values: Kind, Stock. What you typed is kept.').waitFor()
      await expect.poll(() => field('Stock').inputValue()).toBe('7')
      await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Live, typed')
      const row = list.getByRole('row').filter({ hasText: 'V1' })
      await expect.poll(() => row.innerText()).toContain('Fruit')
      await expect.poll(() => row.getAttribute('class')).toBe('changed')
      // The page reads the record after its save only when another user has changed it again.
      const isRecord = (url: URL) => url.pathname.endsWith(`/rest/Product/${id}`)
      const changed = Promise.withResolvers<undefined>()
      await page.route(isRecord, async (route) => {
        if (route.request().method() === 'GET') await changed.promise
        await route.continue()
      })
      await save()
      await said('Saved')
      expect(await product(id)).toMatchObject({ prd_name: 'Live, typed', prd_stock: 7 })
      await field('Note').fill('mine')
      await app.call(`/Product/${id}`, { method: 'PUT', body: { prd_note: 'theirs' }, ...asSecond })
      changed.resolve(undefined)
      await page.getByText('Changed: Note. What you typed is kept.').waitFor()
      await page.unroute(isRecord)
      await save()
      const dialog = page.getByRole('dialog', { name: 'Someone else changed this record' })
      await dialog.getByText('Theirs: theirs').waitFor()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(async () => (await product(id)).prd_note).toBe('mine')
      for (const code of ['V3', 'V4']) await create('Product', { prd_code: code, prd_name: 'Live' })
      await create('Product', { prd_code: 'V5', prd_name: 'Other' })
      await list.getByText('2 new records').waitFor()
      await list.getByRole('button', { name: 'Show', exact: true }).click()
      await list.getByText('4 records', { exact: true }).waitFor()
      await app.call(`/Product/${second}`, { method: 'DELETE', ...asSecond })
      await expect.poll(() => list.getByRole('row').filter({ hasText: 'V2' }).getAttribute('class')).toBe('gone')
      await page.getByLabel('Name').fill('Still typed')
      await app.call(`/Product/${id}`, { method: 'DELETE', ...asSecond })
      await page.getByText('second deleted this record').waitFor()
      await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Still typed')
    } finally {
      await end()
    }
  })

  it('loses nothing without a connection, at the end of the session, by a reload or the back button', async () => {
    const id = await create('Product', { prd_code: 'O1', prd_name: 'Offline' })
    const other = await create('Product', { prd_code: 'O2', prd_name: 'Offline' })
    await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/api/events')),
      page.goto(`${app.origin}/ui/Product/${id}`),
    ])
    await page.getByLabel('Name').fill('Typed offline')
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await save()
    await page.getByRole('alert').getByText('The server does not answer.').waitFor()
    await app.call(`/Product/${id}`, { method: 'PUT', body: { prd_stock: 3 }, as: 'second:second-word' })
    await page.context().setOffline(false)
    await page.getByText('You are offline.').waitFor({ state: 'detached' })
    await page.getByText('second changed this record').waitFor()
    await expect.poll(() => field('Stock').inputValue()).toBe('3')
    await save()
    await said('Saved')
    expect(await product(id)).toMatchObject({ prd_name: 'Typed offline', prd_stock: 3 })

    const token = await page.evaluate<string>(
      "JSON.parse(sessionStorage[Object.keys(sessionStorage).find((key) => key.startsWith('steward.session'))]).token",
    )
    await page.getByLabel('Name').fill('Typed at the end')
    await fetch(`${app.origin}/api/logout`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    await page.keyboard.press('Escape')
    await signIn(page, 'admin', 'secret-word')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Typed at the end')

    await page.reload()
    await page.getByText('Your unsaved changes are back').waitFor()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Typed at the end')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Typed offline')

    await page.goto(`${app.origin}/ui/Product?prd_name=has%3Aoffline`)
    await page.getByRole('link', { name: 'O2' }).click()
    await page.getByLabel('Name').fill('Back and forth')
    await page.goBack()
    await page.getByRole('link', { name: 'O2' }).click()
    await page.getByText('Your unsaved changes are back').waitFor()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Back and forth')
    await save()
    await said('Saved')
    expect((await product(other)).prd_name).toBe('Back and forth')
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
      await other.getByRole('button', { name: 'Publish' }).click()
      await other.getByRole('menuitem', { name: 'Data sheet' }).click()
      await other.getByRole('dialog').frameLocator('iframe').getByRole('heading', { name: 'Hidden' }).waitFor()
      await other.getByRole('button', { name: 'Close' }).click()
      await app.call(`/Product/${id}`, { method: 'PUT', body: { prd_margin: `${secret}, more` } })
      await other.goto(`${app.origin}/ui/?_q=twelve`)
      await other.getByText('No matching records').waitFor()
      await other.keyboard.press('Control+k')
      await other.getByRole('combobox', { name: 'Search and commands' }).fill('twelve')
      await other.getByRole('option', { name: 'Search “twelve” in Products' }).click()
      await other.getByText('No matching records').waitFor()
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
