/** @module-tag mixed */
import { createStore } from '@steward/db-adapters'
import { createClient } from '@steward/rest-client'
import { createModel } from '@steward/rest-core'
import type { ObjectDefinition } from '@steward/rest-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  edgeKeyTables,
  edgeTables,
  exactText,
  prepare,
  statementsOf,
  type EdgeDatabase,
  type EdgeTable,
} from '../packages/db-adapters/test/edge-tables.js'
import { freshFile, patient } from './databases.js'
import { openRaw, type RawDatabase } from './samples/load.js'
import { serveObjects, type ServedObjects } from './serve-objects.js'
import { freshDatabase, needs, type FreshDatabase } from './servers/index.js'

const { TEST_SEED, TEST_DEEP } = process.env
const seed = Number(TEST_SEED ?? (TEST_DEEP === '1' ? Date.now() % 1_000_000 : 1))

const isQuick = inject('tier') === 'quick'

/** One in `count` is quick: a run of the quick tier makes no others. */
function oneIn<Each>(count: number, all: readonly Each[]) {
  return all
    .map((each, at) => ({ ...each, tags: at % count === 0 ? ['core' as const] : [] }))
    .filter(({ tags }) => !isQuick || tags.length > 0)
}

/** Tables of booleans, with values that come later. */
const looseBooleans: Readonly<Record<EdgeDatabase, readonly (readonly [string, readonly string[]])[]>> = {
  sqlite: [['boolean_minus', ['2', '-7', '1.5', "'t'", "'f'", "'No'", "'yes'"]]],
  postgresql: [],
  mysql: [
    ['tinyint_1_minus', ['2', '-7', '127']],
    ['bit_1', []],
  ],
}

describe('sqlite', () => roundTrips('sqlite', freshFile))
for (const name of ['postgresql', 'mysql'] as const) needs(name, (url) => roundTrips(name, () => freshDatabase(url)))

/** Tables with every type of a database, read and sent back. */
function roundTrips(name: EdgeDatabase, fresh: () => Promise<FreshDatabase>): void {
  const tables = oneIn(5, edgeTables(name, { seed }))
  const keyTables = oneIn(4, edgeKeyTables(name))
  let database: FreshDatabase
  let raw: RawDatabase
  let definitions: ReadonlyMap<string, ObjectDefinition>
  let served: ServedObjects

  beforeAll(async () => {
    database = await fresh()
    raw = await openRaw(name, database.url)
    for (const sql of [...prepare(name), ...statementsOf([...tables, ...keyTables])]) await raw.rows(sql)
    const store = await createStore(patient(database.url))
    const { objects } = await store.introspect()
    await store.close()
    definitions = new Map(objects.map((object) => [object.table ?? '', object]))
    served = await serveObjects(objects, patient(database.url), { sync: false })
  })
  afterAll(async () => {
    await served?.close()
    await raw?.close()
    await database?.drop()
  })

  const textsOf = (table: EdgeTable): Promise<Record<string, unknown>[]> =>
    raw.rows(
      `select id, ${table.columns.map((column) => `${exactText(name, column, table.type)} as ${column}`).join(', ')} from ${table.table} order by id`,
    )

  for (const table of tables) {
    const title = `${table.type.type || 'no type'} (${table.type.name}) (seed ${seed})`
    const { tags } = table
    const { leftOut, notCopied } = table.type
    const list = (): string => `/${definitions.get(table.table)?.name}/`
    const shown = async (): Promise<Record<string, unknown>[]> => {
      const answer = await served.call('GET', `${list()}?_order=row_id&_pagesize=1000`)
      expect(answer).toMatchObject({ status: 200 })
      return answer.json
    }

    it(`records may be sent back as they came: ${title}`, { tags }, async () => {
      const before = await textsOf(table)
      const records = await shown()
      expect(records).toHaveLength(table.rows)
      for (const record of records) {
        const sent = await served.call('PUT', `${list()}${String(record['row_id'])}`, { json: record })
        expect(sent.json).toEqual(record)
      }
      expect(await textsOf(table)).toEqual(before)
    })

    it(`a copy of a record shows the same, or is refused: ${title}`, { tags }, async () => {
      const copies: Record<string, unknown>[] = []
      for (const record of await shown()) {
        const copy = { ...record, row_id: String(1000 + Number(record['row_id'])) }
        const made = await served.call('POST', list(), { json: copy })
        if (leftOut !== undefined)
          expect(made.json.error).toMatch(/^A record needs a value in the column "n", which no field holds/)
        else if (notCopied === undefined || made.status !== 400) {
          expect(made).toMatchObject({ status: 200 })
          copies.push({ ...copy, row_id: made.json.row_id })
        }
      }
      const found = await shown()
      for (const copy of copies) expect(found.find((record) => record['row_id'] === copy['row_id'])).toEqual(copy)
    })
  }

  it.each(looseBooleans[name])(
    'every number but 0 is true in %s, in answers, filters, orders and groups',
    async (table, later) => {
      const definition = definitions.get(`e_${table}`)
      const read = async (query: string): Promise<{ c: boolean }[]> =>
        (await served.call('GET', `/${definition?.name}/?_fields=c${query}`)).json
      expect(definition?.fields['c']?.type).toBe('boolean')
      // Values that were not there when the columns were looked at.
      for (const [at, value] of later.entries())
        await raw.rows(`insert into e_${table} (id, c, n, d) values (${500 + at}, ${value}, ${value}, ${value})`)
      const isTrue = name === 'sqlite' ? `c <> 0 and lower(c) not in ('f', 'no')` : 'c <> 0'
      const wanted = await raw.rows(`select case when ${isTrue} then 1 else 0 end as c from e_${table} order by id`)
      const shown = await read('&_order=row_id')
      expect(shown.map(({ c }) => c)).toEqual(wanted.map(({ c }) => Number(c) === 1))
      for (const value of [true, false]) {
        const same = shown.filter(({ c }) => c === value)
        expect(await read(`&_order=row_id&c=${value}`), `${value}`).toEqual(same)
        expect(await read(`&_order=row_id&c=%3C%3E ${!value}`), `not ${!value}`).toEqual(same)
      }
      const inOrder = await read('&_order=c')
      expect(inOrder.map(({ c }) => c)).toEqual(
        shown
          .map(({ c }) => Number(c))
          .toSorted()
          .map(Boolean),
      )
      const groups = await served.store.aggregate(createModel([definition!]).object(definition!.name), {
        groups: [{ field: 'c' }],
        values: [{ function: 'count' }],
      })
      expect(new Map(groups.map((row) => [row.groups[0], row.values[0]]))).toEqual(
        new Map([true, false].map((value) => [value, shown.filter(({ c }) => c === value).length])),
      )
    },
  )

  for (const { table, type, rows, tags } of keyTables)
    it(
      `rows with keys such as ${type.keys?.slice(0, 3).join(' ')} (${type.name}) have addresses, filters and references`,
      { tags },
      async () => {
        const client = createClient({ url: served.base })
        const objectOf = (each: string) => client.object(definitions.get(each)?.name ?? '')
        const [owner, child] = [objectOf(table), objectOf(`${table}_ref`)] as const
        const textOf = (each: string, column: string) =>
          raw.rows(`select ${exactText(name, column, type)} as t, note from ${each} order by note`)
        const [owners, children] = [await textOf(table, 'c'), await textOf(`${table}_ref`, 'k')]
        expect(owners).toHaveLength(rows)
        const noAddress = new Set(['', '.', '..'])
        for await (const record of child.search()) {
          const id = String(record['k'])
          await child.update(record.row_id, record)
          if (id === '') continue
          expect(await ids(child.search({ filters: { k: `= ${quoted(id)}` } })), id).toEqual([record.row_id])
          expect(await ids(owner.search({ filters: { row_id: `= ${quoted(id)}` } })), id).toEqual([id])
          if (noAddress.has(id)) continue
          const { note } = await owner.get(id)
          expect(note).toBe(String(record['note']).replace('child', 'row'))
          await owner.update(id, { note: 'changed' })
          const [answer] = (
            await served.call('POST', `/${definitions.get(table)?.name}/_batch`, {
              json: [{ action: 'update', row_id: id, values: { note } }],
            })
          ).json
          expect(answer, id).toMatchObject({ record: { row_id: id, note } })
        }
        expect([await textOf(table, 'c'), await textOf(`${table}_ref`, 'k')]).toEqual([owners, children])
      },
    )
}

async function ids(records: AsyncIterable<{ readonly row_id: string }>): Promise<string[]> {
  const found: string[] = []
  for await (const { row_id: id } of records) found.push(id)
  return found
}

/** A value of a filter, with anything in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
