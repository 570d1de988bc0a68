import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CreateWriteStreamOptions, File } from '@google-cloud/storage'
import { readSource } from '../sources.js'
import { TargetError } from '../target-error.js'
import type { PutOptions, Source } from '../target.js'
import { authorisation } from './download.js'

/** So much is kept in memory to be sent again; a multiple of 256 KiB. */
const chunkBytes = 8 * 1024 ** 2
/** What has no more is sent by one request. */
const smallBytes = 256 * 1024

export interface Upload extends PutOptions {
  /** Address of an upload that was cut, which goes on. */
  readonly uri: string | undefined
  /** Told the address of a new one. */
  readonly onUri: (uri: string) => void
}

/** Sends all bytes of a source; their CRC-32C is compared by the store and here. @returns how many they were. */
export async function upload(file: File, source: Source, options: Upload): Promise<number> {
  const { uri, onUri, ifAbsent, onProgress, signal } = options
  const chunks = readSource(source, { signal })[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const common: CreateWriteStreamOptions = {
    validation: 'crc32c',
    metadata: { contentType: 'application/octet-stream' },
    ...(ifAbsent && { preconditionOpts: { ifGenerationMatch: 0 } }),
  }
  const head: Buffer[] = []
  let size = 0
  while (size <= smallBytes) {
    const next = await chunks.next()
    if (next.done) {
      // The client says something else when that fails.
      await authorisation(file.storage)
      await file.save(Buffer.concat(head), { ...common, resumable: false })
      return size
    }
    head.push(next.value)
    size += next.value.length
  }

  const sink = file.createWriteStream({ ...common, chunkSize: chunkBytes, ...(uri !== undefined && { uri }) })
  sink.on('uri', onUri)
  sink.on('progress', ({ bytesWritten }: { bytesWritten: number }) => onProgress?.(bytesWritten))
  size = 0
  let isRead = false
  // A store that ends the upload by itself has a part of it, and the client would wait for ever.
  sink.on('response', ({ status }: { status: number }) => {
    if (status >= 200 && status < 300 && !isRead) sink.destroy(endedEarly())
  })
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      done(null, chunk)
    },
    flush(done) {
      isRead = true
      done()
    },
  })
  await pipeline(Readable.from(following(head, chunks), { objectMode: false }), count, sink, { signal })
  return size
}

async function* following(head: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* head
  yield* { [Symbol.asyncIterator]: () => rest }
}

function endedEarly(): TargetError {
  return new TargetError('ERR_TARGET_DAMAGED', 'The store ended the upload before all was sent.')
}
