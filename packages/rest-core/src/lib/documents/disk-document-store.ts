import { randomUUID } from 'node:crypto'
import { mkdir, open, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { RestError } from '../../errors.js'
import type { ByteRange, DocumentInfo, DocumentStore, ListedDocument, PutDocument } from './document-store.js'
import { documentIdPattern, documentName, mediaTypeOf } from './document-name.js'
import type { Caller } from '../caller.js'
import { makeThumbnail } from './thumbnail.js'

export interface DiskDocumentStoreOptions {
  /** Folder that holds everything; made when it is not there. */
  readonly folder: string
}

/** Folder of uploads, and of removals, that have not ended. */
const incoming = 'incoming'

/**
 * Documents as files: `<folder>/<first two characters of the id>/<id>/{content,info.json,thumbnail-<pixels>.webp}`.
 * A document appears by one rename when it is complete and on disk, and goes by one, so a crash leaves nothing half-written
 * or half-removed in its place. Any number of processes, on any number of machines, may use one folder: none writes to what
 * another one is writing, and nothing is kept in memory.
 */
export function createDiskDocumentStore({ folder }: DiskDocumentStoreOptions): DocumentStore {
  return { put, info, read, thumbnail, delete: remove, list }

  async function put(content: Readable | Uint8Array, options: PutDocument): Promise<DocumentInfo> {
    const id = randomUUID()
    const name = documentName(options.name)
    const draft = join(folder, incoming, id)
    await mkdir(draft, { recursive: true })
    try {
      const size = await writeContent(join(draft, 'content'), content, options)
      const mime = options.mime || (await mediaTypeOf(name))
      const info: DocumentInfo = { id, name, path: options.path, mime, size }
      await writeFile(join(draft, 'info.json'), JSON.stringify(info), { flush: true })
      const made = await mkdir(join(folder, id.slice(0, 2)), { recursive: true })
      if (made !== undefined) await syncFolder(folder)
      await rename(draft, place(id))
      await syncFolder(join(folder, id.slice(0, 2)))
      return info
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  }

  async function info(id: string): Promise<DocumentInfo | undefined> {
    if (!documentIdPattern.test(id)) return undefined
    try {
      return JSON.parse(await readFile(join(place(id), 'info.json'), 'utf8')) as DocumentInfo
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async function read(id: string, range?: ByteRange): Promise<Readable> {
    if (!documentIdPattern.test(id)) throw RestError.notFound(`Document "${id}"`)
    try {
      // Opened at once, so that what is removed meanwhile can still be read, and what was removed before is reported here.
      const handle = await open(join(place(id), 'content'), 'r')
      return handle.createReadStream({ ...range })
    } catch (error) {
      if (isMissing(error)) throw RestError.notFound(`Document "${id}"`)
      throw error
    }
  }

  async function thumbnail(id: string, pixels: number, caller?: Caller): Promise<Uint8Array | undefined> {
    const found = await info(id)
    if (!found) throw RestError.notFound(`Document "${id}"`)
    if (!found.mime.startsWith('image/')) return undefined
    const file = join(place(id), `thumbnail-${Math.trunc(pixels)}.webp`)
    try {
      return await readFile(file)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    const picture = await makeThumbnail(join(place(id), 'content'), pixels, caller)
    if (picture) {
      // Two requests may make it at once; each writes a file of its own and the last rename wins.
      const draft = `${file}.${randomUUID()}`
      try {
        await writeFile(draft, picture)
        await rename(draft, file)
      } catch (error) {
        // The document was removed meanwhile.
        if (!isMissing(error)) throw error
      }
    }
    return picture
  }

  async function remove(id: string): Promise<void> {
    if (!documentIdPattern.test(id)) return
    const removed = join(folder, incoming, id)
    await removeFolder(removed)
    try {
      await rename(place(id), removed)
    } catch (error) {
      if (!isMissing(error)) throw error
      if ((await lastWrite(place(id))) === undefined) return
      // What was copied here needs no folder of uploads.
      await mkdir(join(folder, incoming), { recursive: true })
      await rename(place(id), removed).catch((again: unknown) => {
        // Another process has removed it meanwhile.
        if (!isMissing(again)) throw again
      })
    }
    await removeFolder(removed)
  }

  async function* list(): AsyncGenerator<ListedDocument> {
    for await (const part of entries(folder)) {
      if (part !== incoming && !/^[0-9a-f]{2}$/.test(part)) continue
      for await (const id of entries(join(folder, part))) {
        const storedAt = documentIdPattern.test(id) ? await lastWrite(join(folder, part, id)) : undefined
        if (storedAt !== undefined) yield { id, storedAt }
      }
    }
  }

  function place(id: string): string {
    return join(folder, id.slice(0, 2), id)
  }
}

/** What a reader on another machine holds open there is removed by the next cleaning. */
async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (!['ENOTEMPTY', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Names in a folder; none when it is not there. */
async function* entries(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder)) yield name
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** A document that is being removed has none. */
async function lastWrite(folder: string): Promise<number | undefined> {
  for (const path of [join(folder, 'content'), folder]) {
    try {
      return (await stat(path)).mtimeMs
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  return undefined
}

async function writeContent(
  file: string,
  content: Readable | Uint8Array,
  { maxBytes, name }: PutDocument,
): Promise<number> {
  const handle = await open(file, 'wx')
  try {
    let size = 0
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      const bytes = chunk as Uint8Array
      size += bytes.length
      if (size > maxBytes)
        throw new RestError('ERR_TOO_LARGE', `"${name}" is larger than the ${maxBytes} bytes that the field takes.`)
      await handle.writeFile(bytes)
    }
    await handle.sync()
    return size
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** ESTALE: on a network file system another machine has removed it. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ESTALE'
}
