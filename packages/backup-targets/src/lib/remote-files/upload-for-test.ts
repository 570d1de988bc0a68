import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Source } from '../target.js'

/** Bytes in pieces, and what happens after the first `at` ones were given. */
export function interrupted(bytes: Buffer, at: number, event: () => Promise<void> | void): Source {
  return {
    size: bytes.length,
    open(start = 0) {
      async function* pieces() {
        for (let from = start; from < bytes.length;) {
          const to = Math.min(from < at ? at : bytes.length, from + 65_536)
          yield bytes.subarray(from, to)
          if (to === at) await event()
          from = to
        }
      }
      return Readable.from(pieces(), { objectMode: false })
    },
  }
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
