import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { DocumentBucket } from './bucket-document-store.js'

/** A bucket in memory, which gives pages of three objects. */
export function createMemoryBucket() {
  const objects = new Map<string, { readonly bytes: Buffer; readonly modified: Date }>()
  const swept: Date[] = []
  const bucket: DocumentBucket = {
    async put(key, source) {
      objects.set(key, { bytes: await buffer(source.open()), modified: new Date() })
    },
    async get(key, { start = 0, end = Infinity } = {}) {
      const found = objects.get(key)
      if (found) return Readable.from([found.bytes.subarray(start, end + 1)], { objectMode: false })
      throw Object.assign(new Error(`${key} is not there`), { code: 'ERR_TARGET_NOT_FOUND' })
    },
    async list({ prefix = '', cursor = '' }) {
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > cursor).toSorted()
      const page = keys.slice(0, 3)
      const found = page.map((key) => ({ key, modified: objects.get(key)?.modified ?? new Date(0) }))
      return { objects: found, next: keys.length > 3 ? page.at(-1) : undefined }
    },
    delete: async (key) => objects.delete(key),
    async sweep({ before }) {
      swept.push(before)
    },
    async close() {},
  }
  return { bucket, objects, swept }
}
