import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskDocumentStore, createMemoryStore, createModel, defineObject } from '@steward/rest-core'
import pino from 'pino'
import { expect, test } from 'vitest'
import { startDocumentCleaning } from './document-cleaning.js'

const Paper = defineObject({
  name: 'Paper',
  fields: { pap_file: { type: 'document' }, pap_other: { type: 'image' } },
})

test('startDocumentCleaning() removes old documents without a record, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-cleaning-'))
  const model = createModel([Paper])
  const object = model.object('Paper')
  const store = createMemoryStore()
  const documents = createDiskDocumentStore({ folder })
  const put = async (old: boolean): Promise<string> => {
    const { id } = await documents.put(Buffer.from('x'), { name: 'x', path: 'Paper/pap_file', maxBytes: 10 })
    if (old) await utimes(join(folder, id.slice(0, 2), id, 'content'), 0, 0)
    return id
  }
  const [used, other, young, orphan] = [await put(true), await put(true), await put(false), await put(true)]
  await store.insert(object, { pap_file: used }, object.selection)
  await store.insert(object, { pap_other: other }, object.selection)

  const cleaning = startDocumentCleaning({ model, store, documents, logger: pino({ level: 'silent' }) })
  await expect.poll(() => documents.info(orphan)).toBeUndefined()
  await cleaning.stop()
  for (const id of [used, other, young]) expect(await documents.info(id), id).toBeDefined()
  expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('content'))).toHaveLength(3)
  await rm(folder, { recursive: true })
})
