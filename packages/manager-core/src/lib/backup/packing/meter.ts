import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import type { FileHash } from '../../files/hash-file.js'

export interface Meter {
  readonly stream: Transform
  /** Once, when all went through. */
  measure(): FileHash
}

/** Lets everything through and counts it. @param limit more bytes are refused */
export function createMeter(onBytes?: (total: number) => void, limit = Infinity): Meter {
  const hash = createHash('sha256')
  let size = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > limit) return done(new Error(`there are more than the ${limit} bytes that it should have`))
      hash.update(chunk)
      onBytes?.(size)
      return done(null, chunk)
    },
  })
  return { stream, measure: () => ({ size, sha256: hash.digest('hex') }) }
}
