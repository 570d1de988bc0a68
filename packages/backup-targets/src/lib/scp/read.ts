import { Readable } from 'node:stream'
import { TargetError } from '../target-error.js'
import type { Lease } from './shared-connection.js'
import { targetErrorOf } from './sftp/error.js'
import type { SftpSession } from './session.js'

const requestsUnderWay = 8

/** Bytes `start` up to `end` (exclusive) of an open file, asked for ahead. Closes the file and releases the connection. */
export function readFile(
  lease: Lease<SftpSession>,
  handle: Buffer,
  path: string,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Readable {
  const { client } = lease.connection
  const underWay: Promise<Buffer>[] = []
  let asked = start
  let at = start
  let isReading = false

  const abort = () => stream.destroy(signal?.reason as Error)
  const stream = new Readable({
    objectMode: true,
    highWaterMark: 1,
    read() {
      void pump()
    },
    destroy(error, done) {
      signal?.removeEventListener('abort', abort)
      client.closeQuietly(handle)
      lease.release(signal?.aborted === true || lease.connection.isEnded)
      done(error)
    },
  })

  async function pump(): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      let isWanted = true
      while (isWanted && !stream.destroyed) {
        askAhead()
        const first = underWay.shift()
        const chunk = await first
        if (stream.destroyed) return
        at += chunk?.length ?? 0
        isWanted = stream.push(chunk ?? null) && chunk !== undefined
      }
    } catch (error) {
      stream.destroy(targetErrorOf(error, `Cannot read ${path}`) as Error)
    } finally {
      isReading = false
    }
  }

  function askAhead(): void {
    while (underWay.length < requestsUnderWay && asked < end) {
      const chunk = readWhole(asked, Math.min(client.chunkBytes, end - asked))
      // It is asked for later, in turn.
      chunk.catch(() => {})
      underWay.push(chunk)
      asked = Math.min(asked + client.chunkBytes, end)
    }
  }

  /** Servers may give less at a time. */
  async function readWhole(offset: number, length: number): Promise<Buffer> {
    const first = await client.read(handle, offset, length)
    if (first.length === length) return first
    if (first.length === 0) throw new TargetError('ERR_TARGET_DAMAGED', `${path} ends at byte ${offset} of ${end}.`)
    return Buffer.concat([first, await readWhole(offset + first.length, length - first.length)])
  }

  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return stream
}
