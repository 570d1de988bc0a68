import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import type { Knex } from 'knex'
import { databaseKinds, startDatabase, type BenchDatabase, type DatabaseKind } from './databases.ts'
import { describeMachine, requireMachine } from './machine.ts'
import { base } from './operations.ts'
import { list, whole } from './options.ts'
import { startServer, type ServerProcess } from './process.ts'
import { authorization } from './servers.ts'
import { openSteward } from './steward-app.ts'
import { removeAbandonedFolders } from './test-servers.ts'

export const indexHelp = `Usage: npm run bench -- index [options]

Measures index searches over HTTP against the raw full-text search on the same database, behind node:http.

  --databases <list>    ${databaseKinds.join(',')} (default: all)
  --items <n>           rows of the table, default 1000000
  --rounds <n>          measured calls of each, after three that are not counted, default 15
  --help                this text
`

/** Most time that an index search may take, as a multiple of the raw statement's. */
const mostRatio = 2

/** Records of an answer. */
const pageSize = 20

/** What is looked for, and the same in the query languages of the databases. */
const searches = {
  rare: { text: 'i00001*', sqlite: 'i00001*', postgresql: 'i00001:*', mysql: '+qqi00001*' },
  phrase: {
    text: '"amber copper lantern"',
    sqlite: '"amber copper lantern"',
    postgresql: 'amber <-> copper <-> lantern',
    mysql: '"qqamber qqcopper qqlantern"',
  },
  words: {
    text: 'amber copper lantern',
    sqlite: 'amber copper lantern',
    postgresql: 'amber & copper & lantern',
    mysql: '+qqamber +qqcopper +qqlantern',
  },
  common: { text: 'amber', sqlite: 'amber', postgresql: 'amber', mysql: '+qqamber' },
} as const

const joined = 'left join category on category.row_id = itm_category_id'

/** What a user would write who knows the tables that `sync` makes. */
const statements: Readonly<Record<DatabaseKind, string>> = {
  sqlite: `select item.*, cat_name, -rank as score from stw_ft_item_words join item on item.row_id = stw_ft_item_words.rowid ${joined}
    where stw_ft_item_words match :query order by rank, item.row_id limit ${pageSize}`,
  postgresql: `select item.*, cat_name, ts_rank_cd(idx_words, query, 1) as score from to_tsquery('simple', :query) query, item ${joined}
    where idx_words @@ query order by score desc, item.row_id limit ${pageSize}`,
  mysql: `select item.*, cat_name, match(idx_words) against (:query in boolean mode) as score from item ${joined}
    where match(idx_words) against (:query in boolean mode) order by score desc, item.row_id limit ${pageSize}`,
}

/** The words of the items, which are plain ASCII, in the form in which each store keeps them; faster than a rebuild. */
const words: Readonly<Record<DatabaseKind, string>> = {
  sqlite: `lower(itm_code) || ' ' || itm_name || ' ' || itm_desc`,
  postgresql: `to_tsvector('simple', itm_code || ' ' || itm_name || ' ' || itm_desc)`,
  mysql: `concat('qq', replace(concat(lower(itm_code), ' ', itm_name, ' ', itm_desc), ' ', ' qq'))`,
}

/** Runs the bench of index searches: median times and their ratio, per database. */
export async function benchIndexSearches(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      databases: { type: 'string', default: databaseKinds.join(',') },
      items: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '15' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(indexHelp)
  const databases = list('databases', values.databases, databaseKinds)
  const items = whole('items', values.items, 1000)
  const rounds = whole('rounds', values.rounds, 1)
  removeAbandonedFolders()
  await requireMachine()
  console.log(`${describeMachine()}\n${items} items, the best ${pageSize}, median of ${rounds}\n`)
  for (const kind of databases) {
    process.stderr.write(`${kind}: filling ${items} rows\n`)
    const database = await startDatabase(kind, items)
    const target = { ...database.target, indexed: true }
    try {
      process.stderr.write(`${kind}: indexing\n`)
      await fillWords(database, items)
      const steward = await startServer('steward', target)
      const raw = await serveRaw(database)
      try {
        for (const name of Object.keys(searches) as (keyof typeof searches)[])
          console.log(await measureSearch(database, steward, raw, name, rounds))
      } finally {
        raw.close()
        await steward.stop()
      }
    } finally {
      await database.close()
    }
  }
}

/** Makes the index, fills it, and checks by a rebuild of the first rows that it is what the service would have written. */
async function fillWords({ db, target }: BenchDatabase, items: number): Promise<void> {
  const { store, service } = await openSteward({ ...target, indexed: true })
  try {
    await store.sync(service.model)
    for (let first = 1; first <= items; first += 50_000) {
      await db.raw(`update item set idx_words = ${words[target.kind]} where row_id between ? and ?`, [
        first,
        first + 49_999,
      ])
    }
    const checking = new AbortController()
    const changed = await service.rebuildIndex('Item', { onProgress: () => checking.abort(), signal: checking.signal })
    if (changed > 0) throw new Error(`${changed} rows have other words than the service writes.`)
    if (target.kind === 'postgresql') await db.raw('vacuum analyze item')
  } finally {
    await store.close()
  }
}

/** The raw statement served by node:http, so that both ways have a request and an answer in JSON. */
async function serveRaw({ db, target: { kind } }: BenchDatabase): Promise<Server> {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams.get('query')
    db.raw(statements[kind], { query }).then(
      (result) => response.end(JSON.stringify(rowsOf(result))),
      (error: Error) => response.writeHead(500).end(JSON.stringify(error.message)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function rowsOf(result: Awaited<Knex.Raw>): readonly unknown[] {
  const rows = (result.rows ?? result) as readonly unknown[]
  return Array.isArray(rows[0]) ? (rows[0] as readonly unknown[]) : rows
}

/** Both take turns, so that slow moments of the machine hit them alike. */
async function measureSearch(
  { title, target: { kind } }: BenchDatabase,
  steward: ServerProcess,
  raw: Server,
  name: keyof typeof searches,
  rounds: number,
): Promise<string> {
  const { text, [kind]: query } = searches[name]
  const rawUrl = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/?query=${encodeURIComponent(query)}`
  const url = `http://127.0.0.1:${steward.port}${base}?_page=0&_pagesize=${pageSize}&_indexsearch=${encodeURIComponent(text)}`
  const [rawMs, stewardMs]: [number[], number[]] = [[], []]
  let found = 0
  for (let round = -3; round < rounds; round++) {
    const [expected, rawTime] = await timed(rawUrl)
    const [rows, time] = await timed(url)
    if (rows !== expected) throw new Error(`The search "${text}" gives ${rows} records, the raw statement ${expected}.`)
    found = rows
    if (round < 0) continue
    rawMs.push(rawTime)
    stewardMs.push(time)
  }
  const ratio = median(stewardMs) / median(rawMs)
  const verdict = ratio <= mostRatio ? 'met' : 'MISSED'
  return `${title}: ${name} (${found} rows): ${median(stewardMs).toFixed(1)} ms, raw ${median(rawMs).toFixed(1)} ms, ${ratio.toFixed(2)} × raw, wanted ${mostRatio}: ${verdict}`
}

/** Number of rows of the answer, and the time in ms. */
async function timed(url: string): Promise<[rows: number, ms: number]> {
  const start = performance.now()
  const response = await fetch(url, { headers: { authorization } })
  const body = (await response.json()) as readonly unknown[]
  const ms = performance.now() - start
  if (!Array.isArray(body)) throw new Error(`${url} answers ${JSON.stringify(body)}`)
  return [body.length, ms]
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number
}
