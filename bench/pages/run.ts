import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { startApp, type RunningApp } from '../../tests/programs/app-server.ts'
import { findChromium } from '../../tests/servers/programs.ts'

/** Two objects that differ in nothing but the number of their records. */
const sizes = { Few: 200, Many: 100_000 } as const
type Size = keyof typeof sizes

const rounds = 15
const batch = 1000
const password = 'secret-word'

const definition = (name: Size) => `
name: ${name}
pluralLabel: ${name}
indexable: true
fields:
  p_code: { type: string, length: 20, key: true, label: Code }
  p_name: { type: string, length: 200, label: Name }
  p_kind: { type: enum, values: [fruit, tool], label: Kind }
  p_price: { type: decimal, scale: 2, index: true, label: Price }
  p_since: { type: date, label: Since }
order: [p_code]
`

/** The code of the record with the lowest price, and a word that it alone has. */
const cheapest = 'P000042'

const valuesOf = (at: number) => ({
  p_code: `P${String(at).padStart(6, '0')}`,
  p_name: `Product ${at}${at === 42 ? ' quince' : ''}`,
  p_kind: at % 2 === 0 ? 'fruit' : 'tool',
  p_price: at === 42 ? 0.01 : 1 + (at % 1000),
  p_since: `2020-01-${String((at % 28) + 1).padStart(2, '0')}`,
})

async function fill({ call }: RunningApp, name: Size): Promise<void> {
  for (let from = 0; from < sizes[name]; from += batch) {
    const count = Math.min(batch, sizes[name] - from)
    const body = Array.from({ length: count }, (_, at) => ({ action: 'create', values: valuesOf(from + at) }))
    const { status } = await call(`/${name}/_batch`, { body })
    if (status !== 200) throw new Error(`The records were not created: ${status}`)
  }
}

/** Milliseconds from an action in the page until a condition holds in a frame that it draws. */
function timed(page: Page, action: string, condition: string): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const began = performance.now()
    ${action}
    while (!(${condition})) await new Promise(requestAnimationFrame)
    return performance.now() - began
  })()`)
}

const go = (address: string) =>
  `history.pushState(null, '', '${address}'); dispatchEvent(new PopStateEvent('popstate'))`
const rows = `Number(document.querySelector('main table')?.getAttribute('aria-rowcount') ?? 0) - 1`
const firstRow = `(document.querySelector('main tbody tr')?.innerText ?? '')`

async function measure(page: Page, name: Size): Promise<Readonly<Record<string, number>>> {
  await page.evaluate(go('/ui/'))
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  const list = `/ui/${name}`
  const isList = `location.pathname === '${list}' && document.querySelector('h1')?.textContent === '${name}'`
  const firstPage = await timed(page, go(list), `${isList} && ${rows} === 100`)
  const nextPage = await timed(page, 'scrollTo(0, document.body.scrollHeight)', `${rows} === 200`)
  const sort = await timed(page, go(`${list}?_order=p_price`), `${firstRow}.includes('${cheapest}')`)
  const search = await timed(page, go(`${list}?_q=quince`), `${rows} === 1 && ${firstRow}.includes('${cheapest}')`)
  return { 'first page': firstPage, 'next page': nextPage, sort, search }
}

/** Milliseconds between frames while a list of 1,000 rows scrolls from top to bottom. */
async function frames(page: Page): Promise<readonly number[]> {
  await page.goto(new URL('/ui/Many', page.url()).href)
  for (let loaded = 100; loaded <= 1000; loaded += 100)
    await timed(page, 'scrollTo(0, document.body.scrollHeight)', `${rows} >= ${loaded}`)
  return page.evaluate<readonly number[]>(`(async () => {
    scrollTo(0, 0)
    await new Promise((resolve) => setTimeout(resolve, 500))
    const taken = []
    const end = document.body.scrollHeight - innerHeight
    let last = await new Promise(requestAnimationFrame)
    for (let at = 0; at < end && taken.length < 600; at += end / 300) {
      scrollTo(0, at)
      const now = await new Promise(requestAnimationFrame)
      taken.push(now - last)
      last = now
    }
    return taken
  })()`)
}

function part(values: readonly number[], of: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(of * sorted.length))] ?? Number.NaN
}

const spread = (values: readonly number[], digits = 0) =>
  `${part(values, 0.5).toFixed(digits)} (${part(values, 0.1).toFixed(digits)}–${part(values, 0.9).toFixed(digits)})`

const folder = await mkdtemp(join(tmpdir(), 'steward-bench-pages-'))
const executablePath = findChromium()
if (!executablePath) throw new Error('There is no Chromium on this machine.')
const files: Readonly<Record<string, string>> = {
  'app.yaml': 'name: bench\nversion: 1.0.0\nlog: { format: none }\n',
  'objects/few.yaml': definition('Few'),
  'objects/many.yaml': definition('Many'),
}
for (const [name, text] of Object.entries(files)) {
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), text)
}
const app = await startApp([folder], { password })
const browser = await chromium.launch({ executablePath })
try {
  for (const name of ['Few', 'Many'] as const) await fill(app, name)
  process.stderr.write('The records are there.\n')
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${app.origin}/ui/`)
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  const found: Readonly<Record<Size, Readonly<Record<string, number>>[]>> = { Few: [], Many: [] }
  for (let round = -1; round < rounds; round++) {
    const turn = round % 2 === 0 ? (['Few', 'Many'] as const) : (['Many', 'Few'] as const)
    for (const name of turn) {
      const times = await measure(page, name)
      // The first round warms up.
      if (round >= 0) found[name].push(times)
    }
  }
  process.stdout.write(
    `${cpus().length} cores, load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}; ${rounds} rounds; medians, 10th to 90th percentile\n\n`,
  )
  process.stdout.write(
    `| | ${sizes.Few} records, ms | 100,000 records, ms | ratio in the same round |\n| --- | --- | --- | --- |\n`,
  )
  for (const step of Object.keys(found.Few[0] ?? {})) {
    const [few, many] = [found.Few, found.Many].map((all) => all.map((times) => times[step] ?? Number.NaN))
    const ratios = many!.map((time, at) => time / (few![at] ?? Number.NaN))
    process.stdout.write(`| ${step} | ${spread(few!)} | ${spread(many!)} | ${spread(ratios, 2)} |\n`)
  }
  const taken = await frames(page)
  const late = taken.filter((time) => time > 25).length
  process.stdout.write(
    `\n1,000 rows scrolled: ${taken.length} frames, ${spread(taken, 1)} ms each, ${late} of them later than 25 ms\n`,
  )
} finally {
  await browser.close()
  await app.stop()
  await rm(folder, { recursive: true, force: true })
}
