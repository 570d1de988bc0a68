import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createBucketDocumentStore } from './bucket-document-store.js'
import type { DocumentStore } from './document-store.js'

/** Documents in the memory of this process, for tests. */
export function createMemoryDocumentStore(): DocumentStore {
  const objects = new Map<string, { readonly bytes: Buffer; readonly modified: Date }>()
  return createBucketDocumentStore({
    async put(key, source) {
      objects.set(key, { bytes: await buffer(source.open()), modified: new Date() })
    },
    async get(key, { start = 0, end = Infinity } = {}) {
      const found = objects.get(key)
      if (found) return Readable.from([found.bytes.subarray(start, end + 1)], { objectMode: false })
      throw Object.assign(new Error(`${key} is not there.`), { code: 'ERR_TARGET_NOT_FOUND' })
    },
    async list({ prefix = '' }) {
      const found = [...objects]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, { modified }]) => ({ key, modified }))
      return { objects: found.toSorted((a, b) => (a.key < b.key ? -1 : 1)), next: undefined }
    },
    delete: async (key) => objects.delete(key),
    async sweep() {},
    async close() {},
  })
}
