import type { Readable } from 'node:stream'
import { readSource } from '../sources.js'
import type { Source } from '../target.js'

/** A source that is read in portions of a chosen length, once. Fails as {@link readSource} does. */
export class ByteReader {
  readonly #stream: Readable
  readonly #chunks: AsyncIterator<Buffer>
  #kept: Buffer[] = []
  #keptBytes = 0
  #hasEnded = false

  constructor(source: Source, signal?: AbortSignal) {
    this.#stream = readSource(source, { signal })
    // It may fail before it is read.
    this.#stream.on('error', () => {})
    this.#chunks = this.#stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** Reads ahead. @returns what was read, when the stream has no more than that many bytes. */
  async whole(most: number): Promise<Buffer | undefined> {
    while (!this.#hasEnded && this.#keptBytes <= most) await this.#read()
    return this.#keptBytes <= most ? Buffer.concat(this.#kept) : undefined
  }

  async hasEnded(): Promise<boolean> {
    while (!this.#hasEnded && this.#keptBytes === 0) await this.#read()
    return this.#keptBytes === 0
  }

  /** The next bytes, fewer only at the end of the stream. */
  async *take(count: number): AsyncGenerator<Buffer, void, undefined> {
    let left = count
    while (left > 0 && !(await this.hasEnded())) {
      const chunk = this.#kept.shift() as Buffer
      const part = chunk.subarray(0, left)
      if (part.length < chunk.length) this.#kept.unshift(chunk.subarray(left))
      this.#keptBytes -= part.length
      left -= part.length
      yield part
    }
  }

  close(): void {
    this.#stream.destroy()
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) {
      this.#hasEnded = true
      return
    }
    this.#kept.push(value)
    this.#keptBytes += value.length
  }
}
