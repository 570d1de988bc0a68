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
    // Its start takes until it reports that it is healthy.
    pages.manager.tell('slow', { health: 'KO' })
    await pages.manager.perform('stop', { name: 'slow' }, { waitMs: 30_000 })
    ;({ page, problems, close } = await pages.open(browser(), 'instances/slow'))
  })
  afterEach(() => close())

  it('shows the steps beside the page as they run, also after the page was loaded again', async () => {
    await begin(page)
    const strip = page.locator('.strip')
    await strip.getByText(/^Starting · \d of \d · /).waitFor()
    await strip.getByText('Steps').click()
    await step(strip, 'running').waitFor()
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await keepScreenshot(page, `strip-${width}`)
      expect(await scrollsSideways(page)).toBe(false)
      expect(await accessibilityProblems(page)).toEqual([])
    }
    // The page can be used meanwhile.
    await page.getByRole('tab', { name: 'Configuration' }).click()
    await page.getByText('SERVICE_DATABASE', { exact: true }).waitFor()
    await page.reload()
    await strip.getByText(/^Start instance "slow" · \d of \d · /).waitFor()
    end(pages)
    await strip.waitFor({ state: 'detached' })
    await page.locator('.view-aside').getByText('Running').waitFor()
    expect(problems).toEqual([])
  })

  it('shows where an operation is after its own page was loaded again', async () => {
    await begin(page)
    await openSteps(page)
    await page.locator('.strip').getByRole('link', { name: 'Show operation' }).click()
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
    await openSteps(page)
    await step(page.locator('.strip'), 'running').waitFor()
    await page.context().setOffline(true)
    await page.getByText('You are offline.', { exact: false }).waitFor()
    end(pages)
    await expect.poll(() => pages.manager.instance('slow').observed).toBe('started')
    await page.context().setOffline(false)
    await page.getByText('"slow" is started').waitFor()
  })

  it('catches up when the server was started again, which ends no operation', async () => {
    await begin(page)
    await openSteps(page)
    await step(page.locator('.strip'), 'running').waitFor()
    await pages.restart()
    end(pages)
    await page.getByText('"slow" is started').waitFor()
  })

  it('cancels a running operation, which is undone then', async () => {
    await begin(page)
    await openSteps(page)
    await page.locator('.strip').getByRole('link', { name: 'Show operation' }).click()
    await page.getByRole('button', { name: 'Cancel operation' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel operation' }).click()
    await page.getByRole('main').getByText('Rolled back', { exact: true }).waitFor()
    await keepScreenshot(page, 'operation-cancelled')
    expect(pages.manager.instance('slow').desired).toBe('stopped')
    expect(problems).toEqual([])
  })

  it('shows in the activity what runs, and how it ended', async () => {
    await begin(page)
    await page
      .locator('.strip')
      .getByText(/^Starting · /)
      .waitFor()
    await page.goto(`${pages.url}/operations?instance=slow&state=running`)
    const items = page.locator('.feed summary')
    await expect
      .poll(() => items.allTextContents())
      .toEqual([expect.stringMatching(/admin: Start · slowRunning$/) as string])
    expect(new URL(page.url()).pathname).toMatch(/activity$/)
    await items.click()
    await step(page.locator('.feed'), 'running').waitFor()
    await keepScreenshot(page, 'activity-running')
    end(pages)
    await page.getByText('No matching entries').waitFor()
    await page.getByLabel('Result', { exact: true }).selectOption('')
    await items.getByText('admin started slow').first().waitFor()
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await keepScreenshot(page, `activity-${width}`)
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
      await choose(page, 'Rename')
      await dialog.getByLabel('New name').fill('free')
      await page.keyboard.press('Enter')
      await dialog.getByRole('alert').waitFor()
    }
    const close = () => dialog.getByRole('button', { name: 'Close' }).last().click()

    // The operation continues after its dialog is closed.
    await pages.manager.perform('add', { name: 'calm' })
    await page.goto(`${pages.url}/instances/calm`)
    await choose(page, 'Rename')
    await dialog.getByLabel('New name').fill('calm2')
    pages.manager.tell('calm', { health: 'KO' })
    await page.keyboard.press('Enter')
    await step(dialog, 'running').waitFor()
    await keepScreenshot(page, 'dialog-running')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.count()).toBe(0)
    await page.locator('.strip').getByText('Rename instance "calm"', { exact: false }).waitFor()
    pages.manager.tell('calm', { health: 'OK' })
    await expect.poll(() => pages.manager.context.registry.find('calm2')?.operation).toBe('')
    await page.goto(`${pages.url}/instances/stuck`)

    await breakIt()
    await expect.poll(() => dialog.locator('.step[data-state=undoing]').count()).toBe(0)
    await expect.poll(() => dialog.locator('.step[data-state=undo-failed]').count()).toBe(1)
    await expect.poll(() => dialog.locator('.step[data-failed]').count()).toBe(1)
    await keepScreenshot(page, 'attention-dialog')
    await close()
    await main.getByRole('alert').getByText('Needs attention: stuck did not start').waitFor()
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

    // Trying again needs no answer, and what still needs attention is said in one place.
    await main.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.strip').waitFor()
    await page.locator('.strip').waitFor({ state: 'detached' })
    await main.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await main.getByRole('alert').count()).toBe(1)
    pages.manager.tell('stuck', {})
    await main.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => pages.manager.instance('stuck').operation).toBe('')
    await expect.poll(() => main.getByRole('alert').getByText('Needs attention').count()).toBe(0)
    expect(pages.manager.instance('stuck').name).toBe('stuck')

    await breakIt()
    await dialog.getByRole('link', { name: 'Show operation' }).click()
    await main.getByRole('button', { name: 'Leave as it is' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await main.getByRole('button', { name: 'Leave as it is' }).click()
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

/** Waits until the running operation has finished. */
function end({ manager }: TestPages): void {
  manager.tell('slow', { health: 'OK' })
}

async function begin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start', exact: true }).first().click()
}

async function openSteps(page: Page): Promise<void> {
  await page.locator('.strip summary').click()
}

/** Opens the form of an action in the menu of the instance. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Actions on / }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

function step(where: ReturnType<Page['locator']>, state: string) {
  return where.locator(`.step[data-state=${state}]`).first()
}
