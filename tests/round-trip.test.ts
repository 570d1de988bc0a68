import { createStore } from '@steward/db-adapters'
import { createClient } from '@steward/rest-client'
import type { ObjectDefinition } from '@steward/rest-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000))

describe('sqlite', () => roundTrips('sqlite', freshFile))
for (const name of ['postgresql', 'mysql'] as const) needs(name, (url) => roundTrips(name, () => freshDatabase(url)))

/** Tables with every type of a database, read and sent back. */
function roundTrips(name: EdgeDatabase, fresh: () => Promise<FreshDatabase>): void {
  const tables = edgeTables(name, { seed })
  const keyTables = edgeKeyTables(name)
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

  for (const table of tables)
    it(`records with ${table.type.type || 'no type'} (${table.type.name}) may be sent back as they came (seed ${seed})`, async () => {
      const definition = definitions.get(table.table)
      expect(definition).toBeDefined()
      const before = await textsOf(table)
      const bad: unknown[] = []
      for (let id = 1; id <= table.rows; id++) {
        const place = `/${definition?.name}/${id}`
        const read = await served.call('GET', place)
        if (read.status !== 200) {
          bad.push({ id, read: read.status, body: read.json })
          continue
        }
        const sent = await served.call('PUT', place, { json: read.json })
        if (sent.status !== 200) bad.push({ id, row: before[id - 1], sent: read.json, answer: sent.json })
        else if (JSON.stringify(sent.json) !== JSON.stringify(read.json))
          bad.push({ id, sent: read.json, got: sent.json })
      }
      const after = await textsOf(table)
      expect({ bad, after }).toEqual({ bad: [], after: before })
    })

  for (const table of tables)
    it(`a copy of a record with ${table.type.type || 'no type'} (${table.type.name}) shows the same, or is refused (seed ${seed})`, async () => {
      const place = `/${definitions.get(table.table)?.name}/`
      const bad: unknown[] = []
      for (let id = 1; id <= table.rows; id++) {
        const { json: read } = await served.call('GET', `${place}${id}`)
        const copy = { ...read, row_id: String(1000 + id) }
        const made = await served.call('POST', place, { json: copy })
        const { leftOut, notCopied } = table.type
        if (made.status === 400 && (leftOut ?? notCopied) !== undefined) continue
        if (made.status !== 200 || leftOut !== undefined) {
          bad.push({ id, sent: copy, answer: made.json })
          continue
        }
        const shown = await served.call('GET', `${place}${made.json.row_id}`)
        if (JSON.stringify({ ...shown.json, row_id: '' }) !== JSON.stringify({ ...copy, row_id: '' }))
          bad.push({ sent: copy, shown: shown.json })
      }
      expect(bad).toEqual([])
    })

  for (const { table, type, rows } of keyTables)
    it(`rows with keys such as ${type.keys?.slice(0, 3).join(' ')} (${type.name}) have addresses, filters and references`, async () => {
      const client = createClient({ url: served.base })
      const [owner, child] = [table, `${table}_ref`].map((each) => client.object(definitions.get(each)?.name ?? ''))
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
    })
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
