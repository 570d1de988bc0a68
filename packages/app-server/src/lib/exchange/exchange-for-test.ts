import {
  createBusinessObjects,
  createDiskDocumentStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { BusinessObjects } from '@steward/rest-core'
import { createStore } from '@steward/db-adapters'
import { systemObjects } from '@steward/rest-core/system'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ImportRecord } from './import-record.js'

export const boss = systemPrincipal({ login: 'io' })

const Genre = defineObject({
  name: 'Genre',
  fields: {
    gen_code: { type: 'string', length: 20, key: true },
    gen_name: { type: 'string' },
    gen_parent_id: { type: 'reference', object: 'Genre' },
    gen_best_id: { type: 'reference', object: 'Movie' },
  },
})

const Movie = defineObject({
  name: 'Movie',
  fields: {
    mov_code: { type: 'string', length: 20, key: true, pattern: '[A-Z0-9]+' },
    mov_title: { type: 'string', length: 100, required: true },
    mov_genre_id: { type: 'reference', object: 'Genre', display: ['gen_name'], required: true },
    mov_year: { type: 'integer', min: 1888 },
    mov_state: { type: 'enum', values: ['draft', 'public'] },
    mov_rank: { type: 'integer', readOnly: true },
    mov_pin: { type: 'password' },
    mov_secret: { type: 'string', hidden: true },
    mov_data: { type: 'object' },
    mov_poster: { type: 'document', maxBytes: 1000 },
  },
  states: { field: 'mov_state', transitions: [] },
})

const Review = defineObject({
  name: 'Review',
  fields: {
    rev_movie_id: { type: 'reference', object: 'Movie', key: true },
    rev_author: { type: 'string', length: 50, key: true },
    rev_text: { type: 'text' },
  },
})

/** Its reviews are found by a key that continues through another. */
const Answer = defineObject({
  name: 'Answer',
  fields: { ans_no: { type: 'integer', key: true }, ans_review_id: { type: 'reference', object: 'Review' } },
})

const Note = defineObject({ name: 'Note', fields: { not_text: { type: 'text' } } })

/** The service over an empty SQLite database that goes away with the test. */
export async function emptyService(): Promise<BusinessObjects> {
  const folder = await temporaryFolder()
  const store = await createStore('sqlite::memory:')
  onTestFinished(() => store.close())
  const model = createModel([...systemObjects, Answer, Review, Movie, Genre, Note])
  await store.sync(model)
  return createBusinessObjects({ model, store, documents: createDiskDocumentStore({ folder }) })
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-exchange-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Text as a stream gives it: in pieces of this many bytes. */
export function* pieces(text: string | Uint8Array, size = 7): Generator<Uint8Array> {
  const bytes = Buffer.from(text as string)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Records as `[object, action, values]`. */
export async function listed(records: AsyncIterable<ImportRecord>): Promise<unknown[]> {
  const list = []
  for await (const { object, action, values } of records) list.push([object, action, Object.fromEntries(values)])
  return list
}

/** All records, without row ids. */
export async function allOf(service: BusinessObjects, object: string): Promise<Record<string, unknown>[]> {
  const list = []
  for await (const batch of await service.search(boss, object))
    for (const { row_id: _, ...values } of batch) list.push(values)
  return list
}
