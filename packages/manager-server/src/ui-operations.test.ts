import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { startPages, type TestPages } from './ui-for-test.js'

needsBrowser((browser) => {
  let pages: TestPages
  let page: Page
  let problems: string[]
  let close: () => Promise<void>

  beforeAll(async () => {
    pages = await startPages({ config: ['export APPS_MONITORINTERVAL=0', 'export APPS_ROOTCONTEXT=false'] })
    await pages.manager.perform('add', { name: 'slow' })
    await pages.manager.perform('add', { name: 'demo', 'no-start': true })
  })
  afterAll(() => pages?.close())

  beforeEach(async () => {
    // Its start goes on until it says that it is well.
    pages.manager.tell('slow', { health: 'KO' })
    await pages.manager.perform('stop', { name: 'slow' }, { waitMs: 30_000 })
    ;({ page, problems, close } = await pages.open(browser(), 'instances/slow'))
  })
  afterEach(() => close())

  it('shows the steps of an action as they go on, and goes on in the background when its dialog is closed', async () => {
    await begin(page)
    const dialog = page.getByRole('dialog')
    await step(dialog, 'running').waitFor()
    await keepScreenshot(page, 'dialog-running')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.count()).toBe(0)
    await page.getByRole('link', { name: /Start instance "slow"/ }).click()
    end(pages)
    await page.getByText('"slow" is started').waitFor()
    await expect.poll(() => step(page.locator('main'), 'done').count()).toBeGreaterThan(0)
    expect(problems).toEqual([])
  })

  it('shows where an operation is after the page was loaded again', async () => {
    await begin(page)
    await page.getByRole('link', { name: 'Show operation' }).click()
    await step(page.locator('main'), 'running').waitFor()
    await page.reload()
    await step(page.locator('main'), 'running').waitFor()
    await keepScreenshot(page, 'operation-running')
    end(pages)
    await page.getByText('"slow" is started').waitFor()
    await keepScreenshot(page, 'operation-done')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it('catches up when the browser is online again', async () => {
    await begin(page)
    await step(page.getByRole('dialog'), 'running').waitFor()
    await page.context().setOffline(true)
    await page.getByText('You are offline.', { exact: false }).waitFor()
    end(pages)
    await expect.poll(() => pages.manager.instance('slow').observed).toBe('started')
    await page.context().setOffline(false)
    await page.getByRole('dialog').getByText('"slow" is started').waitFor()
  })

  it('catches up when the server was started again, which ends no operation', async () => {
    await begin(page)
    await step(page.getByRole('dialog'), 'running').waitFor()
    await pages.restart()
    end(pages)
    await page.getByRole('dialog').getByText('"slow" is started').waitFor()
    await expect.poll(() => step(page.getByRole('dialog'), 'done').count()).toBeGreaterThan(0)
  })

  it('cancels what goes on, which is undone then', async () => {
    await begin(page)
    await page.getByRole('link', { name: 'Show operation' }).click()
    await page.getByRole('button', { name: 'Cancel operation' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel operation' }).click()
    await page.getByRole('main').getByText('Rolled back', { exact: true }).waitFor()
    await keepScreenshot(page, 'operation-cancelled')
    expect(pages.manager.instance('slow').desired).toBe('stopped')
    expect(problems).toEqual([])
  })

  it('lists operations with filters that are in the address', async () => {
    await page.goto(`${pages.url}/operations`)
    await page.getByRole('link', { name: /Add instance "demo"/ }).waitFor()
    await page.getByLabel('Instance', { exact: true }).fill('demo')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('link', { name: /"slow"/ }).count()).toBe(0)
    await page.getByLabel('State').selectOption('Failed')
    await page.getByText('No operations match these filters').waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?state=failed&instance=demo')
    await page.goto(`${pages.url}/operations`)
    await page.getByRole('link', { name: /Add instance "demo"/ }).waitFor()
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await keepScreenshot(page, `operations-${width}`)
      expect(await scrollsSideways(page)).toBe(false)
    }
    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it('shows an operation that could not be rolled back, tries it again, and gives it up', async () => {
    await pages.manager.perform('add', { name: 'stuck' })
    await page.goto(`${pages.url}/instances/stuck`)
    const dialog = page.getByRole('dialog')
    const main = page.locator('main')
    const breakIt = async () => {
      pages.manager.tell('stuck', { start: 'fail' })
      await page.getByRole('button', { name: 'Rename' }).click()
      await dialog.getByLabel('New name').fill('free')
      await page.keyboard.press('Enter')
      await dialog.getByRole('alert').waitFor()
    }
    const ask = async (name: string) => {
      await main.getByRole('button', { name }).click()
      await dialog.waitFor()
    }
    const close = () => dialog.getByRole('button', { name: 'Close' }).last().click()

    await breakIt()
    await expect.poll(() => dialog.locator('.step[data-state=undoing]').count()).toBe(0)
    await expect.poll(() => dialog.locator('.step[data-state=undo-failed]').count()).toBe(1)
    await expect.poll(() => dialog.locator('.step[data-failed]').count()).toBe(1)
    await keepScreenshot(page, 'attention-dialog')
    await close()
    await main.getByRole('alert').getByText('Needs attention').waitFor()
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await keepScreenshot(page, `attention-instance-${width}`)
      expect(await scrollsSideways(page)).toBe(false)
      expect(await accessibilityProblems(page)).toEqual([])
    }

    await page.goto(`${pages.url}/`)
    const row = page.getByRole('row').nth(1)
    await row.getByText('stuck', { exact: true }).waitFor()
    await expect.poll(() => page.title()).toMatch(/^\(1\) Instances/)
    await keepScreenshot(page, 'attention-list')
    await row.getByRole('link', { name: 'Needs attention' }).click()

    await ask('Try again')
    await dialog.getByRole('alert').getByText('Rename instance "stuck"', { exact: false }).waitFor()
    await close()
    pages.manager.tell('stuck', {})
    await ask('Try again')
    await dialog.getByText('rolled back.', { exact: false }).waitFor()
    await close()
    await expect.poll(() => main.getByText('Needs attention').count()).toBe(0)
    expect(pages.manager.instance('stuck')).toMatchObject({ name: 'stuck', operation: '' })

    await breakIt()
    await dialog.getByRole('link', { name: 'Show operation' }).click()
    await main.getByRole('button', { name: 'Leave as it is' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await ask('Leave as it is')
    await keepScreenshot(page, 'attention-giveup')
    await dialog.getByLabel('To confirm, type stuck').fill('stuck')
    await page.keyboard.press('Enter')
    await dialog.getByText('Given up', { exact: false }).first().waitFor()
    await close()
    await expect.poll(() => main.getByRole('button', { name: 'Leave as it is' }).count()).toBe(0)
    expect(pages.manager.instance('stuck').operation).toBe('')
    await pages.manager.perform('delete', { name: 'stuck' })
    expect(problems).toEqual([])
  })

  it('says so when there is no such operation', async () => {
    await page.goto(`${pages.url}/operations/${crypto.randomUUID()}`)
    await page.getByText('This operation does not exist').waitFor()
    expect(problems).toEqual([])
  })
})

/** What goes on comes to its end. */
function end({ manager }: TestPages): void {
  manager.tell('slow', { health: 'OK' })
}

async function begin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start', exact: true }).first().click()
}

function step(where: ReturnType<Page['locator']>, state: string) {
  return where.locator(`.step[data-state=${state}]`).first()
}
