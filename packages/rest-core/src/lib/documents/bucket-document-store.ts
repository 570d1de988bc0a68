import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { RestError } from '../../errors.js'
import { documentIdPattern, documentName, mediaTypeOf } from './document-name.js'
import type { ByteRange, DocumentInfo, DocumentStore, ListedDocument, PutDocument } from './document-store.js'
import type { Caller } from '../caller.js'
import { makeThumbnail } from './thumbnail.js'

/**
 * Named objects, each there whole or not at all, as a bucket of S3 keeps them. A `BackupTarget` that lists in the order of
 * keys and takes contents of unknown size is one.
 */
export interface DocumentBucket {
  /** Stores an object, or replaces it at once; what was sent of one that fails is never visible. */
  put(key: string, source: BucketSource): Promise<unknown>
  /** @throws Error whose `code` is ERR_TARGET_NOT_FOUND. A stream that is cut fails, it never just ends. */
  get(key: string, range?: Partial<ByteRange>): Promise<Readable>
  /** A page, in the order of keys; `next` is the `cursor` of the following one. */
  list(options: { readonly prefix?: string; readonly cursor?: string | undefined }): Promise<{
    readonly objects: readonly { readonly key: string; readonly modified: Date }[]
    readonly next: string | undefined
  }>
  /** Removes an object; a missing one is not an error. */
  delete(key: string): Promise<unknown>
  /** Removes what is left of uploads that started before this moment and never ended. */
  sweep(options: { readonly before: Date }): Promise<unknown>
  close(): Promise<void>
}

export interface BucketSource {
  /** Undefined: not known before the end; such a source is opened once, from 0 on. */
  readonly size?: number | undefined
  open(start?: number): Readable
}

/**
 * Documents as objects with the names that a folder of documents has:
 * `<first two characters of the id>/<id>/{content,info.json,thumbnail-<pixels>.webp}`. A document is there when its
 * `info.json` is, which is written last and removed first. Any number of processes may use one bucket.
 */
export function createBucketDocumentStore(bucket: DocumentBucket): DocumentStore {
  return { put, info, read, thumbnail, delete: remove, list, sweep, close: () => bucket.close() }

  async function put(content: Readable | Uint8Array, options: PutDocument): Promise<DocumentInfo> {
    const id = randomUUID()
    const name = documentName(options.name)
    const source = measured(content, options)
    try {
      await bucket.put(keyOf(id, 'content'), source)
      const mime = options.mime || (await mediaTypeOf(name))
      const info: DocumentInfo = { id, name, path: options.path, mime, size: source.bytes() }
      await bucket.put(keyOf(id, 'info.json'), bytesOf(Buffer.from(JSON.stringify(info))))
      return info
    } catch (error) {
      // What cannot be removed now is found by the next cleaning.
      await remove(id).catch(() => {})
      throw source.failure() ?? error
    }
  }

  async function info(id: string): Promise<DocumentInfo | undefined> {
    if (!documentIdPattern.test(id)) return undefined
    const found = await find(keyOf(id, 'info.json'))
    return found && (JSON.parse(String(await buffer(found))) as DocumentInfo)
  }

  async function read(id: string, range?: ByteRange): Promise<Readable> {
    const found = documentIdPattern.test(id) ? await find(keyOf(id, 'content'), range) : undefined
    if (!found) throw RestError.notFound(`Document "${id}"`)
    return found
  }

  async function thumbnail(id: string, pixels: number, caller?: Caller): Promise<Uint8Array | undefined> {
    const known = await info(id)
    if (!known) throw RestError.notFound(`Document "${id}"`)
    if (!known.mime.startsWith('image/')) return undefined
    const key = keyOf(id, `thumbnail-${Math.trunc(pixels)}.webp`)
    const made = await find(key)
    if (made) return buffer(made)
    // As a file, because what claims to be a picture may be larger than the memory.
    const folder = await mkdtemp(join(tmpdir(), 'steward-thumbnail-'))
    try {
      const file = join(folder, 'content')
      await pipeline(await read(id), createWriteStream(file))
      const picture = await makeThumbnail(file, pixels, caller)
      if (picture) await bucket.put(key, bytesOf(picture))
      return picture
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  async function remove(id: string): Promise<void> {
    if (!documentIdPattern.test(id)) return
    await bucket.delete(keyOf(id, 'info.json'))
    const rest: string[] = []
    for await (const { key } of objects(keyOf(id, ''))) rest.push(key)
    for (const key of rest) await bucket.delete(key)
  }

  async function* list(): AsyncGenerator<ListedDocument> {
    let last = ''
    for await (const { key, modified } of objects()) {
      const [, id = '', file = ''] = key.split('/')
      if (id === last || !documentIdPattern.test(id) || key !== keyOf(id, file)) continue
      last = id
      yield { id, storedAt: modified.getTime() }
    }
  }

  async function sweep(before: Date): Promise<void> {
    await bucket.sweep({ before })
  }

  async function find(key: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      return await bucket.get(key, range)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_TARGET_NOT_FOUND') return undefined
      throw error
    }
  }

  async function* objects(prefix = '') {
    let cursor: string | undefined
    do {
      const page = await bucket.list({ prefix, cursor })
      yield* page.objects
      cursor = page.next
    } while (cursor !== undefined)
  }
}

function keyOf(id: string, file: string): string {
  return `${id.slice(0, 2)}/${id}/${file}`
}

function bytesOf(bytes: Uint8Array): BucketSource {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { size: all.length, open: (start = 0) => Readable.from([all.subarray(start)], { objectMode: false }) }
}

/** The content as a source that ends with an error after `maxBytes`; and what is known when it was read. */
function measured(
  content: Readable | Uint8Array,
  { maxBytes, name }: PutDocument,
): BucketSource & { bytes(): number; failure(): unknown } {
  const tooLarge = () =>
    new RestError('ERR_TOO_LARGE', `"${name}" is larger than the ${maxBytes} bytes that the field takes.`)
  if (content instanceof Uint8Array) {
    if (content.length > maxBytes) throw tooLarge()
    return { ...bytesOf(content), bytes: () => content.length, failure: () => undefined }
  }
  let size = 0
  let failure: unknown
  // What the bucket fails with arrives here, too: its stream is destroyed.
  let isOutside = false
  async function* chunks() {
    try {
      for await (const chunk of content as AsyncIterable<Uint8Array>) {
        size += chunk.length
        if (size > maxBytes) throw tooLarge()
        isOutside = true
        yield chunk
        isOutside = false
      }
    } catch (error) {
      if (!isOutside) failure = error
      throw error
    }
  }
  let isOpened = false
  return {
    open() {
      if (isOpened) throw new Error(`The content of "${name}" is a stream, which cannot be read again.`)
      isOpened = true
      return Readable.from(chunks(), { objectMode: false })
    },
    bytes: () => size,
    failure: () => failure,
  }
}
