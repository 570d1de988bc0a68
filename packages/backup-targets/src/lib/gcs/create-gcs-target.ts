import { Readable } from 'node:stream'
import type { Bucket, File } from '@google-cloud/storage'
import { checkKey, isKey, uploadId } from '../key.js'
import { loadPackage } from '../load-package.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget, CallOptions, StoredObject, TargetCapabilities } from '../target.js'
import { wholeStream } from '../whole-stream.js'
import { download } from './download.js'
import { toTargetError } from './errors.js'
import { serviceAccount } from './service-account.js'
import { upload } from './upload.js'

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

/** Objects of a bucket of Google Cloud Storage. */
export async function createGcsTarget(options: GcsTargetOptions): Promise<BackupTarget> {
  const { prefix, idleMs } = options
  const bucket = await connect(options)
  /** Addresses of uploads that were cut, by key and `upload`. */
  const cut = new Map<string, string>()

  async function stored(key: string, call: CallOptions) {
    const [metadata] = await attempt(() => bucket.file(prefix + key).getMetadata(), `Cannot look at "${key}"`, call)
    return metadata
  }
  const describe = (key: string, { size = 0, updated }: File['metadata']): StoredObject => ({
    key,
    size: Number(size),
    modified: new Date(updated ?? 0),
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
      const file = bucket.file(prefix + key)
      const uri = cut.get(id)
      const onUri = (address: string) => {
        if (given.upload !== undefined) cut.set(id, address)
      }
      let size: number
      try {
        size = await unlessAborted(upload(file, source, { ...given, uri, onUri }), signal)
      } catch (error) {
        signal?.throwIfAborted()
        const failure = toTargetError(error, `Cannot store "${key}"`)
        const isForgotten = uri !== undefined && failure.code === 'ERR_TARGET_NOT_FOUND'
        if (isForgotten || !failure.transient) cut.delete(id)
        if (failure.code === 'ERR_TARGET_DAMAGED') await file.delete().catch(() => {})
        if (!isForgotten) throw failure
        const text = `The store has forgotten the upload of "${key}" that was to go on.`
        throw new TargetError('ERR_TARGET_FAILED', text, { cause: error, transient: true })
      }
      cut.delete(id)
      const object = describe(key, file.metadata)
      if (object.size !== size) {
        await file.delete().catch(() => {})
        const text = `The store has ${object.size} bytes of "${key}" instead of the ${size} bytes sent.`
        throw new TargetError('ERR_TARGET_DAMAGED', text)
      }
      onProgress?.(size)
      return object
    },

    async get(key, { start = 0, end = Infinity, signal } = {}) {
      checkKey(key)
      const { size = 0, generation = 0 } = await stored(key, { signal })
      const bytes = Math.max(0, Math.min(Number(size), end + 1) - start)
      if (bytes === 0) return Readable.from([])
      const range = { name: prefix + key, generation, start, end: start + bytes - 1, idleMs, signal }
      const stream = await attempt(() => download(bucket, range), `Cannot read "${key}"`, { signal })
      return wholeStream(stream, { key, bytes, signal })
    },

    async stat(key, call = {}) {
      checkKey(key)
      try {
        return describe(key, await stored(key, call))
      } catch (error) {
        if (error instanceof TargetError && error.code === 'ERR_TARGET_NOT_FOUND') return undefined
        throw error
      }
    },

    async list({ prefix: wanted = '', cursor, limit, signal } = {}) {
      const query = {
        autoPaginate: false,
        prefix: prefix + wanted,
        ...(cursor !== undefined && { pageToken: cursor }),
        ...(limit !== undefined && { maxResults: limit }),
      }
      const [files, , answer] = await attempt(() => bucket.getFiles(query), 'Cannot list the bucket', { signal })
      const objects = files.map(({ name, metadata }) => describe(name.slice(prefix.length), metadata))
      return {
        objects: objects.filter(({ key }) => isKey(key)),
        next: (answer as { nextPageToken?: string } | undefined)?.nextPageToken,
      }
    },

    async delete(key, call = {}) {
      checkKey(key)
      try {
        await attempt(() => bucket.file(prefix + key).delete(), `Cannot delete "${key}"`, call)
        return true
      } catch (error) {
        if (error instanceof TargetError && error.code === 'ERR_TARGET_NOT_FOUND') return false
        throw error
      }
    },

    async hash(key, call = {}) {
      checkKey(key)
      const { md5Hash, crc32c } = await stored(key, call)
      const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex')
      return { ...(md5Hash && { md5: hex(md5Hash) }), ...(crc32c && { crc32c: hex(crc32c) }) }
    },

    /** Nothing to do: Google forgets uploads that do not end in a week, and shows and charges nothing of them. */
    async sweep({ signal }) {
      signal?.throwIfAborted()
      return 0
    },

    close: () => Promise.resolve(),
  }
}

async function connect({ bucket, keyFile, apiEndpoint, idleMs }: GcsTargetOptions): Promise<Bucket> {
  const { IdempotencyStrategy, Storage } = await loadPackage(
    '@google-cloud/storage',
    () => import('@google-cloud/storage'),
  )
  const storage = new Storage({
    ...(keyFile !== undefined && { authClient: await serviceAccount(keyFile) }),
    ...(apiEndpoint !== undefined && { apiEndpoint, useAuthWithCustomEndpoint: keyFile !== undefined }),
    timeout: idleMs,
    // What is written is named by its content, so that it can be written twice.
    retryOptions: { autoRetry: true, maxRetries: 2, idempotencyStrategy: IdempotencyStrategy.RetryAlways },
  })
  return storage.bucket(bucket)
}

async function attempt<T>(call: () => Promise<T>, what: string, { signal }: CallOptions): Promise<T> {
  signal?.throwIfAborted()
  try {
    return await unlessAborted(call(), signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw toTargetError(error, what)
  }
}

/** The client cannot abort a call: it is left alone then. */
async function unlessAborted<T>(call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal?.reason as Error)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([call, aborted.promise])
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}
