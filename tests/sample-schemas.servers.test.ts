import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadObjects } from '@steward/app-server'
import { createStore } from '@steward/db-adapters'
import { createModel } from '@steward/rest-core'
import type { FieldDefinition, ObjectDefinition } from '@steward/rest-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../packages/app-server/src/running-app-for-test.js'
import { freshFile, patient } from './databases.js'
import { loadSample, openRaw, type RawDatabase, type SampleDatabase } from './samples/load.js'
import { serveObjects, type ServedObjects } from './serve-objects.js'
import { freshDatabase, needs, type FreshDatabase } from './servers/index.js'

const samples = {
  chinook: { objects: 11, schemas: undefined },
  sakila: { objects: 20, schemas: undefined },
  adventureworks: { objects: 16, schemas: 'public,person,humanresources,production,sales' },
}

/** What no field holds: nothing else may be left out. */
const leftOut: Readonly<Record<keyof typeof samples, Readonly<Record<SampleDatabase, readonly string[]>>>> = {
  chinook: { sqlite: [], postgresql: [], mysql: [] },
  sakila: {
    sqlite: [],
    postgresql: ['film.fulltext'],
    mysql: [],
  },
  adventureworks: {
    sqlite: [],
    postgresql: ['person.person.additionalcontactinfo'],
    mysql: [],
  },
}

describe('sqlite', () => serveSamples(freshFile, 'sqlite'))
for (const name of ['postgresql', 'mysql'] as const) needs(name, (url) => serveSamples(() => freshDatabase(url), name))

function serveSamples(fresh: () => Promise<FreshDatabase>, name: SampleDatabase): void {
  describe.each(Object.keys(samples) as (keyof typeof samples)[])('%s', (sample) => {
    let database: FreshDatabase
    let raw: RawDatabase
    let folder: string
    let definitions: readonly ObjectDefinition[]
    let served: ServedObjects

    beforeAll(async () => {
      database = await fresh()
      raw = await openRaw(name, database.url)
      await loadSample(sample, name, raw)
      folder = await mkdtemp(join(tmpdir(), 'steward-sample-'))
      const { schemas } = samples[sample]
      const chosen = name === 'postgresql' && schemas !== undefined ? ['--schema', schemas] : []
      const described = await runHere(['--describe', '--output', join(folder, 'objects'), ...chosen], {
        env: { STEWARD_DATABASE: database.url },
      })
      if (described.code !== 0) throw new Error(described.errors)
      definitions = await loadObjects(join(folder, 'objects'))
      served = await serveObjects(definitions, patient(database.url))
    })

    afterAll(async () => {
      await served?.close()
      await raw?.close()
      await database?.drop()
      if (folder !== undefined) await rm(folder, { recursive: true })
    })

    it('--describe leaves out nothing without a known reason', async () => {
      const store = await createStore(patient(database.url))
      const { skipped } = await store.introspect({
        schemas: name === 'postgresql' ? samples[sample].schemas?.split(',') : undefined,
      })
      await store.close()
      const places = skipped.map(({ table, column }) => (column === undefined ? table : `${table}.${column}`))
      expect(places).toEqual(leftOut[sample][name])
      const materialised = name === 'postgresql' && sample !== 'chinook' ? 1 : 0
      expect(definitions).toHaveLength(samples[sample].objects + materialised)
    })

    it('--diff finds that the described definitions fit', async () => {
      await writeFile(join(folder, 'app.yaml'), 'name: sample\nversion: 1.0.0\n')
      const { schemas } = samples[sample]
      const chosen = name === 'postgresql' && schemas !== undefined ? ['--schema', schemas] : []
      const compared = await runHere([folder, '--diff', ...chosen], { env: { STEWARD_DATABASE: database.url } })
      expect(compared).toEqual({ code: 0, output: 'The definitions fit the database.\n', errors: '' })
    })

    it('sync with the described definitions changes nothing', async () => {
      expect(await served.store.plan(createModel(definitions))).toMatchObject({ steps: [], leftover: [] })
    })

    it('all rows are answered as the driver reads them', async () => {
      for (const definition of definitions) {
        const answer = await served.call('GET', `/${definition.name}/`)
        expect(answer.status, answer.text).toBe(200)
        const fields = columnsOf(definition)
        const records = answer.json as Record<string, unknown>[]
        expect(records.length).toBeGreaterThan(0)
        const rows = await raw.rows(`select * from ${quoted(definition.table as string, name)}`)
        const own = records.map((record) =>
          JSON.stringify(fields.map(({ field, column, type }) => [column, canonical(record[field], type)])),
        )
        const theirs = rows.map((row) =>
          JSON.stringify(fields.map(({ column, type }) => [column, canonical(row[column], type)])),
        )
        expect(own.toSorted(), definition.name).toEqual(theirs.toSorted())
        for (const { row_id } of records)
          expect((await served.call('GET', `/${definition.name}/${encodeURIComponent(String(row_id))}`)).json).toEqual(
            records.find((record) => record['row_id'] === row_id),
          )
      }
      expect(served.failures).toEqual([])
    })

    it('binary columns are documents, answered byte by byte', async () => {
      let contents = 0
      for (const definition of definitions) {
        const files = columnsOf(definition).filter(({ type }) => type.type === 'document')
        if (files.length === 0) continue
        const { json } = await served.call('GET', `/${definition.name}/?_inline_documents=true`)
        const rows = await raw.rows(`select * from ${quoted(definition.table as string, name)}`)
        for (const { field, column } of files) {
          const own = (json as Record<string, { content: string } | ''>[]).map((record) => record[field] || undefined)
          const theirs = rows.flatMap((row) => (row[column] === null ? [] : [base64(row[column])]))
          expect(own.flatMap((file) => file?.content ?? []).toSorted()).toEqual(theirs.toSorted())
          contents += theirs.length
        }
      }
      expect(contents > 0).toBe(sample !== 'chinook')
    })
  })
}

interface ComparedColumn {
  readonly field: string
  readonly column: string
  readonly type: FieldDefinition
}

/** The row id too, unless it consists of several columns or is SQLite's own. */
function columnsOf({ fields }: ObjectDefinition): ComparedColumn[] {
  return Object.entries(fields)
    .filter(([field, { column }]) => field !== 'row_id' || (column !== undefined && column !== 'rowid'))
    .map(([field, type]) => ({ field, column: type.column ?? field, type }))
}

function quoted(table: string, name: SampleDatabase): string {
  const mark = name === 'mysql' ? '`' : '"'
  const parts = name === 'postgresql' ? table.split('.') : [table]
  return parts.map((part) => `${mark}${part}${mark}`).join('.')
}

function base64(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array).toString('base64')
}

/** A value in one form, whether it comes from a record or from the driver. */
function canonical(value: unknown, { type }: FieldDefinition): unknown {
  if (type === 'boolean') return ['true', 't', '1'].includes(String(value))
  if (value === null || value === undefined || value === '') return ''
  if (type === 'document') return typeof value === 'string' ? value : `bytes-${(value as Uint8Array).length}`
  switch (type) {
    case 'integer':
    case 'decimal':
      return Number(value)
    case 'datetime':
      return String(value).slice(0, 19)
    case 'object':
      return typeof value === 'string' ? (JSON.parse(value) as unknown) : value
    default:
      return String(value)
  }
}
