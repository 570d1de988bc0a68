import { StoreError } from '@steward/rest-core/errors'
import type { Call } from '../sql/statement.js'
import type { ReaderAnswer } from './reader-protocol.js'
import { ReaderThread, type ReaderJob } from './reader-thread.js'

type Rows = Extract<ReaderAnswer, { kind: 'rows' }>

/** Rows per batch of a search. */
const batch = 500
/** Batches that a search may be ahead of its consumer. */
const ahead = 2
/** Each open search has a connection and holds back the clean-up of the log. */
const mostSearches = 64

/**
 * Threads that read for the store, because SQLite's driver works on the calling thread until it has its answer. They see
 * what is committed when a job starts. Threads start when first needed; one that died is replaced.
 */
export class Readers {
  readonly #filename: string
  readonly #most: number
  readonly #threads = new Set<ReaderThread>()
  readonly #counts = new Set<Promise<unknown>>()
  #searches = 0

  /** @param most Most threads. */
  constructor(filename: string, most: number) {
    this.#filename = filename
    this.#most = most
  }

  count({ statement, values }: Call): Promise<number> {
    const counting = new Promise<number>((resolve, reject) => {
      const job: ReaderJob = { answer: (answer) => resolve((answer as { value: number }).value), fail: reject }
      this.#thread().start(job, 'count', statement.sql, values)
    })
    const settled = counting.catch(() => {}).finally(() => this.#counts.delete(settled))
    this.#counts.add(settled)
    return counting
  }

  /** Rows in batches; the thread reads at most two batches ahead of the consumer, and stops when the consumer stops. */
  async *search({ statement, values }: Call): AsyncGenerator<Rows['rows'], void> {
    if (this.#searches >= mostSearches)
      throw new StoreError('unavailable', `Cannot search: ${mostSearches} searches of many rows are open. Try again.`)
    const thread = this.#thread()
    const arrived: Rows[] = []
    let failed: StoreError | undefined
    let wake = (): void => {}
    const job: ReaderJob = {
      answer(answer) {
        arrived.push(answer as Rows)
        wake()
      },
      fail(error) {
        failed = error
        wake()
      },
    }
    const number = thread.start(job, 'search', statement.sql, values)
    this.#searches++
    try {
      for (let credit = 0; credit < ahead; credit++) thread.ask({ kind: 'more', job: number })
      for (;;) {
        const answer = arrived.shift()
        if (!answer) {
          if (failed) throw failed
          await new Promise<void>((resolve) => (wake = resolve))
          continue
        }
        if (!answer.last) thread.ask({ kind: 'more', job: number })
        if (answer.rows.length > 0) yield answer.rows
        if (answer.last) return
      }
    } finally {
      this.#searches--
      thread.cancel(number)
    }
  }

  checkpoint(): void {
    this.#thread().ask({ kind: 'checkpoint' })
  }

  /** Waits for counts, ends searches. */
  async close(): Promise<void> {
    await Promise.all(this.#counts)
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  /** The thread with the least to do, or another one. */
  #thread(): ReaderThread {
    let [best] = this.#threads
    for (const thread of this.#threads) if (best && thread.load < best.load) best = thread
    if (best && (best.load === 0 || this.#threads.size >= this.#most)) return best
    const thread: ReaderThread = new ReaderThread({ filename: this.#filename, batch }, () =>
      this.#threads.delete(thread),
    )
    this.#threads.add(thread)
    return thread
  }
}
