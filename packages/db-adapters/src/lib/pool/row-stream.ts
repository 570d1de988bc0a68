import type { Rows } from './connection.js'

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
 * Rows of a running statement, in batches. The socket is read only as fast as batches are taken, so that memory stays
 * flat. The protocol has no cursors: nothing else can run on the connection until the last row has come, therefore
 * `finish` lets it come.
 */
export class RowStream {
  readonly #flow: Flow
  readonly #batchSize: number
  #rows: (readonly unknown[])[] = []
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

  /** Resolves when the connection can take other statements. */
  get done(): Promise<void> {
    return this.#done.promise
  }

  /** The next rows; none when there are no more. */
  async next(): Promise<Rows> {
    while (this.#rows.length < this.#batchSize && !this.#ended) {
      // Rows may come, and more than enough of them, before `resume` returns.
      const changed = this.#changed.promise
      this.#resume()
      await changed
    }
    if (this.#failure) throw this.#failure.error
    return this.#rows.splice(0, this.#batchSize)
  }

  /** Reads the rest at once, to keep it for the reader or to drop it. */
  finish(mode: 'keep' | 'drop'): Promise<void> {
    this.#mode = mode
    if (mode === 'drop') this.#rows = []
    this.#resume()
    return this.done
  }

  /** The connection reports its own loss here: the statement does not hear of it. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#end()
  }

  #add(row: readonly unknown[]): void {
    if (this.#mode === 'drop') return
    this.#rows.push(row)
    if (this.#rows.length < this.#batchSize) return
    if (this.#mode === 'batch' && !this.#paused) {
      this.#paused = true
      this.#flow.pause()
    }
    this.#notify()
  }

  #end(): void {
    this.#ended = true
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
