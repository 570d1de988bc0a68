import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, managerProgram, median, openHome, progress } from '../manager/commands.ts'
import type { Figure, Size } from '../manager/figure.ts'
import { fill } from '../manager/fill.ts'
import { authorization, load, startOnCore } from './load.ts'

const bare = fileURLToPath(new URL('bare.mjs', import.meta.url))
const seconds = 5

/** `action=list` of 1,000 instances against a bare Koa route that sends the same bytes, each on one core. */
export async function benchList({ rounds }: Size): Promise<readonly Figure[]> {
  const home = await openHome()
  const running: { stop(): Promise<void> }[] = []
  try {
    fill(home, 1000)
    // With the password that the load has.
    const settings = 'export APPS_BASEURL=http://localhost:8000\n'
    writeFileSync(join(home.folder, 'config.sh'), settings, { mode: 0o600 })
    const [port, barePort] = [await freePort(), await freePort()]
    const [ours, peer] = [urlAt(port), urlAt(barePort)]
    const serve = [managerProgram, 'serve', '--home', home.folder, '--listen', `127.0.0.1:${port}`]
    running.push(await startOnCore(serve, ours))
    const bytes = Buffer.from(await (await fetch(ours, { headers: { authorization } })).arrayBuffer())
    const file = join(home.folder, 'answer.json')
    writeFileSync(file, bytes)
    running.push(await startOnCore([bare, String(barePort), file], peer))
    const rates: Record<'ours' | 'peer', number[]> = { ours: [], peer: [] }
    for (const url of [ours, peer]) await load(url, 1)
    for (let round = 0; round < rounds; round++) {
      rates.ours.push(await load(ours, seconds))
      rates.peer.push(await load(peer, seconds))
      progress(`list: round ${round + 1} of ${rounds}`)
    }
    const title = `action=list of 1,000 instances, ${Math.round(bytes.length / 1024)} kB, one core (to: bare Koa route)`
    return [
      { title, ours: median(rates.ours), peer: median(rates.peer), unit: 'requests/s', atLeast: 0.5, enough: 1000 },
    ]
  } finally {
    for (const { stop } of running) await stop()
    await home.close()
  }
}

function urlAt(port: number): string {
  return `http://127.0.0.1:${port}/api?action=list`
}
