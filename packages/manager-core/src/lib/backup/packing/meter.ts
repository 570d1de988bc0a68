import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import type { FileHash } from '../../files/hash-file.js'

export interface Meter {
  readonly stream: Transform
  /** Once, when all went through. */
  measure(): FileHash
}

/** Lets everything through and counts it. */
export function createMeter(onBytes?: (total: number) => void): Meter {
  const hash = createHash('sha256')
  let size = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      onBytes?.(size)
      done(null, chunk)
    },
  })
  return { stream, measure: () => ({ size, sha256: hash.digest('hex') }) }
}
