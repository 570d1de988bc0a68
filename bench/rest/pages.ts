import { Agent, request, type IncomingMessage } from 'node:http'
import { parseArgs } from 'node:util'
import { databaseKinds, startDatabase, type BenchDatabase } from './databases.ts'
import { describeMachine, memory, requireMachine } from './machine.ts'
import { base } from './operations.ts'
import { list, whole } from './options.ts'
import { startServer, type ServerProcess } from './process.ts'
import { authorization } from './servers.ts'
import { removeAbandonedFolders } from './test-servers.ts'

export const pagesHelp = `Usage: npm run bench -- pages [options]

Walks through all records by cursor over HTTP and compares the first pages with the last ones; then exports all records
as NDJSON and watches the server's memory.

  --databases <list>    ${databaseKinds.join(',')} (default: all)
  --items <n>           rows of the table, default 1000000
  --size <n>            records per page, default 100
  --rounds <n>          measured calls of the first and of the last page each, default 200
  --help                this text
`

/** Most time that the last page may take, as a multiple of the first one's. */
const mostRatio = 1.2
/** Most memory that an export may need on top of an idle server's. */
const mostMiB = 100

/** Row id, a unique field, an index with a thousand records per value. */
const orders = ['row_id', 'itm_code', '-itm_category_id'] as const

interface Settings {
  readonly items: number
  readonly size: number
  readonly rounds: number
}

/** Runs the bench of pages by cursor and of the export, per database. */
export async function benchPages(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      databases: { type: 'string', default: databaseKinds.join(',') },
      items: { type: 'string', default: '1000000' },
      size: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '200' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(pagesHelp)
  const databases = list('databases', values.databases, databaseKinds)
  const settings = {
    items: whole('items', values.items, 1000),
    size: whole('size', values.size, 1),
    rounds: whole('rounds', values.rounds, 1),
  }
  removeAbandonedFolders()
  await requireMachine()
  console.log(`${describeMachine()}\n${settings.items} items, ${settings.size} per page, ${settings.rounds} calls\n`)
  for (const kind of databases) {
    process.stderr.write(`${kind}: filling ${settings.items} rows\n`)
    const database = await startDatabase(kind, settings.items)
    const steward = await startServer('steward', database.target)
    try {
      for (const order of orders) console.log(await measurePages(database, steward, order, settings))
      console.log(await measureExport(database, steward, settings))
    } finally {
      await steward.stop()
      await database.close()
    }
  }
}

async function measurePages(
  { title }: BenchDatabase,
  steward: ServerProcess,
  order: string,
  { items, size, rounds }: Settings,
): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const pageAt = (cursor: string) => read(steward, agent, `?_order=${order}&_pagesize=${size}&_cursor=${cursor}`)
  try {
    const cursors = ['']
    let records = 0
    for (let next: string | undefined = ''; next !== undefined;) {
      const page = await pageAt(next)
      records += page.records
      next = page.next
      if (next !== undefined) cursors.push(next)
    }
    if (records !== items) throw new Error(`Pages by "${order}" hold ${records} records, not ${items}.`)
    // The last page may be short; the one before it is a page like the others. They take turns with the first one.
    const far = cursors.length - 2
    const [first, last]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      first.push(await timed(() => pageAt('')))
      last.push(await timed(() => pageAt(cursors[far] ?? '')))
    }
    const ratio = median(last) / median(first)
    const verdict = ratio <= mostRatio ? 'met' : 'MISSED'
    return `${title}: by ${order}: page 1 ${median(first).toFixed(2)} ms, page ${far + 1} ${median(last).toFixed(2)} ms, ${ratio.toFixed(2)} × page 1, wanted ${mostRatio}: ${verdict}`
  } finally {
    agent.destroy()
  }
}

async function measureExport({ title }: BenchDatabase, steward: ServerProcess, { items }: Settings): Promise<string> {
  const agent = new Agent()
  const before = memory(steward.pid).nowMiB
  let most = before
  const timer = setInterval(() => (most = Math.max(most, memory(steward.pid).nowMiB)), 20)
  const start = performance.now()
  const response = await call(steward, agent, '', 'application/x-ndjson')
  let [lines, bytes] = [0, 0]
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
  }
  clearInterval(timer)
  const seconds = (performance.now() - start) / 1000
  if (lines !== items) throw new Error(`The export has ${lines} lines, not ${items}.`)
  const added = most - before
  const verdict = added <= mostMiB ? 'met' : 'MISSED'
  return `${title}: export of ${items} records: ${seconds.toFixed(1)} s, ${(bytes / 2 ** 20).toFixed(0)} MiB, memory +${added.toFixed(0)} MiB (most ${most.toFixed(0)}), wanted +${mostMiB}: ${verdict}`
}

async function read(steward: ServerProcess, agent: Agent, rest: string): Promise<{ records: number; next?: string }> {
  const response = await call(steward, agent, rest, 'application/json')
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  const records = (JSON.parse(Buffer.concat(chunks).toString()) as unknown[]).length
  const next = response.headers['x-next-cursor']
  return { records, ...(typeof next === 'string' && { next }) }
}

function call({ port }: ServerProcess, agent: Agent, rest: string, accept: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, accept }
    request({ host: '127.0.0.1', port, path: base + rest, headers, agent }, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`A search was answered with ${response.statusCode}`))
    })
      .on('error', reject)
      .end()
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number
}
