/** @module-tag mixed */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { QualityReport } from '@steward/manager-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { startPages, type TestPages } from './ui-for-test.js'

const tabs = ['overview', 'logs', 'backups', 'data', 'configuration', 'activity'] as const
/** They are below one of the tabs. */
const parts = ['traffic', 'quality'] as const

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
    pages = await startPages({
      config: [
        'export APPS_MONITORINTERVAL=0',
        'export APPS_TARGETS=disk',
        'export APPS_TARGET_DISK_TYPE=local',
        'export APPS_TARGET_DISK_PATH="$APPS_HOME/disk"',
      ],
    })
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

  it('shows each tab at each width, in light and dark, in which axe finds nothing', { tags: 'core' }, async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo')
    const path = () => new URL(page.url()).pathname.replace('/ui/instances/demo', '')
    for (const [at, shows] of [...tabs, ...parts].entries()) {
      const part = parts.find((one) => one === shows)
      await (part === undefined
        ? page.getByRole('tab').nth(at).click()
        : page
            .getByRole('navigation', { name: 'Activity' })
            .getByRole('link')
            .nth(parts.indexOf(part) + 1)
            .click())
      await shown(page, shows)
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [768, 'light'],
        [360, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await keepScreenshot(page, `instance-${shows}-${width}`)
        expect(await scrollsSideways(page), `${shows} at ${width}`).toBe(false)
        // The contrasts of each colour are looked at in one of them.
        if (width === (at % 2 === 0 ? 1280 : 360)) expect(await accessibilityProblems(page), shows).toEqual([])
      }
      await expect.poll(path).toBe(shows === 'overview' ? '' : `/${shows}`)
    }
    // The way back is the way that was taken.
    for (const [before, isTab] of [
      ['traffic', false],
      ['activity', true],
      ['configuration', true],
    ] as const) {
      await page.goBack()
      await expect.poll(path).toBe(`/${before}`)
      if (isTab)
        await expect
          .poll(() => page.getByRole('tab', { selected: true }).textContent())
          .toMatch(new RegExp(before, 'i'))
    }
    for (const [old, now] of [
      ['health', ''],
      ['settings', '/configuration'],
      ['database', '/data'],
      ['history', '/activity'],
      ['access', '/traffic'],
    ]) {
      await page.goto(`${pages.url}/instances/demo/${old}`)
      await expect.poll(path).toBe(now)
    }
    expect(problems).toEqual([])
    await close()
  })

  it('says in its header and overview how it is, and where it is reached', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo')
    const head = page.locator('.view-head')
    await head.getByText(/^1\.0 · SQLite · up \d+/).waitFor()
    await head.getByText('Running').waitFor()
    const { url } = await itemOf(pages, 'demo')
    await page.getByRole('button', { name: 'Copy: Address' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(url)
    expect(await head.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe(url)
    await head.getByRole('button', { name: 'More addresses' }).click()
    await keepScreenshot(page, 'instance-open-menu')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await page.getByRole('menuitem', { name: 'API reference' }).getAttribute('href')).toBe(
      `${url.replace(/\/?$/, '/')}ui/_reference`,
    )
    await page.getByRole('menuitem', { name: 'Copy address' }).click()
    await head.getByRole('button', { name: 'Actions on demo' }).click()
    await keepScreenshot(page, 'instance-menu')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    // It was backed up, but never restored as a test.
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText('No backup has been test-restored yet.').waitFor()
    expect(await attention.getByText('There is no backup yet.').count()).toBe(0)
    const fact = (name: string) => page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd')
    await expect.poll(() => fact('Started').textContent()).toMatch(/ago|now/)
    // What was measured: a value alone is a dot, several are a line with their range.
    const sample = (at: number, more: object) => ({
      ...{ at: new Date(Date.now() - at * 60_000).toISOString(), ok: true, reason: '' },
      ...{ response_ms: 5, memory_mb: null, cpu_percent: 1, disk_mb: null, ...more },
    })
    await page.route(/action=samples/, (route) =>
      route.fulfill({
        json: { status: 0, message: '', list: [sample(2, {}), sample(1, { response_ms: 9, memory_mb: 50 })] },
      }),
    )
    await page.reload()
    const tile = (name: string) => page.locator('.tile', { hasText: name })
    await tile('Response time').getByText('5 ms – 9 ms').waitFor()
    // A point has no size of its own: that of its stroke is not counted.
    await tile('Memory').locator('.dots').waitFor({ state: 'attached' })
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await keepScreenshot(page, `instance-tiles-${width}`)
      expect(await scrollsSideways(page)).toBe(false)
      expect(await accessibilityProblems(page)).toEqual([])
    }
    await tile('CPU').getByRole('link').click()
    await page.waitForURL(/monitor\?instances=demo/)
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

  it('changes what can be changed of it, and says at the field what is wrong', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/configuration')
    await page.route(/action=runtimes/, (route) =>
      route.fulfill({
        json: {
          status: 0,
          message: '',
          list: [
            { name: 'process', usable: 'yes', message: '' },
            { name: 'systemd', usable: 'no', message: 'systemd is not there.' },
            { name: 'docker', usable: 'yes', message: '' },
          ],
        },
      }),
    )
    await page.reload()
    const url = page.getByLabel('Custom URL')
    const custom = () => pages.manager.instance('demo').customUrl
    await url.fill('ftp://sales.example.com')
    await page.keyboard.press('Enter')
    const alert = page.getByRole('alert')
    await alert.getByText('ftp', { exact: false }).waitFor()
    await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true')
    await keepScreenshot(page, 'configuration-wrong')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(custom()).toBe('')
    await url.fill('https://sales.example.com')
    await page.keyboard.press('Enter')
    await expect.poll(custom).toBe('https://sales.example.com')
    await page.getByText('has the custom URL https://sales.example.com now', { exact: false }).waitFor()
    await page.locator('.address-chip').getByText('https://sales.example.com').waitFor()
    await url.fill('')
    await page.keyboard.press('Enter')
    await expect.poll(custom).toBe('')

    const runtime = page.getByLabel('Runtime', { exact: true })
    const change = page.getByRole('button', { name: 'Change', exact: true })
    await runtime.selectOption('systemd')
    await alert.getByText('systemd is not there.').waitFor()
    await expect.poll(() => change.isDisabled()).toBe(true)
    await runtime.selectOption('docker')
    await change.click()
    // It is refused; the page says so once, beside what was chosen.
    await alert.getByText('docker', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Dismiss this message' }).last().click()
    await page.getByRole('switch', { name: 'Outgoing messages' }).click()
    await page.getByText('sends nothing out now', { exact: false }).waitFor()
    await expect
      .poll(() => page.getByRole('switch', { name: 'Outgoing messages' }).getAttribute('aria-checked'))
      .toBe('false')
    await page.getByRole('switch', { name: 'Outgoing messages' }).click()
    await page.getByText('sends again now', { exact: false }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('changes its settings, says at the field what is wrong, and offers a restart', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/configuration')
    const dialog = page.getByRole('dialog')
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })
    const save = dialog.getByRole('button', { name: 'Save' })
    const text = () => readFileSync(pages.manager.path('demo', 'settings.sh'), 'utf8')
    const change = (name: string) => page.getByRole('button', { name: `Change: ${name}` }).click()

    await row('SERVICE_LIMIT_PROCESSES').getByText('1024').waitFor()
    await row('SERVICE_URL').getByText('The manager derives it from the port of the instance.').waitFor()
    expect(await page.getByRole('button', { name: 'Change: SERVICE_URL' }).count()).toBe(0)
    await change('SERVICE_LIMIT_PROCESSES')
    const value = dialog.getByLabel('Value', { exact: true })
    await value.fill('3')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').getByText('must be 0 (no limit) or a whole number from 32').waitFor()
    expect(await value.getAttribute('aria-invalid')).toBe('true')
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await keepScreenshot(page, `setting-wrong-${width}`)
      expect(await scrollsSideways(page)).toBe(false)
      expect(await accessibilityProblems(page)).toEqual([])
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await value.fill('512')
    await save.click()
    await page.getByText('SERVICE_LIMIT_PROCESSES of "demo" is set.', { exact: false }).waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    await row('SERVICE_LIMIT_PROCESSES').getByText('512').waitFor()
    expect(text()).toContain('SERVICE_LIMIT_PROCESSES=512\n')
    await page.getByText('Some changes take effect when the instance is restarted.').waitFor()
    await keepScreenshot(page, 'setting-restart')
    expect(await accessibilityProblems(page)).toEqual([])
    // Beside the settings, and beside what was said where the user is.
    await expect.poll(() => page.getByRole('button', { name: 'Restart now' }).count()).toBe(2)
    await page.getByRole('button', { name: 'Restart now' }).last().click()
    await dialog.getByRole('button', { name: 'Restart', exact: true }).click()
    await expect
      .poll(() => pages.manager.context.registry.history({ limit: 1 })[0]?.action, { timeout: 60_000 })
      .toBe('restart')
    await expect.poll(() => page.getByText('Some changes take effect').count(), { timeout: 60_000 }).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Restart now' }).count()).toBe(0)

    await change('SERVICE_LIMIT_PROCESSES')
    await dialog.getByRole('button', { name: 'Use default' }).click()
    await row('SERVICE_LIMIT_PROCESSES').getByText('1024').waitFor()
    expect(text()).not.toContain('SERVICE_LIMIT_PROCESSES')
    expect(problems).toEqual([])
    await close()
  })

  it('sends a secret in no address, and never shows it', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/configuration')
    const dialog = page.getByRole('dialog')
    const addresses: string[] = []
    page.on('request', (request) => void addresses.push(request.url()))
    await page.getByRole('button', { name: 'Add variable' }).click()
    await dialog.getByLabel('Variable').fill('SHOP_API_KEY')
    const secret = dialog.getByLabel('New value (never shown)')
    expect(await secret.getAttribute('type')).toBe('password')
    await secret.fill('firstsecret')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const change = page.getByRole('button', { name: 'Change: SHOP_API_KEY' })
    await change.click()
    expect([await secret.inputValue(), await secret.getAttribute('type')]).toEqual(['', 'password'])
    await keepScreenshot(page, 'setting-secret')
    expect(await accessibilityProblems(page)).toEqual([])
    await secret.fill('s3cond&secret=é')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => dialog.count()).toBe(0)
    const file = pages.manager.path('demo', 'settings.sh')
    expect(readFileSync(file, 'utf8')).toContain("SHOP_API_KEY='s3cond&secret=é'\n")
    expect(await page.content()).not.toMatch(/firstsecret|s3cond/)
    expect(addresses.filter((address) => /setting-set/.test(address))).toHaveLength(2)
    expect(addresses.filter((address) => /firstsecret|s3cond/.test(address))).toEqual([])
    await change.click()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect.poll(() => change.count()).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('SHOP_API_KEY')
    expect(problems).toEqual([])
    await close()
  })

  it('shows a conflict when two change its settings, and saves when the user decides again', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/configuration')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Change: SERVICE_SLEEP_AFTER' }).click()
    await dialog.getByLabel('Value', { exact: true }).fill('100')
    await pages.manager.perform('setting set', { name: 'demo', variable: 'SERVICE_SLEEP_AFTER', value: '200' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('The settings were changed meanwhile').waitFor()
    await dialog.getByText('200', { exact: true }).waitFor()
    await keepScreenshot(page, 'setting-conflict')
    expect(await accessibilityProblems(page)).toEqual([])
    const text = () => readFileSync(pages.manager.path('demo', 'settings.sh'), 'utf8')
    expect(text()).toContain('SERVICE_SLEEP_AFTER=200\n')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(text).toContain('SERVICE_SLEEP_AFTER=100\n')
    // The browser reports the 409 by itself.
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([])
    await close()
  })

  it('offers those who may change one instance only what stays within it', async () => {
    const { item } = await pages.manager.perform('token add', { name: 'shop', abilities: 'operate', instances: 'demo' })
    const { token } = item as { readonly token: string }
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/configuration', {
      as: { name: 'shop', password: token },
    })
    await page.getByRole('button', { name: 'Change: SERVICE_SLEEP_AFTER' }).waitFor()
    expect(await page.getByRole('button', { name: /^Change: / }).count()).toBe(1)
    await page.getByText('Include empty settings').click()
    await page.getByText('This requires the ability "admin", which you do not have.').first().waitFor()
    expect(await page.getByRole('button', { name: /^Change: / }).count()).toBe(1)
    expect(problems).toEqual([])
    await close()
  })

  it('asks where to copy a backup to, and shows it on a tab at once', async () => {
    await pages.manager.perform('add', { name: 'unsaved', 'no-start': true })
    const { page, problems, close } = await pages.open(browser(), 'instances/unsaved/backups')
    const tab = page.getByRole('tabpanel')
    await tab.getByText('No backups yet').waitFor()
    await choose(page, 'unsaved', 'Back up now')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'disk' }).check()
    await keepScreenshot(page, 'dialog-save')
    expect(await accessibilityProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Back up now' }).click()
    await dialog.getByText('is backed up', { exact: false }).waitFor()
    await tab.locator('tbody tr', { hasText: 'disk' }).waitFor()
    await page.keyboard.press('Escape')
    // Without targets nothing needs to be asked.
    await page.route(/action=target-list/, (route) => route.fulfill({ json: { status: 0, message: '', list: [] } }))
    await page.goto(`${pages.url}/instances/unsaved`)
    await page.getByRole('tabpanel').getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('is backed up', { exact: false }).waitFor()
    await page.getByText('All 2 backups').waitFor()
    expect(await dialog.count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })

  it('asks once before it restarts what runs, and continues beside the page', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/logs')
    const restart = page.getByRole('button', { name: 'Restart', exact: true })
    const { updated } = pages.manager.instance('demo')
    await restart.click()
    const dialog = page.getByRole('dialog', { name: 'Restart demo?' })
    expect(await accessibilityProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => dialog.count()).toBe(0)
    expect(pages.manager.instance('demo').updated).toBe(updated)
    await restart.click()
    await dialog.getByRole('button', { name: 'Restart' }).click()
    await page.getByText('"demo" is restarted', { exact: false }).waitFor()
    await expect.poll(() => page.locator('.strip').count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })

  it('deletes, leads to the list, and offers to undo it; for good only when the name was typed', async () => {
    await pages.manager.perform('add', { name: 'gone', 'no-start': true })
    const { page, problems, close } = await pages.open(browser(), 'instances/gone')
    await choose(page, 'gone', 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete · gone' })
    await dialog.getByText('“gone” moves to the trash. You can restore it until').waitFor()
    await keepScreenshot(page, 'dialog-delete')
    expect(await accessibilityProblems(page)).toEqual([])
    const confirmation = dialog.getByLabel('To confirm, type gone')
    expect(await confirmation.count()).toBe(0)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`${pages.url}/`)
    const toast = page.getByRole('status', { name: 'Messages' })
    await toast.getByText('“gone” moved to the trash.').waitFor()
    await keepScreenshot(page, 'toast-undo')
    expect(await accessibilityProblems(page)).toEqual([])
    await toast.getByRole('button', { name: 'Undo' }).click()
    await toast.getByText('“gone” is restored.').waitFor()
    expect(pages.manager.instance('gone').name).toBe('gone')

    await page.goto(`${pages.url}/instances/gone`)
    await choose(page, 'gone', 'Delete')
    await dialog.getByText('More options').click()
    await dialog.getByLabel('Delete permanently, skip trash').check()
    await dialog.getByText('“gone” and its database will be deleted permanently.').waitFor()
    await confirmation.fill('demo')
    await page.keyboard.press('Enter')
    expect(await dialog.locator('.step').count()).toBe(0)
    await confirmation.fill('gone')
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
    await expect.poll(() => row('back').getByRole('cell').allTextContents()).toContain('tester')
    await expect.poll(() => row('back').textContent()).toMatch(/[\d.]+ kB/)
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
    await row('never').getByRole('button', { name: 'Delete now' }).click()
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
    await choose(page, 'old', 'Rename')
    const dialog = page.getByRole('dialog')
    const name = dialog.getByLabel('New name')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('new')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.ariaHasPopup')).toBe('menu')
    await choose(page, 'old', 'Rename')
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
    const [download] = await Promise.all([page.waitForEvent('download'), choose(page, 'demo', 'Download data')])
    expect(download.suggestedFilename()).toMatch(/^demo-data-.*\.tar\.gz$/)
    expect(problems).toEqual([])
    await close()
  })

  it('says why something failed, and what the program said', async () => {
    await pages.manager.perform('add', { name: 'broken', 'no-start': true })
    pages.manager.tell('broken', { start: 'fail' })
    const { page, close } = await pages.open(browser(), 'instances/broken', { width: 360, colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    // What, why, the result, and all that the program said: each once.
    const alert = page.getByRole('alert')
    await alert.getByText('broken did not start', { exact: true }).waitFor()
    expect(await page.getByText('did not start', { exact: false }).count()).toBe(1)
    expect(await page.getByText('fails to start, as it was told').count()).toBe(1)
    await alert.getByText('All changes were rolled back.', { exact: false }).waitFor()
    await keepScreenshot(page, 'dialog-failed')
    expect(await scrollsSideways(page)).toBe(false)
    expect(await accessibilityProblems(page)).toEqual([])
    await close()
  })

  it('restores a backup as a new instance, and in place only when the name was typed', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/backups')
    const trigger = page.getByRole('button', { name: 'Actions on the backup of' })
    const menu = page.getByRole('menu')
    const focused = () => page.evaluate('document.activeElement.textContent')
    // With keys alone: the arrows go around, letters lead to what begins with them, Escape gives the focus back.
    await trigger.focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).toBe('Restore')
    await keepScreenshot(page, 'backup-actions')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('ArrowUp')
    await expect.poll(focused).toBe('Download')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('v')
    await expect.poll(focused).toBe('Verify')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate('document.activeElement.ariaHasPopup')).toBe('menu')
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Restore')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('To confirm, type demo').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.ariaHasPopup')).toBe('menu')
    // With the mouse: a press elsewhere closes it, a press on its button, too.
    await trigger.click()
    await menu.waitFor()
    await trigger.click()
    await menu.waitFor({ state: 'hidden' })
    await trigger.click()
    await page.getByRole('heading', { level: 1 }).click()
    await menu.waitFor({ state: 'hidden' })
    await trigger.click()
    await page.getByRole('menuitem', { name: 'Restore as a new instance' }).click()
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
    await page.getByRole('tab', { name: 'Configuration' }).click()
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

  it('follows the log as it is written, tells levels apart, finds, opens and links lines', async () => {
    const { page, problems, close } = await pages.open(browser(), 'instances/demo/logs')
    const log = page.getByRole('log')
    const file = pages.manager.path('demo', 'logs', 'application.log')
    const write = (...lines: readonly (string | object)[]) =>
      appendFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
    const lines = log.locator('.log-line')
    await log.getByText('fake application server').first().waitFor()
    const level = (name: string) => page.getByRole('group', { name: 'Levels' }).getByRole('button', { name })
    const time = Date.parse('2026-01-02T03:04:05.678Z')
    write('one warning', 'two ERROR token=abcdef0123456789', {
      level: 30,
      time,
      msg: 'request',
      method: 'GET',
      url: '/quiet',
      status: 200,
      requestId: 'r77',
    })
    await log.getByText('GET /quiet 200').waitFor()
    expect(await log.textContent()).not.toContain('abcdef0123456789')
    await expect.poll(() => level('Errors').textContent()).toBe('Errors1')
    // The rest of a line, and its link.
    expect(await log.textContent()).not.toContain('r77')
    await log.getByText('GET /quiet 200').click()
    await log.getByText('r77').waitFor()
    await keepScreenshot(page, 'logs-open')
    expect(await accessibilityProblems(page)).toEqual([])
    await log.getByRole('button', { name: 'Copy: Link to this line' }).click()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(link).toBe(`${pages.url}/instances/demo/logs?at=2026-01-02T03:04:05.678Z`)
    // Errors alone are asked for from the server; others join them.
    await level('Errors').click()
    await expect.poll(() => lines.count()).toBe(1)
    write({ level: 50, time: Date.now(), msg: 'grave', err: { message: 'bad', stack: 'x\n    at f (x.ts:1:2)' } })
    await log.getByText('grave: bad').waitFor()
    await level('Info').click()
    await log.getByText('GET /quiet 200').waitFor()
    expect(await log.getByText('one warning').count()).toBe(0)
    await level('Errors').click()
    await level('Info').click()
    await log.getByText('one warning').waitFor()
    // Words lead from match to match, the newest first.
    write('apple 1', 'pear', 'apple 2')
    await log.getByText('apple 2').waitFor()
    await page.getByLabel('Search the log').fill('APPLE')
    const current = log.locator('.log-line.current')
    await page.getByText('1 of 2 matches').waitFor()
    await expect.poll(() => current.textContent()).toContain('apple 2')
    await page.keyboard.press('Enter')
    await expect.poll(() => current.textContent()).toContain('apple 1')
    await page.getByRole('button', { name: 'Newer match' }).click()
    await expect.poll(() => current.locator('mark').textContent()).toBe('apple')
    await page.getByText('1 of 2 matches').waitFor()
    await page.getByLabel('Search the log').fill('nothing of that kind')
    await page.getByText('No matches').waitFor()
    await page.getByLabel('Search the log').fill('')
    await page.getByRole('button', { name: 'Wrap lines' }).click()
    await expect.poll(() => log.getAttribute('class')).not.toContain('wrapped')
    // It stays where the user scrolled to, and follows again on request.
    write(...Array.from({ length: 80 }, (_, n) => `filler ${n}`))
    await log.getByText('filler 79').waitFor()
    await log.evaluate('document.querySelector("[role=log]").scrollTop = 0')
    const follow = page.getByRole('button', { name: /^Follow/ })
    await follow.waitFor()
    write('while away')
    await page.getByRole('button', { name: 'Follow (1 new)' }).click()
    await log.getByText('while away').waitFor()
    await expect.poll(() => follow.count()).toBe(0)
    // After a restart of the server it continues.
    await pages.restart()
    write('three')
    await log.getByText('three').waitFor()
    problems.length = 0
    await page.goto(link)
    await log.getByText('r77').waitFor()
    await keepScreenshot(page, 'logs-linked')
    await page.goto(`${pages.url}/instances/demo/logs?at=2999-01-01T00:00:00.000Z`)
    await page.getByText('The linked line is not among the loaded lines.').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('speaks French to who prefers it', async () => {
    const { page, close } = await pages.open(browser(), 'instances/demo', { locale: 'fr-FR' })
    await page.getByRole('tab', { name: 'Aperçu' }).waitFor()
    await page.getByText('Protection et planification').waitFor()
    await close()
  })

  it('says so when there is no such instance', async () => {
    const { page, close } = await pages.open(browser(), 'instances/nobody')
    await page.getByText('Instance “nobody” does not exist').waitFor()
    await close()
  })
})

/** Starts an action of the menu in the header. */
async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions on ${name}` }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/** An instance as the API answers it. */
async function itemOf({ manager }: TestPages, name: string): Promise<{ readonly url: string }> {
  return (await manager.perform('get', { name })).item as { readonly url: string }
}

/** Waits for what a tab or a part is about. */
async function shown(page: Page, shows: (typeof tabs)[number] | (typeof parts)[number]): Promise<void> {
  const panel = page.getByRole('tabpanel')
  const texts = {
    overview: 'Protection and schedule',
    logs: 'fake application server',
    backups: 'Actions',
    data: 'data/database.db',
    configuration: 'SERVICE_DATABASE',
    activity: 'created',
    traffic: '10.0.0.1',
    quality: 'objects/a.yaml:3',
  } as const
  await panel.getByText(texts[shows]).first().waitFor()
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
}
