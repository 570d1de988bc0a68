import type { Caller, Shares } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnConnection } from '../../knex/own-instance.js'
import { isTemporary, type SqliteConfig } from './config.js'
import { SqliteConnection } from './connection.js'
import { loadDriver, type Driver } from './driver.js'
import { isBusy, toStoreError, type VendorError } from './errors.js'
import { Readers } from './readers.js'
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
  readonly #main: SqliteConnection
  readonly #lock: Shares
  readonly readers: Readers
  /** What others read while a transaction is open; opened when first needed. */
  #committed: SqliteConnection | undefined
  #inTransaction = false
  #writes = 0

  private constructor(driver: Driver, config: SqliteConfig, filename: string, main: SqliteConnection) {
    this.#driver = driver
    this.#config = config
    this.#filename = filename
    this.#main = main
    this.#lock = createWriteLock(config.busyTimeoutMs)
    this.readers = new Readers({ filename, most: config.workers, timeoutMs: config.statementTimeoutMs })
  }

  /** @throws StoreError when the driver is missing or the file cannot be opened */
  static async open(config: SqliteConfig): Promise<Database> {
    const driver = await loadDriver()
    const filename = isTemporary(config.filename)
      ? join(mkdtempSync(join(tmpdir(), 'steward-sqlite-')), 'temporary.db')
      : config.filename
    const attempt = `open the database "${filename}"`
    return retryWhileBusy(config.busyTimeoutMs, attempt, () => {
      try {
        return new Database(driver, config, filename, SqliteConnection.open(driver, { ...config, filename }))
      } catch (error) {
        const main = config.readOnly ? undefined : openUnwritable(driver, { ...config, filename }, error)
        if (!main) throw error
        return new Database(driver, { ...config, readOnly: true }, filename, main)
      }
    })
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
      const result = work(this.#main)
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
      const result = await retryWhileBusy(this.#config.busyTimeoutMs, attempt, () => work(this.#main))
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
      return await work(this.#main)
    } finally {
      if (this.#main.raw.inTransaction) this.#main.execute('rollback')
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

  /** Another connection, for statements of others. It waits for other writers, which stops this thread meanwhile. */
  openBeside(): OwnConnection {
    const { raw } = SqliteConnection.open(this.#driver, { ...this.#config, filename: this.#filename })
    raw.pragma(`busy_timeout = ${this.#config.busyTimeoutMs}`)
    return {
      raw,
      get usable() {
        return raw.open
      },
      close: async () => void raw.close(),
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
    this.#main.raw.close()
    if (isTemporary(this.#config.filename)) rmSync(join(this.#filename, '..'), { recursive: true, force: true })
  }

  #reading(): SqliteConnection {
    if (!this.#inTransaction) return this.#main
    return (this.#committed ??= SqliteConnection.open(this.#driver, {
      ...this.#config,
      filename: this.#filename,
      readOnly: true,
    }))
  }
}

/** A file that may only be read: SQLite refuses to set it to write-ahead logging, or to make files beside it. */
function openUnwritable(driver: Driver, config: SqliteConfig, refusal: unknown): SqliteConnection | undefined {
  const { code = '' } = refusal as VendorError
  if (!code.startsWith('SQLITE_READONLY') && !code.startsWith('SQLITE_CANTOPEN')) return undefined
  let connection: SqliteConnection | undefined
  try {
    connection = SqliteConnection.open(driver, { ...config, readOnly: true })
    connection.raw.prepare('select count(*) from sqlite_schema').get()
    return connection
  } catch (error) {
    connection?.raw.close()
    if (!((error as VendorError).code ?? '').startsWith('SQLITE_READONLY')) return undefined
    throw new StoreError(
      'unavailable',
      `Cannot read "${config.filename}": it is in write-ahead mode, in which SQLite makes files beside it, and its folder may not be written. Let this user write the folder, or run "pragma journal_mode = delete" on the file where that is possible.`,
      { cause: error },
    )
  }
}

/**
 * Locks of other processes are waited for without stopping this thread.
 * @throws StoreError `busy` when it takes longer than `timeoutMs`
 */
export async function retryWhileBusy<T>(timeoutMs: number, attempt: string, work: () => T): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 25)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() + pauseMs > deadline) throw toStoreError(error, attempt)
    }
    await sleep(pauseMs)
  }
}
