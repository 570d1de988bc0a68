import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createDiskDocumentStore } from '../documents/disk-document-store.js'
import type { DocumentStore } from '../documents/document-store.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from './create-business-objects.js'

const Note = defineObject({
  name: 'Note',
  fields: {
    not_title: { type: 'string' },
    not_text: { type: 'text' },
    not_secret: { type: 'password' },
    not_file: { type: 'document' },
  },
  indexable: true,
})

const ann = systemPrincipal({ login: 'ann' })
const model = createModel([Note])
const store = createMemoryStore()
let folder: string
let documents: DocumentStore

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-indexed-'))
  documents = createDiskDocumentStore({ folder })
  await store.sync(model)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

it.each([{ not_title: 'b' }, { not_text: 'b' }, { not_title: 'b', not_text: 'b' }, {}])(
  'a change of %j keeps a new password as a hash, and a new document',
  async (values) => {
    const service = createBusinessObjects({ model, store, documents })
    const content = Buffer.from('x').toString('base64')
    const first = { not_title: 'a', not_text: 'a', not_secret: 'first', not_file: { name: 'a', content } }
    const { row_id: id, not_file: before } = await service.create(ann, Note, first)
    const more = { not_secret: 'second', not_file: { name: 'b', content } }
    const { not_file: after } = await service.update(ann, Note, id, { ...values, ...more })
    expect(after).not.toBe(before)
    expect(await documents.info(after)).toMatchObject({ name: 'b' })
    const object = model.object('Note')
    const row = await store.get(object, id, { select: object.select(['not_secret']) })
    expect(row?.['not_secret']).toMatch(/^\$scrypt\$/)
  },
)
