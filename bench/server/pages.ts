import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser } from 'playwright-core'
import { findChromium } from '../../tests/servers/programs.ts'
import { freePort, managerProgram, median, openHome, progress } from '../manager/commands.ts'
import type { Figure, Size } from '../manager/figure.ts'
import { fill } from '../manager/fill.ts'
import { authorization, startOnCore } from './load.ts'

const bare = fileURLToPath(new URL('bare.mjs', import.meta.url))

/** From the first request on, until rows are there and the search has found the one that is looked for. */
const usable = `(async () => {
  const until = async (isSo) => {
    while (!isSo()) await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  const rows = () => document.querySelectorAll('.instance-name').length
  await until(() => rows() > 10)
  const search = document.querySelector('input[type=search]')
  search.value = 'instance777'
  search.dispatchEvent(new Event('input', { bubbles: true }))
  await until(() => rows() === 1)
  return performance.now()
})()`

/** What no page can do without: the answer is there, and is data. */
const fetched = `fetch(location.href).then((answer) => answer.json()).then(() => performance.now())`

/** The list of 1,000 instances in Chromium until it is usable, against a load of nothing but its data. */
export async function benchPages({ rounds }: Size): Promise<readonly Figure[]> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('Chromium is not installed.')
  const home = await openHome()
  const running: { stop(): Promise<void> }[] = []
  let browser: Browser | undefined
  try {
    fill(home, 1000)
    writeFileSync(join(home.folder, 'config.sh'), 'export APPS_BASEURL=http://localhost:8000\n', { mode: 0o600 })
    const [port, barePort] = [await freePort(), await freePort()]
    const api = `http://127.0.0.1:${port}/api?action=list`
    running.push(
      await startOnCore([managerProgram, 'serve', '--home', home.folder, '--listen', `127.0.0.1:${port}`], api),
    )
    const file = join(home.folder, 'answer.json')
    writeFileSync(file, Buffer.from(await (await fetch(api, { headers: { authorization } })).arrayBuffer()))
    const peer = `http://127.0.0.1:${barePort}/api`
    running.push(await startOnCore([bare, String(barePort), file], peer))

    browser = await chromium.launch({ executablePath })
    const times: Record<'ours' | 'peer', number[]> = { ours: [], peer: [] }
    for (let round = 0; round < rounds * 3; round++) {
      times.ours.push(await timeOf(browser, `http://127.0.0.1:${port}/ui/`, usable))
      times.peer.push(await timeOf(browser, peer, fetched))
      progress(`pages: load ${round + 1} of ${rounds * 3}`)
    }
    const title = 'list of 1,000 instances in Chromium, first load until searched (to: its data alone)'
    return [{ title, ours: median(times.ours), peer: median(times.peer), unit: 'ms', noMore: 1000 }]
  } finally {
    await browser?.close()
    for (const { stop } of running) await stop()
    await home.close()
  }
}

/** In a context of its own, so that nothing is cached. */
async function timeOf(browser: Browser, url: string, script: string): Promise<number> {
  const context = await browser.newContext({
    httpCredentials: { username: 'admin', password: 'admin', send: 'always' },
  })
  try {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'commit' })
    return Number(await page.evaluate(script))
  } finally {
    await context.close()
  }
}
