import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { QualityReport } from '@steward/manager-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { startPages, type TestPages } from './ui-for-test.js'

const tabs = ['overview', 'settings', 'database', 'backups', 'logs', 'history', 'access', 'health', 'quality'] as const

const qualityReport = {
  format: 'steward-quality',
  version: 1,
  instance: 'demo',
  application: '1.0',
  server: 'local',
  at: '2026-01-01T00:00:00.000Z',
  gate: 'ERROR',
  notes: ['Types are not checked.'],
  modules: [
    {
      module: 'objects',
      gate: 'ERROR',
      measures: { errors: 1, coverage: 81.5 },
      issues: [
        {
          rule: 'slow-sort',
          severity: 'error',
          message: '<b>No index</b>',
          module: 'objects',
          file: 'objects/a.yaml',
          line: 3,
        },
      ],
    },
  ],
} as const satisfies QualityReport

needsBrowser((browser) => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages({ config: ['export APPS_MONITORINTERVAL=0'] })
    await pages.manager.perform('add', { name: 'demo' })
    await pages.manager.perform('save', { name: 'demo' })
    const requests = [200, 200, 404].map((status, n) =>
      JSON.stringify({
        level: 30,
        time: Date.now() - n * 60_000,
        msg: 'request',
        address: '10.0.0.1',
        user: 'ann',
        method: 'GET',
        url: `/page${n}?a=1`,
        status,
        bytes: 2000,
        durationMs: 12 + n,
      }),
    )
    mkdirSync(pages.manager.path('demo', 'quality'))
    writeFileSync(pages.manager.path('demo', 'quality', '20260101T000000Z.json'), JSON.stringify(qualityReport))
    appendFileSync(pages.manager.path('demo', 'logs', 'application.log'), `${requests.join('\n')}\n`)
  })
  afterAll(() => pages?.close())

  it('shows each tab at each width, in light and dark, in which axe finds nothing', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo')
    for (const [at, tab] of tabs.entries()) {
      await page.getByRole('tab').nth(at).click()
      await shown(page, tab)
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [768, 'light'],
        [360, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await keepScreenshot(page, `instance-${tab}-${width}`)
        expect(await scrollsSideways(page), `${tab} at ${width}`).toBe(false)
        // The contrasts of each colour are looked at in one of them.
        if (width === (at % 2 === 0 ? 1280 : 360)) expect(await accessibilityProblems(page), tab).toEqual([])
      }
      await expect
        .poll(() => new URL(page.url()).pathname)
        .toBe(`/ui/instances/demo${tab === 'overview' ? '' : `/${tab}`}`)
    }
    expect(problems).toEqual([])
    await close()
  })

  it('shows an analysis with its gate and measures, and asks for one where there is none', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/quality')
    await page.getByRole('tabpanel').getByText('Failed').first().waitFor()
    await page.locator('dt', { hasText: 'coverage' }).locator('+ dd', { hasText: '81.5' }).waitFor()
    await page.getByText('<b>No index</b>').waitFor()
    rmSync(pages.manager.path('demo', 'quality'), { recursive: true })
    await page.reload()
    await page.getByText('Not analysed yet').waitFor()
    await page.getByRole('button', { name: 'Analyse' }).click()
    await page.getByRole('dialog', { name: 'Analyse · demo' }).waitFor()
    // The browser reports the 404 by itself.
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
    await close()
  })

  it('shows what runs it, and lets another one run it', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo')
    await page.locator('dt', { hasText: 'Runtime' }).waitFor()
    await expect.poll(() => page.locator('dt', { hasText: 'Runtime' }).locator('+ dd').textContent()).toBe('process')
    await page.getByRole('button', { name: 'Change runtime' }).click()
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.locator('select option').count()).toBeGreaterThan(1)
    await dialog.locator('select').selectOption('process')
    await dialog.getByRole('button', { name: 'Change runtime' }).click()
    await dialog.getByText('"demo" already has the runtime "process".').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('shows on a tab at once what was done with the button in the header', async () => {
    await pages.manager.perform('add', { name: 'unsaved', 'no-start': true })
    const { page, problems, close } = await pages.open(browser(), 'instances/unsaved/backups')
    const tab = page.getByRole('tabpanel')
    await tab.getByText('No backups yet').waitFor()
    await page.locator('.view-actions').getByRole('button', { name: 'Back up now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Back up now' }).click()
    await page.getByRole('dialog').getByText('is backed up', { exact: false }).waitFor()
    await tab.locator('tbody tr').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('deletes only when the name was typed, and leads to the list then', async () => {
    await pages.manager.perform('add', { name: 'gone', 'no-start': true })
    const { page, problems, close } = await pages.open(browser(), 'instances/gone')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete · gone' })
    await dialog.getByText('“gone” moves to the trash.').waitFor()
    await keepScreenshot(page, 'dialog-delete')
    expect(await accessibilityProblems(page)).toEqual([])
    await dialog.getByLabel('To confirm, type gone').fill('demo')
    await page.keyboard.press('Enter')
    expect(await dialog.locator('.step').count()).toBe(0)
    await dialog.getByLabel('To confirm, type gone').fill('gone')
    await page.keyboard.press('Enter')
    await dialog.getByText('Instance "gone" is deleted', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.waitForURL(`${pages.url}/`)
    expect(problems).toEqual([])
    await close()
  })

  it('restores from the trash, and deletes permanently what is in it', async () => {
    for (const name of ['back', 'never']) {
      await pages.manager.perform('add', { name, 'no-start': true })
      await pages.manager.perform('delete', { name })
    }
    const { page, problems, close } = await pages.open(browser())
    await page.getByRole('link', { name: /in trash$/ }).click()
    const row = (name: string) => page.locator('tbody tr', { has: page.getByText(name, { exact: true }) })
    const dialog = page.getByRole('dialog')
    await row('back').waitFor()
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await keepScreenshot(page, `trash-${width}`)
      expect(await scrollsSideways(page)).toBe(false)
      expect(await accessibilityProblems(page)).toEqual([])
    }
    await row('back').getByRole('button', { name: 'Restore' }).click()
    await dialog.getByRole('button', { name: 'Restore from trash' }).click()
    await dialog.getByText('Instance "back" is back', { exact: false }).first().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect.poll(() => row('back').count()).toBe(0)
    expect(pages.manager.instance('back').name).toBe('back')
    await row('never').getByRole('button', { name: 'Delete permanently' }).click()
    await dialog.getByLabel('To confirm, type never').fill('never')
    await page.keyboard.press('Enter')
    await dialog.getByText('is permanently deleted', { exact: false }).first().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect.poll(() => row('never').count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })

  it('shows what would be done, does it, and leads to where it is then', async () => {
    await pages.manager.perform('add', { name: 'old', 'no-start': true })
    const { page, problems, close } = await pages.open(browser(), 'instances/old')
    const rename = page.getByRole('button', { name: 'Rename' })
    await rename.click()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByLabel('New name')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('new')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Rename')
    await page.keyboard.press('Enter')
    await name.fill('demo')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByRole('alert').getByText('demo', { exact: false }).first().waitFor()
    await name.fill('new1')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('What will be done').waitFor()
    expect(pages.manager.instance('old').name).toBe('old')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByText('is now named "new1"', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('heading', { name: 'new1', level: 1 }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('gives its data as a file', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Data', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^demo-data-.*\.tar\.gz$/)
    expect(problems).toEqual([])
    await close()
  })

  it('says why something failed, and what the program said', async () => {
    await pages.manager.perform('add', { name: 'broken', 'no-start': true })
    pages.manager.tell('broken', { start: 'fail' })
    const { page, close } = await pages.open(browser(), 'instances/broken', { width: 360, colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Start', exact: true }).first().click()
    const alert = page.getByRole('dialog').getByRole('alert')
    await alert.getByText('broken', { exact: false }).first().waitFor()
    await alert.getByText('Output').click()
    await alert.getByText('fails to start, as it was told').waitFor()
    await keepScreenshot(page, 'dialog-failed')
    expect(await scrollsSideways(page)).toBe(false)
    expect(await accessibilityProblems(page)).toEqual([])
    await close()
  })

  it('restores a backup as a new instance, and in place only when the name was typed', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/backups')
    const menu = page.getByText('Actions', { exact: true }).last()
    await menu.click()
    await keepScreenshot(page, 'backup-actions')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('To confirm, type demo').waitFor()
    await page.keyboard.press('Escape')
    await menu.click()
    await page.getByRole('button', { name: 'Restore as a new instance' }).click()
    await dialog.getByLabel('Name of the new instance').fill('copy1')
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await dialog.getByText('Instance "copy1" (from', { exact: false }).waitFor()
    expect(pages.manager.instance('copy1').source).not.toBe('')
    expect(problems).toEqual([])
    await close()
  })

  it('changes a flag at once, and shows a password only when it is asked to', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo')
    const flag = page.getByRole('switch', { name: 'Delete protection' })
    await flag.click()
    await page.getByText('Instance "demo" is protected now.').waitFor()
    // The page asks for the instance again before it shows the flag as it is now.
    await expect.poll(() => flag.getAttribute('aria-checked')).toBe('true')
    await page.getByRole('button', { name: 'I/O credentials' }).click()
    const dialog = page.getByRole('dialog')
    const { password } = await pages.manager.context.settings.instance(pages.manager.path('demo'))
    await dialog.getByText('••••••••').first().waitFor()
    expect(await page.content()).not.toContain(password.reveal())
    await dialog.getByRole('button', { name: 'Show: I/O password' }).click()
    await dialog.getByText(password.reveal()).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('follows the log as it is written, from a level on, pauses, searches and wraps', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/logs')
    const log = page.getByRole('log')
    const file = pages.manager.path('demo', 'logs', 'application.log')
    await log.getByText('fake application server').first().waitFor()
    appendFileSync(file, 'one warning\n')
    await log.getByText('one warning').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    appendFileSync(file, 'two ERROR token=abcdef0123456789\n')
    await page.getByRole('button', { name: 'Resume (1 new)' }).click()
    await log.getByText('two ERROR').waitFor()
    expect(await log.textContent()).not.toContain('abcdef0123456789')
    await page.getByLabel('Level').selectOption({ label: 'Warnings and errors' })
    const request = { level: 30, time: Date.now(), msg: 'request', method: 'GET', url: '/quiet', status: 200 }
    appendFileSync(file, `${JSON.stringify(request)}\n`)
    appendFileSync(file, `${JSON.stringify({ level: 50, time: Date.now(), msg: 'grave' })}\n`)
    await log.getByText('ERROR grave').waitFor()
    expect(await log.textContent()).not.toContain('/quiet')
    await page.getByLabel('Level').selectOption({ label: 'All' })
    await log.getByText('INFO GET /quiet 200').waitFor()
    await page.getByLabel('Search the log').fill('two error')
    await expect.poll(() => log.locator('.log-line').count()).toBe(1)
    await expect.poll(() => log.locator('mark').textContent()).toBe('two ERROR')
    await page.getByRole('button', { name: 'Wrap lines' }).click()
    await expect.poll(() => log.getAttribute('class')).not.toContain('wrapped')
    // After a restart of the server it goes on.
    await page.getByLabel('Search the log').fill('')
    await pages.restart()
    appendFileSync(file, 'three\n')
    await log.getByText('three').waitFor()
    problems.length = 0
    await close()
  })

  it('speaks French to who prefers it', async () => {
    const { page, close } = await pages.open(browser(), 'instances/demo', { locale: 'fr-FR' })
    await page.getByRole('tab', { name: 'Aperçu' }).waitFor()
    await page.getByText('Dernière sauvegarde').waitFor()
    await close()
  })

  it('says so when there is no such instance', async () => {
    const { page, close } = await pages.open(browser(), 'instances/nobody')
    await page.getByText('Instance “nobody” does not exist').waitFor()
    await close()
  })
})

/** Waits for what a tab is about. */
async function shown(page: Page, tab: (typeof tabs)[number]): Promise<void> {
  const panel = page.getByRole('tabpanel')
  const texts = {
    overview: 'Last backup',
    settings: 'SERVICE_DATABASE',
    database: 'data/database.db',
    backups: 'Actions',
    logs: 'fake application server',
    history: 'Create instance',
    access: '10.0.0.1',
    health: 'Healthy',
    quality: 'objects/a.yaml:3',
  } as const
  await panel.getByText(texts[tab]).first().waitFor()
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
}
