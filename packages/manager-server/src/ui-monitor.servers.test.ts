import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityProblems, keepScreenshot, needsBrowser, scrollsSideways } from '../../../tests/browser.js'
import { createIncidentStore } from '../../manager-core/src/lib/store/incident-store.js'
import { createSampleStore } from '../../manager-core/src/lib/store/sample-store.js'
import { startPages, type TestPages } from './ui-for-test.js'

const minuteMs = 60_000

needsBrowser((browser) => {
  let pages: TestPages

  beforeAll(async () => {
    pages = await startPages({ config: ['export APPS_MONITORINTERVAL=0'] })
    for (const name of ['shop', 'wiki', 'once']) await pages.manager.perform('add', { name })
    pages.pretend(['archive'])
    await pages.manager.perform('restart', { name: 'wiki' })
    measure(pages)
  })
  afterAll(() => pages?.close())

  it('shows charts of the instance that is worst off, and in numbers what they show', async () => {
    const { page, problems, close } = await pages.open(browser(), 'monitor')
    await charts(page, 4)
    await page.getByRole('heading', { name: 'wiki', exact: true }).waitFor()
    await expect.poll(() => page.getByRole('img', { name: 'Memory of wiki' }).count()).toBe(1)
    const memory = page.getByRole('region', { name: 'Memory in numbers' }).getByRole('row').last()
    await expect.poll(() => memory.textContent()).toMatch(/^ ?wiki.* MB.* MB.* MB.* MB$/)
    const tiles = page.locator('.tiles')
    await expect.poll(() => tiles.innerText()).toMatch(/Down\s+1\s+Healthy\s+1\s+Stopped\s+1\s+Slowest\s+5 s wiki/)
    await page.getByText('unreachable').first().waitFor()
    // Its last check was an hour ago: that is not how it is now.
    await page.getByRole('row').filter({ hasText: 'once' }).getByText('Not measured recently').waitFor()
    await page.getByRole('list', { name: 'Open incidents' }).getByText('Two instances fell.').waitFor()
    // What is stopped is folded; what runs comes with the worst first, before the charts.
    const names = () => page.getByRole('table', { name: 'Instances' }).getByRole('link').allTextContents()
    await expect.poll(names).toEqual(['wiki', expect.any(String), expect.any(String)])
    await expect.poll(() => page.getByRole('link', { name: 'archive' }).isVisible()).toBe(false)
    await page.getByText('1 stopped').click()
    await page.getByRole('link', { name: 'archive' }).waitFor()
    await expect.poll(() => page.locator('link[rel=icon]').getAttribute('href')).toMatch(/mark-alert-/)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it('compares instances over the time that is chosen, all in the address', async () => {
    const { page, problems, close } = await pages.open(browser(), 'monitor')
    await charts(page, 4)
    await page.getByRole('checkbox', { name: 'Select shop' }).check()
    await page.getByRole('checkbox', { name: 'Select wiki' }).check()
    await page.getByText('7 days').click()
    await page.getByRole('img', { name: 'CPU of shop, wiki' }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?range=7d&instances=shop%2Cwiki')
    await page.reload()
    await page.getByRole('img', { name: 'CPU of shop, wiki' }).waitFor()
    await expect.poll(() => page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true)
    // Nothing was measured of one that is stopped.
    await page.goto(`${pages.url}/monitor?instances=archive`)
    await page.getByText('No measurements in this period.').first().waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('says at the cursor what was measured and what happened, and zooms into what is drawn', async () => {
    const { page, problems, close } = await pages.open(browser(), 'monitor?range=1h&instances=wiki')
    await charts(page, 4)
    const plot = page.getByRole('img', { name: 'Memory of wiki' })
    const box = (await plot.locator('.u-over').boundingBox()) as NonNullable<
      Awaited<ReturnType<ReturnType<Page['locator']>['boundingBox']>>
    >
    const tip = plot.locator('.chart-tip')
    const at = async (part: number) => {
      await page.mouse.move(box.x + box.width * part, box.y + box.height / 2)
      return tip.innerText()
    }
    await expect.poll(() => at(0.5)).toMatch(/\d\d, 20\d\d.*\s+wiki: [\d.]+ MB$/)
    await expect.poll(() => at(0.9)).toContain('Two instances fell.')
    await keepScreenshot(page, 'monitor-tip')
    // The restart is somewhere near the end.
    await expect
      .poll(async () => {
        for (let part = 1; part > 0.5; part -= 0.01) if ((await at(part)).includes('Restart: wiki')) return true
        return false
      })
      .toBe(true)
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 4 })
    await page.mouse.up()
    const drawn = () => new URL(page.url()).searchParams
    await expect.poll(() => Number(drawn().get('to')) - Number(drawn().get('from'))).toBeGreaterThan(800_000)
    expect(Number(drawn().get('to')) - Number(drawn().get('from'))).toBeLessThan(1_000_000)
    await page.reload()
    await charts(page, 4)
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await expect.poll(() => drawn().has('from')).toBe(false)
    expect(problems).toEqual([])
    await close()
  })

  it('shows a sample that has no neighbour', async () => {
    const { page, problems, close } = await pages.open(browser(), 'monitor?instances=once')
    await charts(page, 4)
    await expect.poll(() => page.evaluate(colouredPixels)).toBeGreaterThan(0)
    await keepScreenshot(page, 'monitor-once')
    expect(problems).toEqual([])
    await close()
  })

  it('fits each width, in light and dark', async () => {
    for (const [width, colorScheme] of [
      [1280, 'dark'],
      [768, 'light'],
      [360, 'dark'],
    ] as const) {
      const { page, problems, close } = await pages.open(browser(), 'monitor?instances=shop,wiki', {
        width,
        colorScheme,
      })
      await charts(page, 4)
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
      await keepScreenshot(page, `monitor-${width}`)
      expect(await scrollsSideways(page), `at ${width}`).toBe(false)
      expect(problems).toEqual([])
      await close()
    }
  })
})

/** In the first chart; its grid and texts are grey. */
const colouredPixels = `(() => {
  const canvas = document.querySelector('.chart canvas')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  let count = 0
  for (let at = 0; at < data.length; at += 4) {
    const colour = [data[at], data[at + 1], data[at + 2]]
    if (data[at + 3] > 200 && Math.max(...colour) - Math.min(...colour) > 90) count += 1
  }
  return count
})()`

function charts(page: Page, count: number): Promise<void> {
  return expect.poll(() => page.locator('.chart canvas').count()).toBe(count)
}

/** A day of samples of two instances, one of which does not answer any more. */
function measure({ manager: { context, instance } }: TestPages): void {
  const now = Date.now()
  const rows = ['shop', 'wiki'].flatMap((name, n) =>
    Array.from({ length: 288 }, (_, at) => {
      const wave = Math.sin(at / 20 + n) + 1
      const isDown = name === 'wiki' && at > 284
      return {
        instanceId: instance(name).id,
        at: now - (288 - at) * 5 * minuteMs,
        ok: !isDown,
        reason: isDown ? 'unreachable' : '',
        responseMs: isDown ? 5000 : 20 + 30 * wave * (n + 1),
        memoryMb: 80 + 10 * wave + 30 * n,
        cpuPercent: 5 + 20 * wave,
        diskMb: 12 + at / 50,
      }
    }),
  )
  const alone = { instanceId: instance('once').id, at: now - 60 * minuteMs, ok: true, reason: '', responseMs: 40 }
  createSampleStore(context.registry).add([...rows, { ...alone, memoryMb: 80, cpuPercent: 5, diskMb: 12 }])
  const { id, name } = instance('wiki')
  const opened = new Date(now - 10 * minuteMs).toISOString()
  createIncidentStore(context.registry).insert({
    opened,
    closed: '',
    message: 'Two instances fell.',
    told: '',
    instances: [{ id, name, reason: 'unreachable', opened, closed: '' }],
  } as never)
}
