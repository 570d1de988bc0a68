import { parseArgs } from 'node:util'
import { systemPrincipal } from '@steward/rest-core'
import { categoryCount, words } from './data.ts'
import { databaseKinds, startDatabase, type BenchDatabase } from './databases.ts'
import { load } from './load.ts'
import { cpuSeconds, describeMachine, familySeconds, requireMachine } from './machine.ts'
import { list, whole } from './options.ts'
import { startServer, type ServerProcess } from './process.ts'
import { authorization } from './servers.ts'
import { openSteward } from './steward-app.ts'
import { removeAbandonedFolders } from './test-servers.ts'

export const keysHelp = `Usage: npm run bench -- keys [options]

Measures get of records that two columns identify against get of the same records with a row id of their own.

  --databases <list>    ${databaseKinds.join(',')} (default: all)
  --items <n>           rows of each table, default 100000
  --rounds <n>          samples of each, default 31
  --seconds <n>         length of a sample, default 1
  --connections <n>     connections of the load generator, default 16
  --help                this text
`

/** Most CPU time that a get by two columns may take, as a multiple of one by a row id. */
const mostRatio = 1.05

const linesOfOrder = 10

/** A get of each object, as the load generator knows it. */
const gets = [
  { operation: 'get', path: '/api/rest/Line/' },
  { operation: 'getKeyed', path: '/api/rest/KeyedLine/' },
] as const

interface Figures {
  readonly perSecond: number
  /** CPU time per request, of server and database. */
  readonly micros: number
}

interface Sampling {
  readonly items: number
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Runs the bench of keys of several columns: ratios to a single one, per database. */
export async function benchKeys(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      databases: { type: 'string', default: databaseKinds.join(',') },
      items: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '31' },
      seconds: { type: 'string', default: '1' },
      connections: { type: 'string', default: '16' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(keysHelp)
  const databases = list('databases', values.databases, databaseKinds)
  const sampling: Sampling = {
    items: whole('items', values.items, 1000),
    rounds: whole('rounds', values.rounds, 1),
    seconds: whole('seconds', values.seconds, 1),
    connections: whole('connections', values.connections, 1),
  }
  const { items, rounds, seconds, connections } = sampling
  removeAbandonedFolders()
  await requireMachine()
  console.log(`${describeMachine()}\n${items} lines, ${rounds} × ${seconds} s, ${connections} connections\n`)
  for (const kind of databases) {
    process.stderr.write(`${kind}: filling ${items} rows\n`)
    const database = await startDatabase(kind, 1000)
    try {
      await fillLines(database, items)
      const steward = await startServer('steward', { ...database.target, lines: true })
      try {
        await checkLines(steward)
        console.log(await compareGets(database, steward, sampling))
      } finally {
        await steward.stop()
      }
    } finally {
      await database.close()
    }
  }
}

/** Makes both tables with the same lines, and lets the user of the bench read them. */
async function fillLines({ db, target }: BenchDatabase, items: number): Promise<void> {
  const { store, service } = await openSteward({ ...target, lines: true })
  try {
    await store.sync(service.model)
    const self = systemPrincipal()
    for await (const groups of await service.search(self, 'Group', { filters: { grp_name: 'BENCH' } }))
      for (const { row_id: group } of groups)
        for (const object of ['Line', 'KeyedLine'])
          await service.create(self, 'Grant', { grt_group_id: group, grt_object: object, grt_rights: 'R' })
  } finally {
    await store.close()
  }
  for (let first = 0; first < items; first += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, items - first) }, (_, at) => lineOf(first + at))
    for (const table of ['line', 'keyed_line']) await db.batchInsert(table, rows, 500)
  }
  if (target.kind === 'postgresql') await db.raw('vacuum analyze line, keyed_line')
  else await db.raw(target.kind === 'mysql' ? 'analyze table line, keyed_line' : 'analyze')
}

function lineOf(at: number): object {
  return {
    lin_order: 1 + Math.floor(at / linesOfOrder),
    lin_no: 1 + (at % linesOfOrder),
    lin_text: `${words[at % words.length]} ${words[at % 7]}`,
    lin_price: (at % 10_000) / 100,
    lin_qty: at % 100,
    lin_date: '2024-05-06',
    lin_category_id: 1 + (at % categoryCount),
  }
}

/** Both are the same but for their row ids. */
async function checkLines({ port }: ServerProcess): Promise<void> {
  const [plain, keyed] = await Promise.all(
    ['Line/123', 'KeyedLine/13~3'].map(async (path) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/rest/${path}`, { headers: { authorization } })
      return (await response.json()) as object
    }),
  )
  const [left, right] = [plain, keyed].map((record) => JSON.stringify({ ...record, row_id: '' }))
  if (left !== right || !left?.includes('"lin_no":3')) throw new Error(`The records differ: ${left}, ${right}`)
}

/** Both take turns, in the other order in every second round, so that slow moments of the machine hit them alike. */
async function compareGets(database: BenchDatabase, steward: ServerProcess, sampling: Sampling): Promise<string> {
  const samples: Record<(typeof gets)[number]['operation'], Figures[]> = { get: [], getKeyed: [] }
  for (let round = 0; round <= sampling.rounds; round++) {
    for (const get of round % 2 === 1 ? gets : gets.toReversed()) {
      const figures = await sample(database, steward, get, sampling)
      if (round > 0) samples[get.operation].push(figures)
    }
  }
  const show = (name: keyof Figures) => {
    const ratios = samples.get.map((plain, round) => samples.getKeyed[round]![name] / plain[name]).toSorted(byValue)
    const [plain, keyed] = [samples.get, samples.getKeyed].map((own) =>
      median(own.map((each) => each[name])).toFixed(0),
    )
    const [low, high] = [ratios.length >> 2, (3 * ratios.length) >> 2].map((at) => ratios[at]!.toFixed(2))
    return { ratio: median(ratios), text: `${keyed} against ${plain}, ${median(ratios).toFixed(3)} (${low}–${high})` }
  }
  const [cpu, rate] = [show('micros'), show('perSecond')]
  const verdict = cpu.ratio <= mostRatio ? 'met' : 'MISSED'
  return `${database.title}: CPU µs per get ${cpu.text}, wanted ${mostRatio}: ${verdict}; requests/s ${rate.text}`
}

async function sample(
  database: BenchDatabase,
  { pid, port }: ServerProcess,
  get: (typeof gets)[number],
  { seconds, connections, items }: Sampling,
): Promise<Figures> {
  const used = () => cpuSeconds(pid) + (database.pid === undefined ? 0 : familySeconds(database.pid))
  const before = used()
  const result = await load({ port, seconds, connections, items, ...get })
  return { perSecond: result.requests / result.seconds, micros: ((used() - before) / result.requests) * 1e6 }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted(byValue)[numbers.length >> 1] as number
}

function byValue(a: number, b: number): number {
  return a - b
}
