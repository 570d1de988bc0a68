import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { startPages, type TestPages } from './ui-for-test.js'

const as = { name: 'admin', password: 'a-password' }
const flood = "printf '\\033[1;32mgreen\\033[0m \\033[38;2;255;120;0mtrue colour\\033[0m \\033[7minverse\\033[0m\\n'\n"

needsBrowser((browser) => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages({
      refresh: false,
      config: ['APPS_TERMINAL=yes', 'APPS_USER=nobody', 'APPS_MONITORINTERVAL=0', 'APPS_PASSWORD=a-password'],
    })
  })
  afterAll(() => pages?.close())

  it.each([
    [360, 'light'],
    [768, 'dark'],
    [1280, 'light'],
  ] as const)('shows a terminal at %i pixels, %s', async (width, colorScheme) => {
    const { page, problems, close } = await pages.open(browser(), 'terminal', { width, colorScheme, as })
    const input = page.getByRole('textbox', { name: 'Terminal input' })
    await page.getByText('Open', { exact: true }).waitFor()
    await expect.poll(() => input.evaluate('document.activeElement.ariaLabel')).toBe('Terminal input')
    await page.keyboard.type(flood)
    await page.keyboard.type('echo result=$((6 * 7))\n')
    const rows = page.locator('.xterm-rows')
    await expect.poll(() => rows.innerText()).toContain('result=42')
    expect(await scrollsSideways(page)).toBe(false)
    await keepScreenshot(page, `terminal-${width}-${colorScheme}`)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it('is left by the keyboard, says that the shell has ended, and opens again', async () => {
    const { page, problems, close } = await pages.open(browser(), 'activity', { as })
    // Also when the page was loaded at another view.
    await page.getByRole('link', { name: 'Terminal' }).click()
    await page.getByText('Open', { exact: true }).waitFor()
    await page.keyboard.press('Control+Shift+L')
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('terminal-about')
    await page.locator('.xterm-screen').click()
    await page.keyboard.type('exit\n')
    await page.getByRole('alert').getByText('The shell has ended.').waitFor()
    await keepScreenshot(page, 'terminal-ended')
    const again = page.getByRole('button', { name: 'Reconnect' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Reconnect')
    await again.press('Enter')
    await page.getByText('Open', { exact: true }).waitFor()
    await page.keyboard.type('echo again=$((1 + 1))\n')
    await expect.poll(() => page.locator('.xterm-rows').innerText()).toContain('again=2')
    await page.getByRole('button', { name: 'Screen reader mode' }).click()
    expect(problems).toEqual([])
    await close()
  })

  it('says why there is none', async () => {
    const { page, close } = await pages.open(browser(), 'terminal?instance=nobody', { as })
    await page.getByRole('alert').getByText('No instance is named "nobody".').waitFor()
    await keepScreenshot(page, 'terminal-refused')
    await close()
  })
})
