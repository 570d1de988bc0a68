import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, inject, it } from 'vitest'
import { chromiumReasonVariable, chromiumVariable } from './servers/chromium.js'
import { processTree } from './servers/processes.js'
import { serverHasStarted, serverIsEnding } from './servers/times.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests that change the network may run at the same time. */
    besideNetworkTests: boolean
  }
}

/** Only what hangs is ended. */
const stepTimeoutMs = 150_000

/**
 * Defines tests in a real headless Chromium, which one group shares. Without Chromium they are skipped and the reason is
 * shown; in CI that is a failure.
 *
 * @param args of the program
 */
export function needsBrowser(define: (browser: () => Browser) => void, args: readonly string[] = []): void {
  const executablePath = process.env[chromiumVariable]
  if (!executablePath) return absent(process.env[chromiumReasonVariable] ?? `${chromiumVariable} is not set.`)
  if (inject('besideNetworkTests')) throw new Error('Add this file to "pages" in tests/tiers.ts.')
  describe('in Chromium', () => {
    let browser: Browser
    let pid: number | undefined
    beforeAll(async () => {
      // Other threads of JavaScript have nothing to win where tests have all processors: a tenth of the CPU less.
      browser = await chromium.launch({ executablePath, args: ['--js-flags=--single-threaded', ...args] })
      pid = processTree(process.pid).find(({ parent, name }) => parent === process.pid && /chrom/.test(name))?.pid
      if (pid !== undefined) serverHasStarted('chromium', pid)
    })
    afterAll(async () => {
      if (pid !== undefined) serverIsEnding(pid)
      await browser?.close()
    })
    define(() => browser)
    // Defined last, so that it runs before a file closes its pages.
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') process.stderr.write(`${await whatIsShown(browser)}\n`)
    })
  })
}

/** The address and the text of each open page, so that a failure elsewhere can be understood. */
async function whatIsShown(browser: Browser): Promise<string> {
  const pages = browser.contexts().flatMap((context) => context.pages())
  const texts = pages.map(async (page) => {
    const text = await page.locator('body').innerText({ timeout: 10_000 })
    return `${page.url()} shows:\n${text.replaceAll(/\n+/g, '\n').slice(0, 4000)}`
  })
  const shown = await Promise.allSettled(texts)
  return shown.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))).join('\n\n')
}

function absent(reason: string): void {
  it('in Chromium', ({ skip }) => {
    if (process.env['CI']) throw new Error(`The browser is missing in CI: ${reason}`)
    skip(reason)
  })
}

export interface PageOptions {
  /** Width of the window in CSS pixels. Default 1280. */
  readonly width?: number
  /** What the user prefers. Default `light`. */
  readonly colorScheme?: 'light' | 'dark'
  /** Its language, as in `fr-FR`. Default `en-US`. */
  readonly locale?: string
  /** Asks pages to save data. Default: no. */
  readonly saveData?: boolean
  /** Cookies and storage, as of a user who has signed in. Default: none. */
  readonly state?: Exclude<BrowserContextOptions['storageState'], string | undefined>
}

/** A page in a context of its own, which is watched. */
export interface WatchedPage {
  readonly page: Page
  /**
   * What went wrong so far: errors and warnings of the console (violations of the content security policy are among
   * them), exceptions, requests to other origins. Answers with an error status are not.
   */
  readonly problems: string[]
  close(): Promise<void>
}

/** Opens an address in a window. */
export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, colorScheme = 'light', locale = 'en-US', saveData = false, state }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    ...{ colorScheme, locale, acceptDownloads: true, reducedMotion: 'reduce' as const },
    ...(state && { storageState: state }),
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(stepTimeoutMs)
  await slowDown(page)
  if (saveData) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true })
  }
  const problems: string[] = []
  const { origin } = new URL(url)
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource: the server responded with a status of')
    if (['error', 'warning'].includes(message.type()) && !isAnswer) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    const address = request.url()
    if (/^https?:/.test(address) && new URL(address).origin !== origin) problems.push(`Request to ${address}`)
  })
  await page.goto(url)
  return { page, problems, close: () => context.close() }
}

/**
 * Makes a slow connection and a slow machine of this one, with `TEST_SLOW_PAGES=<milliseconds>`: every second answer comes
 * this much later, and the page has a quarter of the CPU. What a test reads before the page shows it is found by that.
 */
async function slowDown(page: Page): Promise<void> {
  const delay = Number(process.env['TEST_SLOW_PAGES'] ?? 0)
  if (!delay) return
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  let requests = 0
  await page.route('**/*', async (route) => {
    if (++requests % 2 === 0) await setTimeout(delay)
    // The page may have left meanwhile.
    await route.continue().catch(() => {})
  })
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What axe finds wrong for people who use assistive technology, a line per place; contrasts are among it.
 *
 * @param targets also what is smaller than 24 pixels, or too near to others (WCAG 2.5.8)
 */
export async function accessibilityProblems(page: Page, { targets = false } = {}): Promise<string[]> {
  // Not by a script element, which a content security policy forbids.
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(axeSource)
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
    {
      rules: { 'target-size': { enabled: targets } },
      // Without what it would gather of all that is right, and fetch of style sheets.
      resultTypes: ['violations'] satisfies axe.resultGroups[],
      selectors: false,
      preload: false,
    },
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Whether the page is wider than its window, so that one must scroll sideways. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
}

/** Keeps a picture of the whole page as `<name>.png` in the folder that `TEST_SCREENSHOTS` names, to be looked at. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['TEST_SCREENSHOTS']
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
