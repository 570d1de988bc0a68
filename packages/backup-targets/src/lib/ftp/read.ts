import { Readable, Writable } from 'node:stream'
import { TargetError } from '../target-error.js'
import { lendOwn } from '../lent.js'
import type { FtpLease } from './connections.js'
import { ftpError } from './errors.js'

/**
 * Bytes `start` up to `end` (exclusive) of a file. A transfer that goes on behind `end` is ended with its connection: FTP
 * has no other way.
 */
export function download(
  { client, release }: FtpLease,
  path: string,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Readable {
  let left = end - start
  let isEnough = false
  let goOn: (() => void) | undefined

  const abort = () => stream.destroy(signal?.reason as Error)
  const stream = new Readable({
    objectMode: true,
    highWaterMark: 4,
    read() {
      const resume = goOn
      // It may bring the next chunk at once.
      goOn = undefined
      resume?.()
    },
    destroy(error, done) {
      signal?.removeEventListener('abort', abort)
      release(!isEnough)
      done(error)
    },
  })
  // basic-ftp ends what it writes into, also when it fails: that must not be the end of the stream.
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const wanted = chunk.subarray(0, left)
      left -= wanted.length
      const isMore = stream.push(lendOwn(wanted))
      if (chunk.length > wanted.length) stream.push(null)
      else if (isMore) done()
      else goOn = done
    },
  })
  client.downloadTo(sink, path, start).then(
    () => {
      isEnough = left === 0
      if (isEnough) stream.push(null)
      else stream.destroy(new TargetError('ERR_TARGET_DAMAGED', `"${path}" ends ${left} bytes before byte ${end}.`))
    },
    (error: unknown) => stream.destroy(ftpError(error, `Cannot read "${path}"`)),
  )
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return stream
}
