import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { sqlite } from '../../manager-core/src/lib/store/sqlite.js'
import { writeHook } from '../../manager-core/src/lib/testing/write-hook.js'
import { startPages, type TestPages } from './ui-for-test.js'

needsBrowser((browser) => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages({ config: ['export APPS_MONITORINTERVAL=0'] })
    for (const name of ['alpha', 'beta']) await pages.manager.perform('add', { name, 'no-start': true })
    pages.pretend(Array.from({ length: 998 }, (_, n) => `demo${n}`))
  })
  afterAll(() => pages?.close())

  it('shows 1,000 instances and filters them; the first load is less than 180 kB', async () => {
    // What is loaded for later is not a part of it.
    const { page, problems, close } = await pages.open(browser(), '', { saveData: true })
    await rowOf(page, 'alpha').waitFor()
    const bytes = await page.evaluate(loaded)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThan(180_000)
    await page.getByRole('searchbox').fill('demo777')
    await expect.poll(() => countOfRows(page)).toBe(1)
    expect(problems).toEqual([])
    await close()
  })

  it('draws only rows in sight, all of them in the end', async () => {
    const { page, close } = await pages.open(browser())
    await rowOf(page, 'alpha').waitFor()
    expect(await page.locator('tbody tr').count()).toBeLessThan(100)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await rowOf(page, 'demo997').waitFor()
    await expect.poll(() => rowOf(page, 'alpha').count()).toBe(0)
    await expect
      .poll(() => page.locator('tr', { has: rowOf(page, 'demo997') }).getAttribute('aria-rowindex'))
      .toBe('1001')
    await close()
  })

  it('has rows of 40 pixels, and links in them that one can hit', async () => {
    const { page, close } = await pages.open(browser(), '?q=demo99')
    await rowOf(page, 'demo99').waitFor()
    const heights = `[...document.querySelectorAll('tbody tr:not(.gap)')].map((row) => row.getBoundingClientRect().height)`
    expect(new Set((await page.evaluate<number[]>(heights)).map(Math.round))).toEqual(new Set([40]))
    expect(await accessibilityProblems(page, { targets: true })).toEqual([])
    await keepScreenshot(page, 'instances-rows')
    await page.setViewportSize({ width: 360, height: 900 })
    await keepScreenshot(page, 'instances-rows-360')
    expect(await accessibilityProblems(page, { targets: true })).toEqual([])
    await close()
  })

  it('shows what is measured, and in red what needs attention', async () => {
    const { [sqlite]: database } = pages.manager.context.registry
    database.exec(
      `insert into operation (id, kind, instance_id, instance, title, actor, surface, address, request, facts, locks, state, message, owner, started)
       select 'op1', 'none', id, name, 'Try', 'ann', 'cli', '', '{}', '{}', '[]', 'attention', 'It broke', '{"pid":1,"start":"1","boot":"x"}', created
       from instance where name = 'alpha';
       update instance set operation = 'op1' where name = 'alpha'`,
    )
    const { page, close } = await pages.open(browser())
    const row = page.locator('tr', { has: rowOf(page, 'alpha') })
    await row.getByText('Needs attention').waitFor()
    await expect.poll(() => row.getByRole('link', { name: 'Needs attention' }).getAttribute('title')).toBe('It broke')
    for (const name of ['Health', 'Attention', 'Owner', 'Last change'])
      await expect.poll(() => page.getByRole('columnheader', { name }).count()).toBe(1)
    await expect.poll(() => row.getByText('No backup').count()).toBe(1)
    database.exec(`delete from operation where id = 'op1'; update instance set operation = ''`)
    await close()
  })

  it('keeps search, filters and order in the address, without regard to accents and capitals', async () => {
    const { page, close } = await pages.open(browser())
    await rowOf(page, 'alpha').waitFor()
    await page.getByRole('searchbox').fill('DÉMO99 example.com')
    await expect.poll(() => countOfRows(page)).toBe(9)
    await page.getByLabel('Database', { exact: true }).selectOption('mysql')
    await expect.poll(() => countOfRows(page)).toBe(2)
    await page.getByLabel('Flags', { exact: true }).selectOption('autoupdate')
    await expect.poll(() => namesOf(page)).toEqual(['demo992'])
    await expect
      .poll(() => new URL(page.url()).search)
      .toBe('?q=D%C3%89MO99+example.com&database=mysql&flag=autoupdate')
    await page.reload()
    await expect.poll(() => namesOf(page)).toEqual(['demo992'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await rowOf(page, 'demo997').waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?order=-name')
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'))
      .toBe('descending')
    await page.getByRole('searchbox').fill('nothing is like this')
    await page.getByText('No matching instances').waitFor()
    // Whatever an address says.
    const odd = new URLSearchParams({ flag: 'constructor', order: '-__proto__', status: '<b>', q: '<img src=x>' })
    await page.goto(`${pages.url}/?${odd.toString()}`)
    await page.getByText('No matching instances').waitFor()
    await expect.poll(() => page.getByLabel('Flags', { exact: true }).inputValue()).toBe('')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('<img src=x>')
    await close()
  })

  it('shows and filters what runs an instance, when that is not the usual', async () => {
    const { registry } = pages.manager.context
    const { id } = pages.manager.instance('demo5')
    registry.transaction((writer) => writer.updateInstance(id, { runtime: 'container' }))
    const { page, problems, close } = await pages.open(browser(), '?runtime=container')
    await page
      .locator('tr', { has: rowOf(page, 'demo5') })
      .locator('.in-row', { hasText: 'container' })
      .waitFor()
    await expect.poll(() => namesOf(page)).toEqual(['demo5'])
    expect(problems).toEqual([])
    registry.transaction((writer) => writer.updateInstance(id, { runtime: 'process' }))
    await close()
  })

  it('shows the response times of the last hour of what runs, and of nothing else', async () => {
    const { id } = pages.manager.instance('alpha')
    pages.manager.context.registry[sqlite]
      .prepare(`insert into sample values (?, ?, 1, '', 37, null, null, null), (?, ?, 1, '', 12, null, null, null)`)
      .run(id, Date.now() - 1_200_000, id, Date.now() - 1000)
    await pages.manager.perform('start', { name: 'alpha' })
    const { page, close } = await pages.open(browser(), '?q=alpha')
    const row = page.locator('tr', { has: rowOf(page, 'alpha') })
    const times = row.getByRole('img', { name: 'Response time of alpha in the last hour' })
    await row.getByText('12 ms').waitFor()
    await times.waitFor()
    await pages.manager.perform('stop', { name: 'alpha' })
    await row.getByText('Stopped').waitFor()
    expect([await row.getByText('12 ms').count(), await times.count()]).toEqual([0, 0])
    await close()
  })

  it('has a menu in each row and chips with counts, on a phone in a sheet, and asks nothing for a row alone', async () => {
    const { page, problems, close } = await pages.open(browser())
    const asked: (string | null)[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('action')))
    const row = (name: string) => page.locator('tr', { has: rowOf(page, name) })
    await row('alpha').waitFor()
    await row('alpha').getByTitle('Open alpha in a new tab').waitFor()
    const chip = page.getByRole('button', { name: /^No backup/ })
    await expect.poll(() => chip.textContent()).toMatch(/^No backup 1,?\d{3}$/)
    await chip.click()
    await expect.poll(() => chip.getAttribute('aria-pressed')).toBe('true')
    await expect.poll(() => new URL(page.url()).search).toBe('?flag=nobackup')
    await page.getByRole('searchbox').fill('alpha')
    await expect.poll(() => namesOf(page)).toEqual(['alpha'])
    await row('alpha').getByRole('button', { name: 'Actions on alpha' }).click()
    await page.getByRole('menuitem', { name: 'Open' }).waitFor()
    await keepScreenshot(page, 'row-menu')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog', { name: 'Rename · alpha' }).waitFor()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 360, height: 800 })
    await page.getByRole('searchbox').fill('demo99')
    await page.getByRole('button', { name: 'Filter and sort (1)' }).click()
    const sheet = page.getByRole('dialog', { name: 'Filter and sort' })
    await sheet.getByLabel('Order', { exact: true }).selectOption('-name')
    await sheet.getByLabel('Database', { exact: true }).selectOption('mysql')
    await keepScreenshot(page, 'filter-sheet')
    expect(await accessibilityProblems(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect.poll(async () => (await namesOf(page))[0]).toBe('demo995')
    await keepScreenshot(page, 'cards')
    expect(await scrollsSideways(page)).toBe(false)
    expect(asked.filter((action) => action === 'samples')).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it('chooses with shift and by keyboard', async () => {
    const { page, close } = await pages.open(browser(), '?q=demo')
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
    await box('demo0').click()
    await box('demo9').click({ modifiers: ['Shift'] })
    await page.getByText('10 selected').waitFor()
    await box('demo9').press('Shift+ArrowDown')
    await page.getByText('11 selected').waitFor()
    await page.keyboard.press('Space')
    await page.getByText('10 selected').waitFor()
    // What a filter hides is not acted on.
    await page.getByRole('searchbox').fill('demo5')
    await page.getByText('1 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByText('111 selected').waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await expect.poll(() => page.getByText('selected').count()).toBe(0)
    await close()
  })

  it('starts several instances with the progress of each', async () => {
    const { page, problems, close } = await pages.open(browser())
    await page.getByRole('searchbox').fill('a')
    for (const name of ['alpha', 'beta'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    const go = dialog.getByRole('button', { name: 'Start' })
    if ((await go.count()) > 0) await go.click()
    await dialog.getByText('2 of 2 done', { exact: true }).waitFor()
    await keepScreenshot(page, 'bulk')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    for (const name of ['alpha', 'beta'])
      await page
        .locator('tr', { has: rowOf(page, name) })
        .getByText('Running')
        .waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('makes an instance from a template, a copy and a backup, with the keyboard alone', async () => {
    const { page, problems, close } = await pages.open(browser(), '?q=made')
    await page.getByRole('button', { name: 'New instance' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New instance' })
    const name = dialog.locator('[name=name]')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name')
    await expect.poll(() => name.inputValue()).toMatch(/^[a-z]+\d\d$/)
    // What was suggested is selected.
    await page.keyboard.type('a b')
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog.locator(':user-invalid').count()).toBe(1)
    await name.fill('ALPHA')
    await dialog.getByText('An instance named “ALPHA” already exists.').waitFor()
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await keepScreenshot(page, 'create-taken')
    await page.keyboard.press('Enter')
    expect(await dialog.locator('.step').count()).toBe(0)
    await name.fill('made1')
    await dialog.getByText('3 to 20 letters and digits').waitFor()
    await expect.poll(() => dialog.getByLabel('SQLite (default)').isChecked()).toBe(true)
    const protection = dialog.getByRole('switch', { name: /^Delete protection/ })
    await expect.poll(() => protection.getAttribute('aria-checked')).toBe('false')
    await expect
      .poll(() => dialog.getByRole('switch', { name: /^Automatic/ }).getAttribute('aria-checked'))
      .toBe('true')
    await protection.press('Space')
    await dialog.getByText('More options').press('Enter')
    // What cannot be used on this machine says why, and cannot be chosen.
    const { list } = await pages.manager.perform('runtimes')
    const runtimes = list as readonly { readonly name: string; readonly usable: string }[]
    const offered = (how: string) =>
      dialog
        .getByLabel('Runtime')
        .locator(`option${how}:not([value=""])`)
        .evaluateAll((options) => options.map((option) => (option as unknown as { readonly value: string }).value))
    const named = (usable: string) => runtimes.filter((one) => one.usable === usable).map(({ name: one }) => one)
    await expect.poll(() => offered(':not([disabled])')).toEqual(named('yes'))
    await expect.poll(() => offered('[disabled]')).toEqual(named('no'))
    await expect
      .poll(() => dialog.getByLabel('Runtime').locator('option[value=""]').textContent())
      .toBe('process (default)')
    await dialog.getByLabel('Don’t start it yet').press('Space')
    await keepScreenshot(page, 'create')
    await dialog.getByLabel('Email address').press('Enter')
    await dialog.getByText('made1 is ready, not started').waitFor()
    await page.keyboard.press('Escape')
    await rowOf(page, 'made1').waitFor()
    expect(pages.manager.instance('made1')).toMatchObject({ protected: true, autoUpdate: true, database: 'sqlite' })
    // The focus is where it was before.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New instance')

    await page.keyboard.press('Enter')
    await dialog.getByLabel('Copy of an instance').check()
    await name.fill('made2')
    await dialog.getByLabel('Instance to copy').fill('made1')
    await dialog.getByLabel('SQLite (default)').waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('made2 is ready, not started').waitFor()
    await dialog.getByText('Users and passwords are those of the original.').waitFor()
    expect(pages.manager.instance('made2')).toMatchObject({ source: 'instance:made1', protected: false })

    await pages.manager.perform('save', { name: 'made1' })
    await dialog.getByRole('button', { name: 'Create another' }).click()
    await dialog.getByText('Backup', { exact: true }).click()
    await name.fill('made3')
    await dialog.locator('[name=backup]').selectOption({ index: 1 })
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText(/^made3 is/).waitFor()
    expect(pages.manager.instance('made3').source).toMatch(/^backup:/)
    expect(problems).toEqual([])
    await close()
  })

  it('shows where a new instance is, who may sign in, how long it took, and no hook that there is not', async () => {
    const { page, problems, close } = await pages.open(browser(), '?q=made4')
    await page.getByRole('button', { name: 'New instance' }).click()
    const dialog = page.getByRole('dialog', { name: 'New instance' })
    await dialog.locator('[name=name]').fill('made4')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('made4 is running').waitFor()
    await expect.poll(() => dialog.getByText(/^Took [\d.]+ m?s$/).count()).toBe(1)
    const address = `http://127.0.0.1:${pages.manager.instance('made4').port}`
    await expect.poll(() => dialog.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe(address)
    await dialog.getByRole('button', { name: 'Copy: Address' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(address)
    await dialog.getByRole('button', { name: 'Show administrator' }).click()
    await dialog.getByText('••••••••').waitFor()
    await expect.poll(() => dialog.locator('dd code').first().textContent()).toBe('admin')
    await dialog.getByText('Steps').click()
    const titles = () => dialog.locator('.step-title').allTextContents()
    await expect.poll(titles).toContain('Start the instance')
    expect((await titles()).filter((title) => title.includes('hook'))).toEqual([])
    await expect.poll(() => dialog.locator('.step-state').first().textContent()).toMatch(/^[\d.]+ m?s · done$/)
    await keepScreenshot(page, 'created')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 800 })
    await keepScreenshot(page, 'created-360')
    expect(await scrollsSideways(page)).toBe(false)
    expect(problems).toEqual([])
    await close()
  })

  it('says why an instance could not be made, and lets it be changed', async () => {
    const { page, close } = await pages.open(browser())
    await page.getByRole('button', { name: 'New instance' }).click()
    const dialog = page.getByRole('dialog', { name: 'New instance' })
    await dialog.locator('[name=name]').fill('late1')
    writeHook(pages.manager.home, 'pre-add', 'echo no room for late1; exit 1')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').getByText('pre-add.sh failed', { exact: false }).first().waitFor()
    await keepScreenshot(page, 'create-failed')
    await dialog.getByRole('button', { name: 'Edit' }).click()
    await expect.poll(() => dialog.locator('[name=name]').inputValue()).toBe('late1')
    rmSync(join(pages.manager.home, 'hooks', 'pre-add.sh'))
    await close()
  })

  it('offers only what a principal may do, and shows only its instances', async () => {
    const { item } = await pages.manager.perform('token add', { name: 'looker', abilities: 'read', instances: 'alpha' })
    const { token } = item as { token: string }
    const { page, close } = await pages.open(browser(), '', { as: { name: 'looker', password: token } })
    await rowOf(page, 'alpha').waitFor()
    expect(await namesOf(page)).toEqual(['alpha'])
    expect(await page.getByRole('button', { name: 'New instance' }).count()).toBe(0)
    await page.getByRole('checkbox', { name: 'Select alpha' }).click()
    await page.getByText('1 selected').waitFor()
    expect(await page.locator('.bulk-actions button').count()).toBe(0)
    await close()
  })

  it.each([
    ['light', [768, 1280]],
    ['dark', [1280, 360]],
  ] as const)('has no accessibility problem (%s, at %j pixels)', async (colorScheme, widths) => {
    const { page, problems, close } = await pages.open(browser(), '?q=mo99', { colorScheme })
    await rowOf(page, 'demo99').waitFor()
    await page.getByRole('checkbox', { name: 'Select demo99', exact: true }).click()
    await page.getByText('1 selected').waitFor()
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await keepScreenshot(page, `instances-${width}-${colorScheme}`)
      expect(await accessibilityProblems(page, { targets: true })).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
    }
    await page.getByRole('button', { name: 'New instance' }).click()
    await page.getByRole('dialog').getByLabel('SQLite (default)').waitFor()
    await keepScreenshot(page, `create-${colorScheme}`)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    expect(problems).toEqual([])
    await close()
  })

  it('offers versions with what each is', async () => {
    const { home, template } = pages.manager
    const [first] = pages.manager.context.registry.versions()
    writeFileSync(join(home, 'version-1.1.sh'), `export APPS_TEMPLATE=folder:${template}\n`, { mode: 0o600 })
    await pages.manager.perform('refresh')
    const { page, close } = await pages.open(browser())
    await page.getByRole('button', { name: 'New instance' }).click()
    const options = page.getByRole('dialog').getByLabel('Version').locator('option')
    expect(first?.title).toBeTruthy()
    await expect
      .poll(async () => (await options.allTextContents()).toSorted())
      .toEqual([expect.stringContaining(`1.0 · ${first?.title}`), expect.stringContaining(`1.1 · ${first?.title}`)])
    await close()
  })
})

function rowOf(page: Page, name: string) {
  return page.locator('.instance-name', { hasText: new RegExp(`^${name}$`) })
}

async function namesOf(page: Page): Promise<string[]> {
  return page.locator('.instance-name').allTextContents()
}

/** Also of those that are not drawn. */
async function countOfRows(page: Page): Promise<number> {
  return Number(await page.getByRole('table').getAttribute('aria-rowcount')) - 1
}

/** Bytes that came over the network since the page was opened, without answers of the API. */
const loaded = `['navigation', 'resource']
  .flatMap((type) => performance.getEntriesByType(type))
  .filter(({ name }) => !name.includes('/api?'))
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`
