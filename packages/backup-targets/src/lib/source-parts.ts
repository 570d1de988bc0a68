import { createHash } from 'node:crypto'
import { giveBack } from './lent.js'
import { readSource } from './sources.js'
import type { Source } from './target.js'

/** A piece of a source, in memory. */
export interface Part {
  /** From 1. */
  readonly number: number
  readonly bytes: Buffer
  readonly md5: Buffer
  readonly isLast: boolean
}

/**
 * Cuts a source into parts of that many bytes. At least one comes, an empty one of an empty source.
 *
 * @param take memory for a part; what it gives is written to until the part comes.
 */
export async function* partsOf(
  source: Source,
  take: () => Buffer,
  signal: AbortSignal | undefined,
): AsyncGenerator<Part, void, undefined> {
  let memory = take()
  let filled = 0
  let number = 1
  let hash = createHash('md5')
  for await (const chunk of readSource(source, { signal }) as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length;) {
      if (filled === memory.length) {
        yield { number, bytes: memory, md5: hash.digest(), isLast: false }
        number++
        memory = take()
        filled = 0
        hash = createHash('md5')
      }
      const piece = chunk.subarray(at, at + memory.length - filled)
      piece.copy(memory, filled)
      hash.update(piece)
      filled += piece.length
      at += piece.length
    }
    giveBack(chunk)
  }
  yield { number, bytes: memory.subarray(0, filled), md5: hash.digest(), isLast: true }
}
