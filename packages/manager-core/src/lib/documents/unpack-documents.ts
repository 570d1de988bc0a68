import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createTarDecoder } from 'modern-tar'
import type { DocumentBucket } from './bucket.js'
import { putFiles, smallBytes, streamOf, type DocumentFile, type TransferOptions } from './document-files.js'

export interface UnpackingDocuments {
  /** Takes a tar that `packDocuments` made, and whose entries were checked. */
  readonly sink: Writable
  /** Resolves when all of it is in the bucket. */
  readonly done: Promise<void>
}

/**
 * Puts the documents of a tar into a bucket.
 *
 * @param temporary starts the paths of files that large documents are in before they are put, so that they can be read again
 */
export function unpackDocuments(
  bucket: DocumentBucket,
  temporary: string,
  options: TransferOptions = {},
): UnpackingDocuments {
  const { writable, readable } = createTarDecoder({ strict: true })
  const done = putFiles(bucket, entries(), new Set(), options)
  done.catch(() => undefined)
  return { sink: Writable.fromWeb(writable as Parameters<typeof Writable.fromWeb>[0]), done }

  async function* entries(): AsyncGenerator<DocumentFile> {
    let number = 0
    for await (const { header, body } of readable) {
      const { name, size, mtime: modified = new Date(0), type = 'file' } = header
      if (type !== 'file') {
        await body.cancel()
        continue
      }
      const key = name.slice('documents/'.length)
      const content = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
      if (size <= smallBytes) {
        const bytes = await buffer(content)
        yield { key, size, modified, open: async (start = 0) => streamOf(bytes.subarray(start)) }
        continue
      }
      const path = `${temporary}-${++number}`
      const release = () => rm(path, { force: true })
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch(async (error: unknown) => {
        await release()
        throw error
      })
      yield { key, size, modified, open: async (start = 0) => createReadStream(path, { start }), release }
    }
  }
}
