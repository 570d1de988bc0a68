import { expect, test } from 'vitest'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { testDocumentStore } from '../testing/test-document-store.js'
import { createBucketDocumentStore } from './bucket-document-store.js'
import { createMemoryBucket } from './bucket-for-test.js'
import { cleanDocuments } from './clean-documents.js'

testDocumentStore('bucket in memory', () => {
  const { bucket } = createMemoryBucket()
  return { store: createBucketDocumentStore(bucket), reopen: () => createBucketDocumentStore(bucket) }
})

const options = { name: 'notes.txt', path: 'Paper/pap_file', maxBytes: 1000 }

test('a document is not there before its info.json is, and what a crash left is cleaned', async () => {
  const { bucket, objects, swept } = createMemoryBucket()
  const documents = createBucketDocumentStore({
    ...bucket,
    put(key, source) {
      if (key.endsWith('info.json') && objects.size > 2) throw new Error('The process was killed')
      return bucket.put(key, source)
    },
    delete(key) {
      if (objects.size > 2) throw new Error('The process was killed')
      return bucket.delete(key)
    },
  })
  const whole = await documents.put(Buffer.from('whole'), options)
  await expect(documents.put(Buffer.from('half'), options)).rejects.toThrow('The process was killed')
  expect(objects.size).toBe(3)

  const seen = createBucketDocumentStore(bucket)
  const listed: string[] = []
  for await (const { id } of seen.list()) listed.push(id)
  const half = listed.find((id) => id !== whole.id) ?? ''
  expect(listed).toHaveLength(2)
  expect(await seen.info(half)).toBeUndefined()

  const model = createModel([{ name: 'Paper', fields: { pap_file: { type: 'document' } } }])
  const store = createMemoryStore()
  const object = model.object('Paper')
  await store.insert(object, { pap_file: whole.id }, object.selection)
  const clean = (clock: Date) => cleanDocuments({ model, store, documents: seen, clock: () => clock })
  expect(await clean(new Date())).toBe(0)
  const later = new Date(Date.now() + 2 * 86_400_000)
  expect(await clean(later)).toBe(1)
  expect([...objects.keys()].every((key) => key.includes(whole.id))).toBe(true)
  expect(swept.at(-1)).toEqual(new Date(later.getTime() - 86_400_000))
})

test('a failure of the bucket is told as it is, never as a document that is not there', async () => {
  const { bucket } = createMemoryBucket()
  const away = () => Promise.reject(new Error('The store is away'))
  const documents = createBucketDocumentStore({ ...bucket, get: away })
  const { id } = await documents.put(Buffer.from('x'), options)
  await expect(documents.info(id)).rejects.toThrow('The store is away')
  await expect(documents.read(id)).rejects.toThrow('The store is away')
})
