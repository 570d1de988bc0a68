import { Transform } from 'node:stream'

/** Passes bytes on and reports how many there were so far. */
export function progressOf(onProgress: ((bytes: number) => void) | undefined): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      onProgress?.(bytes)
      done(null, chunk)
    },
  })
}
