import { setTimeout as sleep } from 'node:timers/promises'
import { RestError, StoreError } from '../../errors.js'
import type { Caller } from '../caller.js'
import type { ObjectStore, StoreSession } from '../store.js'
import type { RepeatOptions } from './business-objects.js'

/** Work that waits for the end of a transaction, which other code brings about. */
export class TransactionEnd {
  readonly #onError: (error: unknown) => void
  readonly #afterCommit: (() => Promise<void>)[] = []
  readonly #afterRollback: (() => Promise<void>)[] = []

  /** @param onError is called on failures of this work, which fail nothing else. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Runs when everything is kept. */
  afterCommit(work: () => Promise<void>): void {
    this.#afterCommit.push(work)
  }

  /** Runs when everything is surely undone. */
  afterRollback(work: () => Promise<void>): void {
    this.#afterRollback.push(work)
  }

  committed(): Promise<void> {
    return this.#end(this.#afterCommit)
  }

  rolledBack(): Promise<void> {
    return this.#end(this.#afterRollback)
  }

  /** Lets all of it wait for the end of another transaction, that this one is a part of. */
  passTo(outer: TransactionEnd): void {
    for (const work of this.#afterCommit.splice(0)) outer.afterCommit(work)
    for (const work of this.#afterRollback.splice(0)) outer.afterRollback(work)
  }

  async #end(works: readonly (() => Promise<void>)[]): Promise<void> {
    const due = [...works]
    this.#afterCommit.length = 0
    this.#afterRollback.length = 0
    for (const work of due) await work().catch(this.#onError)
  }
}

/**
 * A transaction that is opened by the first use of its session, so that a request which turns out to be a single
 * statement never pays for one. It ends by exactly one call of `commit` or `rollback`.
 */
export class LazyTransaction {
  readonly #store: ObjectStore
  readonly #outer: TransactionEnd | undefined
  readonly #caller: Caller | undefined
  readonly #end: TransactionEnd
  #session: Promise<StoreSession> | undefined
  #beforeCommit: ((session: StoreSession) => Promise<void>) | undefined
  #ended: Promise<void> | undefined
  #commit: () => void = () => {}
  #rollback: (reason: unknown) => void = () => {}
  #commitTried = false
  #isOver = false

  /**
   * @param onError is called on failures of work after the end, which do not fail the request. Default: none.
   * @param outer the end of the transaction that this one is a part of
   * @param caller whose transaction it is
   */
  constructor(
    store: ObjectStore,
    onError: (error: unknown) => void = () => {},
    outer?: TransactionEnd,
    caller?: Caller,
  ) {
    this.#store = store
    this.#outer = outer
    this.#caller = caller
    this.#end = new TransactionEnd(onError)
  }

  get isOpen(): boolean {
    return this.#session !== undefined
  }

  /** @throws StoreError internal after the end, which would leave the transaction open for ever */
  session(): Promise<StoreSession> {
    if (this.#isOver && !this.#session)
      return Promise.reject(
        new StoreError('internal', 'This transaction has ended. Its service can no longer be used.'),
      )
    return (this.#session ??= new Promise((resolve, reject) => {
      this.#ended = this.#store.transaction(
        (session) =>
          new Promise<void>((commit, rollback) => {
            this.#commit = commit
            this.#rollback = rollback
            resolve(session)
          }),
        this.#caller,
      )
      // Opening failed; once opened, `commit` and `rollback` report what happens.
      this.#ended.catch(reject)
    }))
  }

  /** Runs once, as the last part of the transaction, whose session must be open; further calls replace the work. */
  beforeCommit(work: (session: StoreSession) => Promise<void>): void {
    this.#beforeCommit = work
  }

  /** Runs when everything is kept. */
  afterCommit(work: () => Promise<void>): void {
    this.#end.afterCommit(work)
  }

  /** Runs when everything is surely undone; not after a commit that failed, since its outcome may be unknown. */
  afterRollback(work: () => Promise<void>): void {
    this.#end.afterRollback(work)
  }

  async commit(): Promise<void> {
    if (this.#session) await this.#beforeCommit?.(await this.#session)
    this.#commitTried = true
    this.#isOver = true
    if (this.#session) {
      await this.#session
      this.#commit()
      await this.#ended
    }
    if (this.#outer) this.#end.passTo(this.#outer)
    else await this.#end.committed()
  }

  async rollback(reason: unknown): Promise<void> {
    this.#isOver = true
    if (this.#session) {
      // An opening that failed has nothing to undo, and what ends the transaction is the reason itself.
      await this.#session.then(
        () => this.#rollback(reason),
        () => {},
      )
      await this.#ended?.catch(() => {})
    }
    if (!this.#commitTried || isRepeatable(reason)) await this.#end.rolledBack()
  }
}

/** Not specified; chosen because those that waited for each other have ended by then, or the load is too high to help. */
const mostAttempts = 5
/** Half of the longest wait before the second attempt, in ms; doubles with each one. */
const waitMs = 20

export interface RunOptions extends RepeatOptions {
  /** Whose transaction it is. Default: that of no user. */
  readonly caller?: Caller | undefined
}

/** Commits when `work` resolves; undoes everything and passes the error on when it rejects. */
export function runTransaction<T>(
  {
    store,
    onError,
    outer,
  }: {
    readonly store: ObjectStore
    readonly onError: (error: unknown) => void
    readonly outer: TransactionEnd | undefined
  },
  work: (transaction: LazyTransaction) => Promise<T>,
  options?: RunOptions,
): Promise<T> {
  return repeatUndone(async () => {
    const transaction = new LazyTransaction(store, onError, outer, options?.caller)
    try {
      const result = await work(transaction)
      await transaction.commit()
      return result
    } catch (error) {
      await transaction.rollback(error)
      throw error
    }
  }, options)
}

/** Makes further attempts, if asked for, after one that the database has undone. */
export async function repeatUndone<T>(attempt: () => Promise<T>, { repeat = false }: RepeatOptions = {}): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt()
    } catch (error) {
      if (!repeat || number === mostAttempts || !isRepeatable(error)) throw error
    }
    // Waits differ, or the same ones would meet again.
    await sleep(Math.random() * waitMs * 2 ** number)
  }
}

/** Also for what the service, or the session, made from the store's error. */
function isRepeatable(error: unknown): boolean {
  if (RestError.is(error)) return error.code === 'ERR_UNAVAILABLE' && isRepeatable(error.cause)
  return StoreError.is(error) && (error.repeatable || isRepeatable(error.cause))
}
