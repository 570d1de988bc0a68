import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { startPages, type TestPages } from './ui-for-test.js'

needsBrowser((browser) => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages({
      config: [
        'export APPS_MONITORINTERVAL=0',
        'export APPS_TARGETS=disk',
        'export APPS_TARGET_DISK_TYPE=local',
        'export APPS_TARGET_DISK_PATH="$APPS_HOME/disk"',
        'export APPS_MAILPASSWORD=s3cret-mail',
      ],
    })
  })
  afterAll(() => pages?.close())

  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

  it('shows versions, targets, schedule, checks, tokens and settings, at each width, in light and dark', async () => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      const { page, problems, close } = await pages.open(browser(), 'manager', { width, colorScheme })
      await part(page, 'Versions').getByText('1.0', { exact: true }).waitFor()
      await part(page, 'Backup targets').getByText('disk', { exact: true }).waitFor()
      await part(page, 'Schedule').getByText('manager schedule install').waitFor()
      await part(page, 'Settings').getByText('APPS_TARGET_DISK_TYPE', { exact: true }).waitFor()
      expect(await page.content()).not.toContain('s3cret-mail')
      await part(page, 'Checks').getByRole('button', { name: 'Check', exact: true }).click()
      await part(page, 'Checks').getByRole('status').waitFor()
      await part(page, 'Checks').getByLabel('Show all checks').check()
      await part(page, 'Checks').getByText('OK', { exact: true }).first().waitFor()
      await keepScreenshot(page, `manager-${width}-${colorScheme}`)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
      expect(problems).toEqual([])
      await close()
    }
  })

  it('shows how to turn on what is off, and how to create the first instance', async () => {
    const { page, problems, close } = await pages.open(browser(), 'terminal')
    await page.getByRole('heading', { name: 'The terminal is off' }).waitFor()
    await page.getByText('export APPS_TERMINAL=yes', { exact: true }).waitFor()
    await page.goto(`${pages.url}/requests`)
    await page.getByText('export APPS_ALLOWREGISTER=yes', { exact: true }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.goto(`${pages.url}/`)
    await page.getByText('manager add demo', { exact: true }).waitFor()
    await keepScreenshot(page, 'first-run')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('link', { name: 'Check passwords' }).click()
    await part(page, 'Versions').waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('fetches versions, tests a target, creates a token, shows it once and revokes it', async () => {
    const { page, problems, close } = await pages.open(browser(), 'manager')
    const dialog = page.getByRole('dialog')
    const end = async () => {
      await dialog.getByRole('button', { name: 'Close' }).last().click()
      await dialog.waitFor({ state: 'hidden' })
    }
    await part(page, 'Versions').getByRole('button', { name: 'Fetch updates' }).click()
    await dialog.getByRole('button', { name: 'Fetch', exact: false }).last().click()
    await dialog
      .getByText(/unchanged/)
      .first()
      .waitFor()
    await end()

    await part(page, 'Backup targets').getByRole('button', { name: 'Test: disk' }).click()
    await dialog.getByText(/0 checks passed, 1 failed/).waitFor()
    await dialog.getByText(/is not there|does not exist/i).waitFor()
    await end()
    await mkdir(join(pages.manager.home, 'disk'))
    await part(page, 'Backup targets').getByRole('button', { name: 'Test: disk' }).click()
    await dialog.getByText(/checks passed, 0 failed/).waitFor()
    await end()

    await part(page, 'Access tokens').getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabel('Name', { exact: false }).first().fill('prometheus')
    await dialog.getByRole('button').last().click()
    await dialog.getByText('It is not shown again.', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Copy: Token' }).click()
    await keepScreenshot(page, 'manager-token')
    await dialog.getByRole('button', { name: 'Copied: Token' }).waitFor()
    const secret = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(secret.length).toBeGreaterThan(20)
    await end()
    await part(page, 'Access tokens').getByText('prometheus', { exact: true }).waitFor()
    expect(await page.content()).not.toContain(secret)
    const asked = await fetch(`${pages.url.replace(/\/ui$/, '')}/api?action=list`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    expect(asked.status).toBe(200)

    await part(page, 'Access tokens').getByRole('button', { name: 'Revoke: prometheus' }).click()
    await dialog.getByRole('textbox').fill('prometheus')
    await dialog.getByRole('button').last().click()
    await dialog.getByText('Token "prometheus" is removed', { exact: false }).waitFor()
    await end()
    await part(page, 'Access tokens').getByText('There are no tokens.').waitFor()
    expect(problems).toEqual([])
    await close()
  })
})
