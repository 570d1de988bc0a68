import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore } from '@steward/db-adapters'
import {
  createBusinessObjects,
  createDiskDocumentStore,
  createMemoryStore,
  createModel,
  systemPrincipal,
} from '@steward/rest-core'
import type { BusinessObjects, ObjectStore, SearchRequest } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshFile, patient } from './databases.js'
import { mark } from './fuzz/injections.js'
import { definitions, fill } from './fuzz/objects.js'
import { generateRequests, type FuzzRequest, type Kind } from './fuzz/requests.js'
import { logMariadb, logPostgresql, logSqlite, type StatementLog } from './fuzz/statements.js'
import { freshDatabase, needs, needsOwn, type FreshDatabase, type TestServer } from './servers/index.js'

const times = process.env['TEST_DEEP'] === '1' ? 20 : 1
const counts: Readonly<Record<Kind, number>> = {
  valid: 500 * times,
  mutated: 300 * times,
  random: 200 * times,
  injection: 300 * times,
}
const model = createModel(definitions)
const requests = generateRequests(model.object('Item'), counts, 42)
const ann = systemPrincipal({ login: 'ann' })

/** Row ids in their order and the number of all, or why it was refused. */
type Answer = { readonly ids: readonly string[]; readonly count: number } | { readonly refused: string }

/** What the memory store answers, which is the smallest reading of the contract. */
let expected: readonly Answer[]

beforeAll(async () => {
  const store = createMemoryStore()
  await fill(store, model)
  expected = await answerAll(serviceOver(store))
})

/** What only reads; SQLite is also asked how it would read, and how large its file is. */
const harmless = /^(explain query plan )?select\b|^pragma page_count$/i

function serviceOver(store: ObjectStore): BusinessObjects {
  // No request of these tests reads a document.
  return createBusinessObjects({
    model,
    store,
    documents: createDiskDocumentStore({ folder: join(tmpdir(), 'no-documents') }),
  })
}

async function answer(service: BusinessObjects, request: SearchRequest): Promise<Answer> {
  const ids: string[] = []
  try {
    for await (const batch of await service.search(ann, 'Item', request)) ids.push(...batch.map(({ row_id }) => row_id))
    const { count } = await service.count(ann, 'Item', request)
    return { ids, count }
  } catch (error) {
    if (RestError.is(error) && error.status === 400) return { refused: error.message }
    throw error
  }
}

/** All answers in the order of the requests; a few at once, as servers work. */
async function answerAll(service: BusinessObjects): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  const failures: string[] = []
  const todo = requests.entries()
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (const [n, { kind, request }] of todo) {
        try {
          answers[n] = await answer(service, request)
        } catch (error) {
          failures.push(`${kind} ${JSON.stringify(request)}: ${String(error)} ${String((error as Error).cause ?? '')}`)
        }
      }
    }),
  )
  expect(failures.slice(0, 10)).toEqual([])
  return answers
}

describe('generated requests', () => {
  const answersOf = (kind: Kind) => expected.filter((_, n) => requests[n]?.kind === kind)

  it('valid ones are all answered, most of them with some of the rows', () => {
    const wrong = expected.flatMap((given, n) =>
      requests[n]?.kind === 'valid' && 'refused' in given ? [[requests[n], given]] : [],
    )
    expect(wrong.slice(0, 5)).toEqual([])
    const partial = answersOf('valid').filter((given) => 'ids' in given && given.count > 0 && given.count < 200)
    expect(partial.length).toBeGreaterThan(counts.valid / 3)
  })

  it.each(['mutated', 'random', 'injection'] as const)('%s ones are partly answered and partly refused', (kind) => {
    const refused = answersOf(kind).filter((given) => 'refused' in given).length
    expect(refused).toBeGreaterThan(counts[kind] / 10)
    expect(refused).toBeLessThan(counts[kind])
  })

  it('show no secrets and repeat no request at length when refused', () => {
    const texts = expected.flatMap((given) => ('refused' in given ? [given.refused] : []))
    expect(texts.filter((text) => text.length > 1_000 || text.includes('$scrypt'))).toEqual([])
  })
})

/** Letters beyond A–Z in a pattern: a database may ignore their case too. */
function mayFold({ request }: FuzzRequest, store: ObjectStore): boolean {
  return (
    store.capabilities.likeFoldsUnicode &&
    /\p{L}/u.test(JSON.stringify([request.filters, request.expression]).replace(/\p{ASCII}/gu, ''))
  )
}

/** Runs the whole fuzz on one database; what it was asked is looked at where there is a log. */
function testFilters(start: () => Promise<{ database: FreshDatabase; log?: StatementLog; readOnly?: boolean }>): void {
  let database: FreshDatabase
  let log: StatementLog | undefined
  let store: ObjectStore

  beforeAll(async () => {
    const started = await start()
    ;({ database, log } = started)
    const writing = await createStore(patient(database.url))
    await fill(writing, model)
    await writing.close()
    store = await createStore({ ...patient(database.url), ...(started.readOnly && { readOnly: true }) })
  })

  afterAll(async () => {
    await store?.close()
    await log?.close()
    await database?.drop()
  })

  it(`${requests.length} requests are answered as by the memory store, by nothing but SELECT`, async () => {
    const setUp = log && (await setUpStatements(log))
    const answers = await answerAll(serviceOver(store))

    const different = answers.flatMap((given, n) => {
      const fuzz = requests[n] as FuzzRequest
      const wanted = expected[n] as Answer
      const mayDiffer = 'ids' in given && 'ids' in wanted && mayFold(fuzz, store)
      return mayDiffer || JSON.stringify(given) === JSON.stringify(wanted) ? [] : [{ fuzz, given, wanted }]
    })
    expect(different.slice(0, 5)).toEqual([])
    if (!log) return
    const statements = (await log.take()).filter((sql) => !setUp?.has(sql))
    expect(statements.length).toBeGreaterThan(100)
    expect(statements.filter((sql) => !harmless.test(sql)).slice(0, 5)).toEqual([])
    expect(statements.filter((sql) => sql.includes(mark) || sql.includes(';')).slice(0, 5)).toEqual([])
  })

  /** What every new connection does before its first request. */
  async function setUpStatements(log: StatementLog): Promise<ReadonlySet<string>> {
    // The log does see what changes something.
    expect((await log.take()).join('\n')).toMatch(/^create table [^]*\binsert into /im)
    const other = await createStore(patient(database.url))
    await other.ping()
    await other.close()
    return new Set(await log.take())
  }
}

describe('filters on sqlite', () => {
  let file: string
  let hash: string
  const hashOf = async () =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex')

  // Counts may run in threads that the log does not see; the connection of the others cannot write.
  testFilters(async () => {
    const database = await freshFile()
    file = database.url.replace('sqlite:', '')
    return { database, log: logSqlite(), readOnly: true }
  })

  beforeAll(async () => {
    hash = await hashOf()
  })

  it('the file is the same, byte for byte', async () => {
    expect(await hashOf()).toBe(hash)
  })
})

describe.each([
  ['postgresql', logPostgresql],
  ['mysql', logMariadb],
] as const)('filters on', (name, logOf) => {
  needsOwn(name, (start) => {
    let server: TestServer
    testFilters(async () => {
      server = await start()
      return { database: { url: server.url, drop: () => server.close() }, log: await logOf(server) }
    })
  })
})

// Servers of the vendors keep no log of statements that a test could read.
for (const name of ['mssql', 'oracle'] as const)
  describe('filters on', () => {
    needs(name, (url) => testFilters(async () => ({ database: await freshDatabase(url) })))
  })
