import type { Caller } from '@steward/rest-core'
import { batchBytes, Turns } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { BoundStatement } from '../../sql/statement.js'
import type { ReaderAnswer, ReaderRows, ReaderStep } from './reader-protocol.js'
import { ReaderThread, type ReaderTask } from './reader-thread.js'

export interface ReadersOptions {
  readonly filename: string
  /** Most threads. */
  readonly most: number
  /** How long a step may wait and take, in ms; 0: no limit. */
  readonly timeoutMs: number
}

type Answer = Exclude<ReaderAnswer, { kind: 'failed' }>

/** A step of a job: a whole statement, or one batch of a search. */
interface Step {
  readonly user: string
  readonly step: ReaderStep
  /** The thread on which the search is open. */
  readonly thread: ReaderThread | undefined
  start(thread: ReaderThread): void
  refuse(error: StoreError): void
}

/** Most rows per batch of a search. */
const batch = 500
/** Most rows of a page, which is one batch unless it has many bytes. */
const pageSize = 1_000
/** Each open search has a connection and holds back the clean-up of the log. */
const mostSearches = { all: 64, user: 32 }

/** Statements of one user that wait for a thread. Not specified; chosen as for waiting calls of the object pool. */
const mostWaiting = 100

/** How long a thread has to let go of a step that is no longer wanted, before another one does its work. In ms. */
const graceMs = 50

/** Callers that do not say who they are. */
const nobody = ''

let jobs = 0

/**
 * Threads that read for the store, because SQLite's driver works on the calling thread until it has its answer. They see
 * what is committed when a job starts. Threads start when first needed; one that died is replaced.
 *
 * Each thread runs one step at a time. Users take turns, and no user can occupy all threads. When no caller waits for a
 * step any longer, or it takes too long, its job fails immediately; the thread returns when SQLite releases it, and
 * another one does its work until then.
 */
export class Readers {
  readonly #options: ReadersOptions
  readonly #threads = new Set<ReaderThread>()
  /** Threads whose step is no longer wanted. */
  readonly #given = new Set<ReaderThread>()
  readonly #waiting = new Turns<Step>()
  /** Steps per user that threads are at. */
  readonly #running = new Map<string, number>()
  readonly #counts = new Set<Promise<unknown>>()
  readonly #searches = new Map<string, number>()
  #open = 0
  #closed = false

  constructor(options: ReadersOptions) {
    this.#options = options
  }

  async count({ statement: { sql }, values }: BoundStatement, caller: Caller = {}): Promise<number> {
    const counting = this.#ask({ kind: 'value', job: ++jobs, sql, values }, caller)
    const settled = counting.catch(() => {}).finally(() => this.#counts.delete(settled))
    this.#counts.add(settled)
    const { answer } = await counting
    return (answer as { value: number }).value
  }

  /** The rows of a page, in as few batches as their bytes allow. */
  page(call: BoundStatement, caller?: Caller): AsyncGenerator<ReaderRows['rows'], void> {
    return this.#search(call, pageSize, caller)
  }

  /** Rows in batches; the thread reads at most one batch ahead of the consumer, and stops when the consumer stops. */
  async *search(call: BoundStatement, caller: Caller = {}): AsyncGenerator<ReaderRows['rows'], void> {
    const { user = nobody } = caller
    this.#openSearch(user)
    try {
      yield* this.#search(call, batch, caller)
    } finally {
      this.#closeSearch(user)
    }
  }

  async *#search(
    { statement: { sql }, values }: BoundStatement,
    most: number,
    { user = nobody, signal }: Caller = {},
  ): AsyncGenerator<ReaderRows['rows'], void> {
    const job = ++jobs
    const stopped = new AbortController()
    const caller: Caller = { user, signal: signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal }
    let thread: ReaderThread | undefined
    try {
      let next = this.#ask({ kind: 'search', job, sql, values, most }, caller)
      for (;;) {
        const { answer, thread: by } = await next
        thread = by
        const { rows, last } = answer as ReaderRows
        if (!last) {
          next = this.#ask({ kind: 'more', job }, caller, by)
          next.catch(() => {}) // The consumer may stop before.
        }
        if (rows.length > 0) yield rows
        if (last) return
      }
    } finally {
      stopped.abort()
      thread?.searches.delete(job)
      thread?.tell({ kind: 'cancel', job })
    }
  }

  checkpoint(): void {
    const thread = [...this.#threads].find(({ isIdle }) => isIdle) ?? [...this.#threads][0] ?? this.#add()
    thread.tell({ kind: 'checkpoint' })
  }

  /** Waits for counts, ends searches. */
  async close(): Promise<void> {
    await Promise.all(this.#counts)
    this.#closed = true
    for (const { refuse } of this.#waiting.clear()) refuse(closed())
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #ask(
    step: ReaderStep,
    { user = nobody, signal }: Caller,
    bound?: ReaderThread,
  ): Promise<{ readonly answer: Answer; readonly thread: ReaderThread }> {
    const { timeoutMs } = this.#options
    if (this.#closed) return Promise.reject(closed())
    if (user !== nobody && !bound && this.#waiting.countOf(user) >= mostWaiting)
      return Promise.reject(
        new StoreError('overloaded', `Cannot read: ${mostWaiting} statements of this user wait already. Try again.`),
      )
    return new Promise((resolve, reject) => {
      let givenUp = false
      let grace: NodeJS.Timeout | undefined
      let started: { readonly thread: ReaderThread; readonly task: ReaderTask } | undefined
      const timer =
        timeoutMs > 0
          ? setTimeout(() => giveUp(`Cannot read: it took longer than ${timeoutMs} ms.`), timeoutMs)
          : undefined
      const gone = (): void => giveUp('Cannot read: the caller is no longer waiting.')
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', gone)
      }
      const refuse = (error: StoreError): void => {
        settle()
        reject(error)
      }
      const giveUp = (message: string): void => {
        givenUp = true
        refuse(new StoreError('timeout', message))
        this.#waiting.delete(user, waiting)
        if (!started) return
        const { thread, task } = started
        thread.stop(task)
        grace = setTimeout(() => {
          this.#given.add(thread)
          this.#startWaiting()
        }, graceMs)
      }
      const end = (): void => {
        settle()
        clearTimeout(grace)
        if (started) this.#count(this.#running, user, -1)
        started = undefined
      }
      const waiting: Step = {
        user,
        step,
        thread: bound,
        start: (thread) => {
          const task: ReaderTask = {
            step,
            answer: (answer) => {
              end()
              const isOpen = answer.kind === 'rows' && !answer.last
              if (isOpen && givenUp) thread.tell({ kind: 'cancel', job: step.job })
              if (isOpen && !givenUp) thread.searches.add(step.job)
              else thread.searches.delete(step.job)
              resolve({ answer, thread })
            },
            fail: (error) => {
              end()
              thread.searches.delete(step.job)
              reject(error)
            },
          }
          started = { thread, task }
          this.#count(this.#running, user, 1)
          thread.run(task)
        },
        refuse,
      }
      if (signal?.aborted) return gone()
      signal?.addEventListener('abort', gone)
      this.#waiting.add(user, waiting)
      this.#startWaiting()
    })
  }

  #startWaiting(): void {
    let thread: ReaderThread | undefined
    const mayStart = ({ user, thread: bound }: Step): boolean => {
      const most = Math.max(1, this.#options.most - 1)
      if (user !== nobody && (this.#running.get(user) ?? 0) >= most) return false
      thread = bound ? (bound.isIdle || bound.hasEnded ? bound : undefined) : this.#free()
      return thread !== undefined
    }
    for (let next = this.#waiting.take(mayStart); next; next = this.#waiting.take(mayStart))
      next.start(thread as ReaderThread)
  }

  /** An idle thread, preferably one without searches; or another one. */
  #free(): ReaderThread | undefined {
    let best: ReaderThread | undefined
    for (const thread of this.#threads) {
      if (thread.isIdle && (!best || thread.searches.size < best.searches.size)) best = thread
    }
    // As many again may stand in for those that are given up; where they are given up too, everybody waits.
    const { most } = this.#options
    return best ?? (this.#threads.size < most + Math.min(most, this.#given.size) ? this.#add() : undefined)
  }

  #add(): ReaderThread {
    const thread: ReaderThread = new ReaderThread(
      { filename: this.#options.filename, batchBytes },
      {
        onIdle: () => {
          this.#given.delete(thread)
          this.#endSurplus(thread)
          this.#startWaiting()
        },
        onEnd: () => {
          this.#threads.delete(thread)
          this.#given.delete(thread)
          this.#startWaiting()
        },
      },
    )
    this.#threads.add(thread)
    return thread
  }

  #endSurplus(thread: ReaderThread): void {
    if (this.#threads.size <= this.#options.most + this.#given.size || thread.searches.size > 0) return
    this.#threads.delete(thread)
    void thread.end()
  }

  #openSearch(user: string): void {
    const own = this.#searches.get(user) ?? 0
    if (this.#open >= mostSearches.all || (user !== nobody && own >= mostSearches.user))
      throw new StoreError(
        'overloaded',
        `Cannot search: ${this.#open} searches of many rows are open, ${own} of this user. Try again.`,
      )
    this.#open++
    this.#count(this.#searches, user, 1)
  }

  #closeSearch(user: string): void {
    this.#open--
    this.#count(this.#searches, user, -1)
  }

  #count(counts: Map<string, number>, user: string, change: 1 | -1): void {
    const count = (counts.get(user) ?? 0) + change
    if (count > 0) counts.set(user, count)
    else counts.delete(user)
  }
}

function closed(): StoreError {
  return new StoreError('unavailable', 'Cannot read: the store was closed.')
}
