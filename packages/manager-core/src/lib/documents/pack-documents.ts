import { Readable } from 'node:stream'
import { createTarPacker } from 'modern-tar'
import { filesIn, isGone, type DocumentFile, type TransferOptions } from './document-files.js'
import type { DocumentBucket } from './bucket.js'

export interface PackingDocuments {
  /** A tar with all files below `documents/`. */
  readonly content: Readable
  /** Resolves when all is packed that was there when it started. */
  readonly caughtUp: Promise<void>
  /** Packs what has come since, and ends the tar. Documents never change, so what was packed before still holds. */
  finish(): Promise<void>
}

/** What is known of a file while it is fetched: the next ones are asked for while one is packed. */
type Fetched = { readonly file: DocumentFile; readonly content: Promise<Readable | undefined> }

/** Documents that are requested ahead of packing. */
const ahead = 8

/**
 * Packs the documents of a bucket as they are read. Most of it happens while the application works; it needs to be paused
 * for `finish()` only, so that documents are of the same moment as its database.
 */
export function packDocuments(bucket: DocumentBucket, { signal }: TransferOptions = {}): PackingDocuments {
  const { readable, controller } = createTarPacker()
  const packed = new Set<string>()
  const caughtUp = addNew()
  caughtUp.catch((error: unknown) => controller.error(error))
  const content = Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0])
  return { content, caughtUp, finish }

  async function finish(): Promise<void> {
    await caughtUp
    try {
      await addNew()
      controller.finalize()
    } catch (error) {
      controller.error(error)
      throw error
    }
  }

  async function addNew(): Promise<void> {
    const fetched: Fetched[] = []
    try {
      for await (const file of filesIn(bucket, signal)) {
        if (packed.has(file.key)) continue
        packed.add(file.key)
        fetched.push({ file, content: fetch(file) })
        if (fetched.length > ahead) await add(fetched.shift() as Fetched)
      }
      while (fetched.length > 0) await add(fetched.shift() as Fetched)
    } finally {
      for (const { content } of fetched)
        void content.then(
          (stream) => stream?.destroy(),
          () => undefined,
        )
    }
  }

  async function add({ file, content }: Fetched): Promise<void> {
    const stream = await content
    if (!stream) return
    const { key, size, modified } = file
    const writer = controller.add({ name: `documents/${key}`, size, mode: 0o600, mtime: modified }).getWriter()
    for await (const chunk of stream as AsyncIterable<Uint8Array>) await writer.write(chunk)
    await writer.close()
  }
}

/** @returns undefined for one that was removed since it was listed */
function fetch(file: DocumentFile): Promise<Readable | undefined> {
  const content = file.open().catch((error: unknown) => {
    if (isGone(error)) return undefined
    throw error
  })
  // Its turn comes later.
  content.catch(() => undefined)
  return content
}
