import type { Caller, Shares } from '@steward/rest-core'
import { forgetKeys } from './certain-writes.js'
import type { SqliteConfig } from './config.js'
import { SqliteConnection } from './connection.js'
import { loadDriver, type Driver } from './driver.js'
import { isBusy, toStoreError } from './errors.js'
import type { MainConnection, TakenMain } from './main-connection.js'
import { Readers } from './readers.js'
import { retryWhileBusy } from './retry-while-busy.js'
import { createWriteLock } from './write-lock.js'

/** Writes between two checkpoints; about 1,000 pages of the log. */
const checkpointWrites = 250

/**
 * One open database file: the connection that writes and answers small reads on this thread, the lock on writing, the
 * threads that count and search. Methods reject with `StoreError`.
 */
export class Database {
  readonly #driver: Driver
  readonly #config: SqliteConfig
  readonly #filename: string
  readonly #main: MainConnection
  #taken: TakenMain
  #isLending = false
  readonly #lock: Shares
  readonly readers: Readers
  /** What others read while a transaction is open; opened when first needed. */
  #committed: SqliteConnection | undefined
  #inTransaction = false
  #writes = 0

  private constructor(driver: Driver, config: SqliteConfig, main: MainConnection, taken: TakenMain) {
    this.#driver = driver
    this.#main = main
    this.#taken = taken
    this.#filename = taken.filename
    this.#config = { ...config, filename: taken.filename, readOnly: config.readOnly || taken.connection.raw.readonly }
    this.#lock = createWriteLock(config.busyTimeoutMs)
    this.readers = new Readers({
      filename: taken.filename,
      most: config.workers,
      timeoutMs: config.statementTimeoutMs,
    })
    main.onRequest(() => this.#lend())
  }

  /** @throws StoreError when the driver is missing or the file cannot be opened */
  static async open(config: SqliteConfig, main: MainConnection): Promise<Database> {
    return new Database(await loadDriver(), config, main, await main.take())
  }

  /** Nothing can be written: so it was asked for, or the file or its folder may not be written. */
  get isReadOnly(): boolean {
    return this.#config.readOnly
  }

  /** Runs a read on this thread; it sees what is committed. */
  read<T>(attempt: string, work: (connection: SqliteConnection) => T): T | Promise<T> {
    try {
      return work(this.#reading())
    } catch (error) {
      if (isBusy(error)) return retryWhileBusy(this.#config.busyTimeoutMs, attempt, () => work(this.#reading()))
      throw toStoreError(error, attempt)
    }
  }

  /** Runs one statement that writes, when no transaction is open. */
  write<T>(attempt: string, work: (connection: SqliteConnection) => T, caller?: Caller): T | Promise<T> {
    if (this.#lock.used > 0) return this.#writeLater(attempt, work, caller)
    try {
      const result = work(this.#connection)
      this.wrote()
      return result
    } catch (error) {
      if (isBusy(error)) return this.#writeLater(attempt, work, caller)
      throw toStoreError(error, attempt)
    }
  }

  async #writeLater<T>(attempt: string, work: (connection: SqliteConnection) => T, caller: Caller = {}): Promise<T> {
    const release = await this.#lock.take(caller.user ?? '', { signal: caller.signal })
    try {
      const result = await retryWhileBusy(this.#config.busyTimeoutMs, attempt, () => work(this.#connection))
      this.wrote()
      return result
    } finally {
      release()
    }
  }

  /** Lets no other connection write, and shows others nothing of what is not committed, until the work has ended. */
  async exclusive<T>(work: (connection: SqliteConnection) => Promise<T>, caller: Caller = {}): Promise<T> {
    const release = await this.#lock.take(caller.user ?? '', { signal: caller.signal })
    this.#inTransaction = true
    try {
      return await work(this.#connection)
    } finally {
      if (this.#connection.raw.inTransaction) this.#connection.execute('rollback')
      this.#inTransaction = false
      release()
    }
  }

  /** Runs the work between `begin` and `commit`. */
  transaction<T>(work: (connection: SqliteConnection) => Promise<T>, caller?: Caller): Promise<T> {
    const { busyTimeoutMs, readOnly } = this.#config
    return this.exclusive(async (connection) => {
      await retryWhileBusy(busyTimeoutMs, 'begin a transaction', () =>
        connection.execute(readOnly ? 'begin' : 'begin immediate'),
      )
      const result = await work(connection)
      await retryWhileBusy(busyTimeoutMs, 'commit', () => connection.execute('commit'))
      return result
    }, caller)
  }

  /** Runs reads that all see one moment, on a connection of their own. */
  async snapshot<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    const options = { ...this.#config, filename: this.#filename, readOnly: true }
    const connection = await retryWhileBusy(this.#config.busyTimeoutMs, 'begin to read', () => {
      const opened = SqliteConnection.open(this.#driver, options)
      try {
        opened.execute('begin')
        // The first read chooses the moment.
        opened.raw.prepare('select count(*) from sqlite_schema').get()
        return opened
      } catch (error) {
        opened.raw.close()
        throw error
      }
    })
    try {
      return await work(connection)
    } finally {
      connection.raw.close()
    }
  }

  /** Reports that rows were written, so that the log is moved into the file from time to time, by another thread. */
  wrote(): void {
    if (++this.#writes < checkpointWrites) return
    this.#writes = 0
    this.readers.checkpoint()
  }

  /** Waits for transactions and counts, ends searches. */
  async close(): Promise<void> {
    await this.#lock.take('', { waitMs: Infinity })
    await this.readers.close()
    this.#committed?.raw.close()
    await this.#main.close(this.#taken)
  }

  get #connection(): SqliteConnection {
    return this.#taken.connection
  }

  /** Gives the connection to those who ask knex for it, when no transaction is open here, and takes it back after them. */
  #lend(): void {
    if (this.#isLending) return
    this.#isLending = true
    const taken = this.#lock.take('', { waitMs: Infinity })
    if (taken instanceof Promise) void taken.then((release) => this.#lendUntilBack(release))
    else void this.#lendUntilBack(taken)
  }

  async #lendUntilBack(release: () => void): Promise<void> {
    this.#inTransaction = true
    this.#taken = await this.#main.lend(this.#taken)
    this.#inTransaction = false
    this.#isLending = false
    // The schema may have changed meanwhile.
    forgetKeys(this.#connection.raw)
    release()
    if (this.#main.isRequested) this.#lend()
  }

  #reading(): SqliteConnection {
    if (!this.#inTransaction) return this.#connection
    return (this.#committed ??= SqliteConnection.open(this.#driver, {
      ...this.#config,
      filename: this.#filename,
      readOnly: true,
    }))
  }
}
