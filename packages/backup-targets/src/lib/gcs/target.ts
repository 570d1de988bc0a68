import { Readable } from 'node:stream'
import { checkKey, isKey, uploadId } from '../key.js'
import { loadPackage } from '../load-package.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget, CallOptions, StoredObject, TargetCapabilities } from '../target.js'
import { HttpClient } from '../http/http-client.js'
import { wholeStream } from '../whole-stream.js'
import { call, urlOf, type ObjectResource } from './api.js'
import { download } from './read.js'
import { toTargetError } from './errors.js'
import { serviceAccount } from './service-account.js'
import { upload } from './write.js'

const capabilities: TargetCapabilities = Object.freeze({
  atomicPublish: 'complete',
  hashes: ['md5', 'crc32c'],
  // An upload goes on while it is known to this connection; nobody else can find it.
  resume: 'none',
  multipart: undefined,
  conditionalCreate: true,
  immutability: false,
  unknownSize: true,
  listOrder: 'key',
  maxObjectBytes: 5 * 1024 ** 4,
} as const)

export interface GcsTargetOptions {
  readonly bucket: string
  /** Begins the names of all objects. */
  readonly prefix: string
  /** File with the key of a service account. Undefined: the usual credentials. */
  readonly keyFile: string | undefined
  /** Undefined: Google's. */
  readonly apiEndpoint: string | undefined
  readonly idleMs: number
}

interface ListAnswer {
  readonly items?: readonly ObjectResource[]
  readonly nextPageToken?: string
}

/** Objects of a bucket of Google Cloud Storage. */
export async function createGcsTarget(options: GcsTargetOptions): Promise<BackupTarget> {
  const { prefix, keyFile, apiEndpoint, idleMs } = options
  const { CRC32C, Storage } = await loadPackage('@google-cloud/storage', () => import('@google-cloud/storage'))
  const storage = new Storage({
    ...(keyFile !== undefined && { authClient: await serviceAccount(keyFile) }),
    ...(apiEndpoint !== undefined && { apiEndpoint, useAuthWithCustomEndpoint: keyFile !== undefined }),
  })
  const api = { bucket: storage.bucket(options.bucket), http: new HttpClient(idleMs) }
  /** Addresses of uploads that were cut, by key and `upload`. */
  const cut = new Map<string, string>()

  const stored = (key: string, { signal }: CallOptions) =>
    call<ObjectResource>(api, {
      method: 'GET',
      url: urlOf(api, prefix + key),
      expected: [200],
      signal,
      what: `Cannot look at "${key}"`,
    })
  const describe = (key: string, { size, updated = '' }: ObjectResource): StoredObject => ({
    key,
    size: Number(size),
    modified: new Date(updated),
  })
  const remove = (key: string, { signal }: CallOptions) =>
    call<undefined>(api, {
      method: 'DELETE',
      url: urlOf(api, prefix + key),
      expected: [200, 204],
      signal,
      what: `Cannot delete "${key}"`,
    })

  return {
    capabilities,

    async put(key, source, given = {}) {
      const { signal, lockUntil, onProgress } = given
      checkKey(key)
      signal?.throwIfAborted()
      const id = `${key} ${uploadId(given.upload)}`
      if (lockUntil) {
        throw new TargetError('ERR_TARGET_SETTINGS', `Cannot lock "${key}": locks of Google are set on its bucket.`)
      }
      const what = `Cannot store "${key}"`
      const name = prefix + key
      const uri = cut.get(id)
      const hash = new CRC32C()
      const onUri = (address: string) => {
        if (given.upload !== undefined) cut.set(id, address)
      }
      try {
        const { size, stored } = await upload(api, source, { ...given, name, what, hash, uri, onUri })
        if (Number(stored.size) !== size) throw damaged(what, `${stored.size} bytes instead of ${size}`)
        if (stored.crc32c !== hash.toString()) throw damaged(what, 'other bytes than were sent')
        cut.delete(id)
        onProgress?.(size)
        return describe(key, stored)
      } catch (error) {
        signal?.throwIfAborted()
        const failure = toTargetError(error, what)
        const isForgotten = failure.code === 'ERR_TARGET_NOT_FOUND'
        if (failure.code === 'ERR_TARGET_DAMAGED') await remove(key, {}).catch(() => {})
        if (isForgotten || failure.code === 'ERR_TARGET_DAMAGED' || !failure.transient) cut.delete(id)
        // Another attempt begins anew.
        if (isForgotten) throw new TargetError('ERR_TARGET_FAILED', failure.message, { cause: error, transient: true })
        throw failure
      }
    },

    async get(key, { start = 0, end = Infinity, signal } = {}) {
      checkKey(key)
      const { size, generation = '0' } = await stored(key, { signal })
      const bytes = Math.max(0, Math.min(Number(size), end + 1) - start)
      if (bytes === 0) return Readable.from([])
      const range = { name: prefix + key, generation, start, end: start + bytes - 1, signal }
      const stream = await download(api, range, `Cannot read "${key}"`)
      return wholeStream(stream, { key, bytes, signal, lends: true })
    },

    async stat(key, options = {}) {
      checkKey(key)
      try {
        return describe(key, await stored(key, options))
      } catch (error) {
        if (TargetError.is(error) && error.code === 'ERR_TARGET_NOT_FOUND') return undefined
        throw error
      }
    },

    async list({ prefix: wanted = '', cursor, limit, signal } = {}) {
      const query = new URLSearchParams({
        prefix: prefix + wanted,
        fields: 'items(name,size,updated),nextPageToken',
        ...(cursor !== undefined && { pageToken: cursor }),
        ...(limit !== undefined && { maxResults: String(limit) }),
      })
      const { items = [], nextPageToken } = await call<ListAnswer>(api, {
        method: 'GET',
        url: `${urlOf(api)}?${String(query)}`,
        expected: [200],
        signal,
        what: 'Cannot list the bucket',
      })
      const objects = items.map((each) => describe((each.name ?? '').slice(prefix.length), each))
      return { objects: objects.filter(({ key }) => isKey(key)), next: nextPageToken }
    },

    async delete(key, options = {}) {
      checkKey(key)
      try {
        await remove(key, options)
        return true
      } catch (error) {
        if (TargetError.is(error) && error.code === 'ERR_TARGET_NOT_FOUND') return false
        throw error
      }
    },

    async hash(key, options = {}) {
      checkKey(key)
      const { md5Hash, crc32c } = await stored(key, options)
      const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex')
      return { ...(md5Hash && { md5: hex(md5Hash) }), ...(crc32c && { crc32c: hex(crc32c) }) }
    },

    /** Nothing to do: Google forgets uploads that do not end in a week, and shows and charges nothing of them. */
    async sweep({ signal }) {
      signal?.throwIfAborted()
      return 0
    },

    close: () => Promise.resolve(api.http.close()),
  }
}

function damaged(what: string, has: string): TargetError {
  return new TargetError('ERR_TARGET_DAMAGED', `${what}: the store has ${has}.`)
}
