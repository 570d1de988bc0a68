import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { sqlite } from '../../manager-core/src/lib/store/sqlite.js'
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
    const { page, problems, close } = await pages.open(browser())
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
    for (const name of ['Uptime', 'Memory', 'Last backup'])
      await expect.poll(() => page.getByRole('columnheader', { name }).count()).toBe(1)
    await expect.poll(() => row.getByText('Never').count()).toBe(1)
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
      .getByText('container')
      .waitFor()
    await expect.poll(() => namesOf(page)).toEqual(['demo5'])
    expect(problems).toEqual([])
    registry.transaction((writer) => writer.updateInstance(id, { runtime: 'process' }))
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

  it('makes an instance of a version, and a clone, with the keyboard alone', async () => {
    const { page, problems, close } = await pages.open(browser(), '?q=made')
    await page.getByRole('button', { name: 'New instance' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New instance' })
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name')
    await page.keyboard.type('a b')
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog.locator(':user-invalid').count()).toBe(1)
    await dialog.locator('[name=name]').fill('made1')
    // What cannot be used on this machine says why, and cannot be chosen.
    const { list } = await pages.manager.perform('runtimes')
    const runtimes = list as readonly { readonly name: string; readonly usable: string }[]
    const offered = (how: string) =>
      dialog
        .getByLabel('Runtime')
        .locator(`option${how}:not([value=""])`)
        .evaluateAll((options) => options.map((option) => (option as unknown as { readonly value: string }).value))
    const named = (usable: string) => runtimes.filter((one) => one.usable === usable).map(({ name }) => name)
    await expect.poll(() => offered(':not([disabled])')).toEqual(named('yes'))
    await expect.poll(() => offered('[disabled]')).toEqual(named('no'))
    await dialog.getByLabel('Runtime').selectOption('process')
    await dialog.getByLabel('Delete protection').selectOption('yes')
    await dialog.getByLabel('Don’t start it yet').press('Space')
    await keepScreenshot(page, 'create')
    await page.keyboard.press('Enter')
    await dialog.getByRole('link', { name: 'Show made1' }).waitFor()
    await page.keyboard.press('Escape')
    await rowOf(page, 'made1').waitFor()
    // The focus is where it was before.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New instance')

    await page.keyboard.press('Enter')
    await dialog.getByLabel('Copy of an instance').check()
    await dialog.locator('[name=name]').fill('made2')
    await dialog.getByLabel('Instance to copy').fill('made1')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('link', { name: 'Show made2' }).waitFor()
    expect(pages.manager.instance('made2').source).toBe('instance:made1')
    expect(problems).toEqual([])
    await close()
  })

  it('says why an instance could not be made, and lets it be changed', async () => {
    const { page, close } = await pages.open(browser())
    await page.getByRole('button', { name: 'New instance' }).click()
    const dialog = page.getByRole('dialog', { name: 'New instance' })
    await dialog.locator('[name=name]').fill('alpha')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').getByText('alpha').first().waitFor()
    await keepScreenshot(page, 'create-failed')
    await dialog.getByRole('button', { name: 'Edit' }).click()
    await expect.poll(() => dialog.locator('[name=name]').inputValue()).toBe('alpha')
    await close()
  })

  it('offers only what a principal may do, and shows only its instances', async () => {
    const { item } = await pages.manager.perform('token add', { name: 'looker', abilities: 'read', instances: 'alpha' })
    const { token } = item as { token: string }
    const credentials = { username: 'looker', password: token }
    const { page, close } = await pages.open(browser(), '', { credentials })
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
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
    }
    await page.getByRole('button', { name: 'New instance' }).click()
    await page.getByRole('dialog').getByLabel('Database').waitFor()
    await keepScreenshot(page, `create-${colorScheme}`)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    expect(problems).toEqual([])
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
