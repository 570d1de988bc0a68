import { batchBytes, rowsOfBatch, sizeOf } from '@steward/rest-core'
import type { Rows } from './connection.js'

/**
 * Rows to ask a server for that knows no limit of bytes: about a batch of bytes, by the rows that were seen, and not many
 * more than before, as others may be larger.
 */
export function nextSize(size: number, most: number, seen: Rows): number {
  const perRow = seen.length === 0 ? 0 : sizeOf(seen) / seen.length
  return Math.max(1, Math.min(most, size * 4, Math.floor(batchBytes / Math.max(1, perRow))))
}

/** Holds back what the server sends. */
export interface Flow {
  pause(): void
  resume(): void
}

/** A running statement that rows come from. */
export interface RowSource {
  on(event: 'result', listener: (row: readonly unknown[]) => void): void
  on(event: 'error', listener: (error: unknown) => void): void
  on(event: 'end', listener: () => void): void
}

/**
 * Rows of a running statement, in batches, which end by rows and by bytes. The socket is read only as fast as batches are
 * taken, so that memory stays flat. The protocol has no cursors: nothing else can run on the connection until the last row has come, therefore
 * `finish` lets it come.
 */
export class RowStream {
  readonly #flow: Flow
  readonly #batchSize: number
  #rows: (readonly unknown[])[] = []
  #bytes = 0
  #count = 0
  #ended = false
  #failure: { readonly error: unknown } | undefined
  /** Rows are kept for the reader, dropped, or read only up to a batch. */
  #mode: 'batch' | 'keep' | 'drop' = 'batch'
  #paused = false
  #changed = Promise.withResolvers<void>()
  readonly #done = Promise.withResolvers<void>()

  constructor(flow: Flow, source: RowSource, batchSize: number) {
    this.#flow = flow
    this.#batchSize = batchSize
    source.on('result', (row) => this.#add(row))
    source.on('error', (error) => this.fail(error))
    source.on('end', () => this.#end())
  }

  /** Rows that have come so far. */
  get count(): number {
    return this.#count
  }

  /** Whether the statement has ended, and all of its rows were taken. */
  get isRead(): boolean {
    return this.#ended && this.#rows.length === 0
  }

  /** Whether the server has to wait. */
  get isPaused(): boolean {
    return this.#paused
  }

  /** Resolves when the connection can take other statements. */
  get done(): Promise<void> {
    return this.#done.promise
  }

  /** The next rows; none when there are no more. */
  async next(): Promise<Rows> {
    while (!this.#isFull && !this.#ended) {
      // Rows may come, and more than enough of them, before `resume` returns.
      const changed = this.#changed.promise
      this.#resume()
      await changed
    }
    if (this.#failure) throw this.#failure.error
    const batch = this.#rows.splice(0, rowsOfBatch(this.#rows, this.#batchSize))
    this.#bytes = this.#rows.length === 0 ? 0 : this.#bytes - sizeOf(batch)
    return batch
  }

  /** Reads the rest at once, to keep it for the reader or to drop it. */
  finish(mode: 'keep' | 'drop'): Promise<void> {
    this.#mode = mode
    if (mode === 'drop') {
      this.#rows = []
      this.#bytes = 0
    }
    this.#resume()
    return this.done
  }

  /** The connection reports its own loss here: the statement does not hear of it. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#end()
  }

  get #isFull(): boolean {
    return this.#rows.length >= this.#batchSize || this.#bytes >= batchBytes
  }

  #add(row: readonly unknown[]): void {
    this.#count++
    if (this.#mode === 'drop') return
    this.#rows.push(row)
    this.#bytes += sizeOf(row)
    if (!this.#isFull) return
    if (this.#mode === 'batch' && !this.#paused) {
      this.#paused = true
      this.#flow.pause()
    }
    this.#notify()
  }

  #end(): void {
    this.#ended = true
    // What follows on the connection must not wait for rows that are there already.
    this.#resume()
    this.#notify()
    this.#done.resolve()
  }

  #resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#flow.resume()
  }

  #notify(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
