import type { Writable } from 'node:stream'

/** Writes, and waits while the reader is slow. @returns false when the reader has gone (`| head`). */
export async function write(stream: Writable, chunk: string | Uint8Array): Promise<boolean> {
  if (stream.destroyed || stream.writableEnded) return false
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => {
      if (!error) resolve(true)
      else if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes((error as NodeJS.ErrnoException).code ?? '')) resolve(false)
      else reject(error)
    })
  })
}
