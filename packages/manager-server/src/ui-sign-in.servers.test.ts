import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  accessibilityProblems,
  keepScreenshot,
  needsBrowser,
  openPage,
  scrollsSideways,
  type WatchedPage,
} from '../../../tests/browser.js'
import { writeHook } from '../../manager-core/src/lib/testing/write-hook.js'
import { startPages, type TestPages } from './ui-for-test.js'

needsBrowser((browser) => {
  let pages: TestPages
  let watched: WatchedPage
  let page: Page

  beforeAll(async () => {
    pages = await startPages({
      config: [
        'export APPS_MONITORINTERVAL=0',
        'export APPS_LOGINATTEMPTS=3',
        'export APPS_BASEURL=http://localhost:8000/manager',
      ],
    })
    await pages.manager.perform('add', { name: 'alpha', 'no-start': true })
    watched = await openPage(browser(), `${pages.url}/activity?q=alpha`)
    ;({ page } = watched)
  })
  afterAll(async () => {
    await watched?.close()
    await pages?.close()
  })

  const signIn = async (on: Page, password: string) => {
    await on.getByLabel('User name').fill('admin')
    await on.getByLabel('Password').fill(password)
    await on.getByRole('button', { name: 'Sign in' }).click()
  }
  const isAt = async (on: Page, path: string) => {
    await expect.poll(() => on.url()).toBe(`${pages.url}${path}`)
  }
  const sessions = async () => (await pages.manager.perform('session list')).list as readonly { id: string }[]
  const wantsPassword = (on: Page) => on.getByLabel('Password').waitFor()

  it('asks for the password on a page of its own, and leads to the page that was wanted', async () => {
    await wantsPassword(page)
    await isAt(page, `/sign-in?next=${encodeURIComponent('/manager/ui/activity?q=alpha')}`)
    await expect.poll(() => page.title()).toBe('Sign in · Steward')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('login')
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await keepScreenshot(page, `sign-in-${width}-${colorScheme}`)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await signIn(page, 'wrong')
    await page.getByRole('alert').getByText('Wrong user name or password.').waitFor()
    await keepScreenshot(page, 'sign-in-wrong')
    await signIn(page, 'admin')
    await page.getByRole('heading', { name: 'Activity' }).waitFor()
    await isAt(page, '/activity?q=alpha')
    const readable = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie')
    expect(readable).not.toMatch(/password|steward_session_/)
    expect(await page.context().cookies()).toContainEqual(
      expect.objectContaining({ name: expect.stringMatching(/^steward_session_/), httpOnly: true, sameSite: 'Strict' }),
    )
  })

  it('says who is signed in and what they may do', async () => {
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByText('Signed in as admin').waitFor()
    await page.getByText('Abilities: read, operate, admin, sensitive').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await keepScreenshot(page, 'account')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  it('asks again over the page when the session has ended, which keeps what was typed and continues', async () => {
    await page.goto(`${pages.url}/`)
    await page.getByRole('button', { name: 'New instance' }).click()
    const dialog = page.getByRole('dialog', { name: 'New instance' })
    await dialog.locator('[name=name]').fill('beta')
    writeHook(pages.manager.home, 'pre-add', 'exit 1')
    const [session] = await sessions()
    await pages.manager.perform('session remove', { id: session!.id })
    await dialog.getByRole('button', { name: 'Create' }).click()
    const over = page.getByRole('dialog', { name: 'Sign in' })
    await over.getByText('Your session has ended. Sign in to continue.').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('password')
    await keepScreenshot(page, 'sign-in-again')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await over.getByLabel('User name').inputValue()).toBe('admin')
    await over.getByLabel('Password').fill('admin')
    await over.getByRole('button', { name: 'Sign in' }).click()
    await over.waitFor({ state: 'detached' })
    // The refused request was sent again: the hook refuses it.
    await dialog.getByRole('alert').getByText('pre-add.sh failed', { exact: false }).first().waitFor()
    await dialog.getByRole('button', { name: 'Edit' }).click()
    await expect.poll(() => dialog.locator('[name=name]').inputValue()).toBe('beta')
    await page.keyboard.press('Escape')
  })

  it('downloads by a ticket, and needs no password in another tab', async () => {
    const other = await page.context().newPage()
    await other.goto(`${pages.url}/sign-in?next=${encodeURIComponent('/manager/ui/instances/alpha/logs')}`)
    await isAt(other, '/instances/alpha/logs')
    const started = other.waitForEvent('download')
    await other.locator('a[download]').first().click()
    const download = await started
    expect(new URL(download.url()).searchParams.get('ticket')).toMatch(/^[\w-]{32}$/)
    expect(await download.failure()).toBeNull()
    expect(download.suggestedFilename()).toContain('alpha')

    // A tab in which the user signs out takes the others along.
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await wantsPassword(page)
    await wantsPassword(other)
    await isAt(other, `/sign-in?next=${encodeURIComponent('/manager/ui/instances/alpha/logs')}`)
    expect(await sessions()).toEqual([])
    await other.close()
    expect(watched.problems).toEqual([])
  })

  it('leads nowhere but to its own pages', async () => {
    await page.goto(`${pages.url}/sign-in?next=//evil.test/manager/ui/`)
    await wantsPassword(page)
    await page.getByLabel('Stay signed in').check()
    await signIn(page, 'admin')
    await page.getByRole('link', { name: 'alpha', exact: true }).waitFor()
    await isAt(page, '/')
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name.startsWith('steward_session'))
    expect(cookie?.expires).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400)
  })

  it('says so when the browser blocks cookies, and when there were too many wrong passwords', async () => {
    const blocked = await openPage(browser(), `${pages.url}/`)
    await blocked.page.route('**/api/session', async (route) => {
      const response = await route.fetch()
      await blocked.page.context().clearCookies()
      const { 'set-cookie': _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    await wantsPassword(blocked.page)
    await signIn(blocked.page, 'admin')
    await blocked.page.getByRole('alert').getByText('Your browser blocks cookies of this site.').waitFor()
    for (let n = 0; n < 3; n++) {
      const refused = blocked.page.waitForResponse(
        (response) => response.request().method() === 'POST' && !response.ok(),
      )
      await signIn(blocked.page, `guess ${n}`)
      await refused
      await blocked.page.getByRole('alert').waitFor()
    }
    await signIn(blocked.page, 'admin')
    await blocked.page.getByRole('alert').getByText('Too many wrong passwords.').waitFor()
    await blocked.close()
  })
})
