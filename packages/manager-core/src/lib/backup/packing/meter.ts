import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'

/** What went through: bytes and SHA-256 (hex). */
export interface Measure {
  readonly size: number
  readonly sha256: string
}

export interface Meter {
  readonly stream: Transform
  /** Once, when all went through. */
  measure(): Measure
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
