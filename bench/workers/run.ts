import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { password, startServer } from './app-server.ts'
import { databases, startDatabase } from './database.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    rows: { type: 'string', default: '20000' },
    database: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean' },
  },
})

if (options.help) {
  console.log(
    'usage: npm run bench:workers -- [--rounds 5] [--seconds 5] [--rows 20000] [--database sqlite|postgresql|mysql]',
  )
  process.exit(0)
}

const [rounds, seconds, rows] = [Number(options.rounds), Number(options.seconds), Number(options.rows)]
const kind = databases.find((each) => each === options.database)
if (!kind) throw new Error(`Unknown database "${options.database}". Known: ${databases.join(', ')}.`)
const headers = {
  authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
  'content-type': 'application/json',
}

interface Figures {
  /** CPU time of all processes per small request, in µs. */
  readonly cpuMicros: number
  readonly perSecond: number
  /** Latency of small requests while long searches run, in ms. */
  readonly p99: number
}

const folder = await mkdtemp(join(tmpdir(), 'steward-bench-workers-'))
const database = await startDatabase(kind, folder)
try {
  await mkdir(join(folder, 'objects'))
  await writeFile(join(folder, 'app.yaml'), 'name: bench\nversion: 1.0.0\nlog: { format: none, level: warn }\n')
  await writeFile(
    join(folder, 'objects/item.yaml'),
    'name: Item\nfields:\n  itm_code: { type: string, key: true }\n  itm_text: { type: string }\n',
  )
  await fill()
  const of: Record<number, Figures[]> = { 1: [], 4: [] }
  for (let round = 0; round < rounds; round++)
    // Who goes first changes, so that what else the machine does meets both.
    for (const count of round % 2 === 0 ? [1, 4] : [4, 1]) of[count]?.push(await withServer(count, measure))
  print(of)
} finally {
  await database.close()
  await rm(folder, { recursive: true, force: true })
}

async function fill(): Promise<void> {
  await withServer(1, async (origin) => {
    for (let from = 0; from < rows; from += 5000) {
      const items = Array.from({ length: Math.min(5000, rows - from) }, (_, at) => ({
        action: 'create',
        values: { itm_code: `I${from + at}`, itm_text: 'x'.repeat(60) },
      }))
      await send(origin, 'POST', '/api/rest/Item/_batch', new Agent(), items)
    }
  })
}

async function withServer<T>(count: number, work: (origin: string, pid: number) => Promise<T>): Promise<T> {
  const { origin, pid, stop } = await startServer(folder, database.url, ['--workers', String(count)])
  try {
    if (count > 1) await untilAllRun(origin, count)
    return await work(origin, pid)
  } finally {
    await stop()
  }
}

async function untilAllRun(origin: string, count: number): Promise<void> {
  for (;;) {
    const health = (await send(origin, 'GET', '/health.json', new Agent())) as { workers: { running: number } }
    if (health.workers.running === count) return
    await sleep(100)
  }
}

async function measure(origin: string, pid: number): Promise<Figures> {
  await small(origin, 16, 1)
  const before = await cpuSeconds(pid)
  const quiet = await small(origin, 16, seconds)
  const cpu = (await cpuSeconds(pid)) - before
  const end = Date.now() + seconds * 1000
  const searches = Array.from({ length: 4 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (Date.now() < end) await send(origin, 'GET', '/api/rest/Item/', agent)
    agent.destroy()
  })
  const busy = await small(origin, 8, seconds)
  await Promise.all(searches)
  return { cpuMicros: (cpu / quiet.length) * 1e6, perSecond: quiet.length / seconds, p99: quantile(busy, 0.99) }
}

/** Reads single records over that many connections. @returns how long each took, in ms. */
async function small(origin: string, connections: number, forSeconds: number): Promise<number[]> {
  const end = performance.now() + forSeconds * 1000
  const took: number[] = []
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (performance.now() < end) {
      const began = performance.now()
      await send(origin, 'GET', `/api/rest/Item/${1 + Math.floor(Math.random() * rows)}`, agent)
      took.push(performance.now() - began)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: connections }, client))
  return took
}

function send(origin: string, method: string, path: string, agent: Agent, body?: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { method, agent, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks)
        if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode} ${text.toString()}`))
        else resolve(text.length < 10_000 ? JSON.parse(text.toString()) : undefined)
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Includes the processes that it started. */
async function cpuSeconds(pid: number): Promise<number> {
  let ticks = 0
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(name) === pid || Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / 100
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function print(of: Readonly<Record<number, readonly Figures[]>>): void {
  console.log(
    `${kind}, ${availableParallelism()} CPU cores, load ${loadavg()[0]?.toFixed(1)}, ${rounds} rounds of ${seconds} s`,
  )
  for (const name of ['cpuMicros', 'perSecond', 'p99'] as const) {
    const [one = [], four = []] = [of[1], of[4]].map((figures) => figures?.map((figure) => figure[name]))
    const ratios = four.map((figure, at) => figure / (one[at] ?? Number.NaN))
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    console.log(
      `${name}: 1 worker ${quantile(one, 0.5).toFixed(1)}, 4 workers ${quantile(four, 0.5).toFixed(1)}, ` +
        `4 against 1: ${quantile(ratios, 0.5).toFixed(2)} (${spread})`,
    )
  }
}
