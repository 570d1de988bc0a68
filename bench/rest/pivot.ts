import { parseArgs } from 'node:util'
import type { Knex } from 'knex'
import { databaseKinds, startDatabase, type BenchDatabase, type DatabaseKind } from './databases.ts'
import { describeMachine, requireMachine } from './machine.ts'
import { base } from './operations.ts'
import { list, whole } from './options.ts'
import { startServer, type ServerProcess } from './process.ts'
import { authorization } from './servers.ts'
import { removeAbandonedFolders } from './test-servers.ts'

export const pivotHelp = `Usage: npm run bench -- pivot [options]

Measures pivot tables over HTTP against the raw GROUP BY on the same database.

  --databases <list>    ${databaseKinds.join(',')} (default: all)
  --items <n>           rows of the table, default 1000000
  --rounds <n>          measured calls of each, after one that is not counted, default 5
  --help                this text
`

/** Most time that a pivot table may take, as a multiple of the raw statement's. */
const mostRatio = 1.2

type PivotName = 'own' | 'joined'

const yearOf: Readonly<Record<DatabaseKind, string>> = {
  sqlite: 'substr(itm_date, 1, 4)',
  postgresql: `date_trunc('year', itm_date)`,
  mysql: 'year(itm_date)',
}

/** What a user would write for the pivot tables of `model.ts`. */
const statements: Readonly<Record<PivotName, (kind: DatabaseKind) => string>> = {
  own: (kind) =>
    `select itm_status, ${yearOf[kind]} as y, count(*), sum(itm_price), avg(itm_qty) from item group by itm_status, ${yearOf[kind]}`,
  joined: () =>
    'select cat_name, count(*), sum(itm_price) from item left join category on category.row_id = itm_category_id group by cat_name',
}

/** Runs the bench of pivot tables: median times and their ratio, per database. */
export async function benchPivots(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      databases: { type: 'string', default: databaseKinds.join(',') },
      items: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '5' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(pivotHelp)
  const databases = list('databases', values.databases, databaseKinds)
  const items = whole('items', values.items, 1000)
  const rounds = whole('rounds', values.rounds, 1)
  removeAbandonedFolders()
  await requireMachine()
  console.log(`${describeMachine()}\n${items} items, median of ${rounds}\n`)
  for (const kind of databases) {
    process.stderr.write(`${kind}: filling ${items} rows\n`)
    const database = await startDatabase(kind, items)
    const steward = await startServer('steward', database.target)
    try {
      for (const name of Object.keys(statements) as PivotName[])
        console.log(await measurePivot(database, steward, name, items, rounds))
    } finally {
      await steward.stop()
      await database.close()
    }
  }
}

/** Both take turns, so that slow moments of the machine hit them alike. */
async function measurePivot(
  { db, title, target }: BenchDatabase,
  steward: ServerProcess,
  name: PivotName,
  items: number,
  rounds: number,
): Promise<string> {
  const sql = statements[name](target.kind)
  const [raw, pivot]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const rawMs = await timed(() => groupRaw(db, sql))
    const pivotMs = await timed(() => callPivot(steward, name, items))
    if (round === 0) continue
    raw.push(rawMs)
    pivot.push(pivotMs)
  }
  const ratio = median(pivot) / median(raw)
  const verdict = ratio <= mostRatio ? 'met' : 'MISSED'
  return `${title}: pivot ${name}: ${median(pivot).toFixed(0)} ms, raw ${median(raw).toFixed(0)} ms, ${ratio.toFixed(2)} × raw, wanted ${mostRatio}: ${verdict}`
}

async function groupRaw(db: Knex, sql: string): Promise<void> {
  await db.raw(sql)
}

async function callPivot({ port }: ServerProcess, name: PivotName, items: number): Promise<void> {
  // The raw statement blocks this process for seconds on SQLite, after which a connection that was kept may be gone.
  const headers = { authorization, connection: 'close' }
  const response = await fetch(`http://127.0.0.1:${port}${base}?_crosstab=${name}`, { headers })
  const { totals, error } = (await response.json()) as { totals?: readonly number[]; error?: string }
  if (totals?.[0] !== items) throw new Error(`The pivot table "${name}" counts ${totals?.[0] ?? error}, not ${items}.`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number
}
