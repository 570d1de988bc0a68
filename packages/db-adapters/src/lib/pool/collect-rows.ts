import { memoryLimits, sizeOf } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { Rows } from './connection.js'

const { answer } = memoryLimits()

/**
 * All rows of an answer that comes in one piece.
 *
 * @throws StoreError `size` when they have more bytes than an answer may have; no more of them are read then.
 */
export async function collectRows(batches: AsyncIterable<Rows>): Promise<Rows> {
  let all: Rows = []
  let bytes = 0
  for await (const rows of batches) {
    bytes += sizeOf(rows)
    if (bytes > answer) {
      const text = `The answer is larger than ${Math.floor(answer / 2 ** 20)} MiB. Ask for fewer fields or fewer records.`
      throw new StoreError('size', text)
    }
    all = all.length === 0 ? rows : [...all, ...rows]
  }
  return all
}
