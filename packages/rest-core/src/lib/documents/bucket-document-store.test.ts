import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { testDocumentStore } from '../testing/test-document-store.js'
import { createBucketDocumentStore } from './bucket-document-store.js'
import { createMemoryBucket } from './bucket-for-test.js'
import { cleanDocuments } from './clean-documents.js'
import { createDiskDocumentStore } from './disk-document-store.js'

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

test('a failure of the bucket is reported as such, never as a missing document', async () => {
  const { bucket } = createMemoryBucket()
  const away = () => Promise.reject(new Error('The store is away'))
  const documents = createBucketDocumentStore({ ...bucket, get: away })
  const { id } = await documents.put(Buffer.from('x'), options)
  await expect(documents.info(id)).rejects.toThrow('The store is away')
  await expect(documents.read(id)).rejects.toThrow('The store is away')
})

test('documents move between a folder and a bucket by copying files to objects of the same names, and back', async () => {
  const [from, back] = [await mkdtemp(join(tmpdir(), 'steward-from-')), await mkdtemp(join(tmpdir(), 'steward-back-'))]
  const { bucket, objects } = createMemoryBucket()
  const [disk, inBucket] = [createDiskDocumentStore({ folder: from }), createBucketDocumentStore(bucket)]
  const info = await disk.put(Buffer.from('content'), options)
  for (const file of ['content', 'info.json']) {
    const key = `${info.id.slice(0, 2)}/${info.id}/${file}`
    objects.set(key, { bytes: await readFile(join(from, key)), modified: new Date() })
  }
  expect(await inBucket.info(info.id)).toEqual(info)
  expect(String(await buffer(await inBucket.read(info.id)))).toBe('content')

  for (const [key, { bytes }] of objects) {
    await mkdir(dirname(join(back, key)), { recursive: true })
    await writeFile(join(back, key), bytes)
  }
  const again = createDiskDocumentStore({ folder: back })
  expect(await again.info(info.id)).toEqual(info)
  expect(String(await buffer(await again.read(info.id)))).toBe('content')
  await again.delete(info.id)
  expect(await again.info(info.id)).toBeUndefined()
  for (const folder of [from, back]) await rm(folder, { recursive: true })
})
