import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '@steward/rest-core/errors'
import type BetterSqlite3 from 'better-sqlite3'
import type { Knex } from 'knex'
import { checkInstance } from '../../knex/instance.js'
import { createOwnInstance } from '../../knex/own-instance.js'
import { Client } from '../builder.js'
import { isTemporary, type SqliteConfig } from './config.js'
import { SqliteConnection } from './connection.js'
import { loadDriver, type Driver } from './driver.js'
import { toStoreError, type VendorError } from './errors.js'
import { retryWhileBusy } from './retry-while-busy.js'

/** The connection of a file that writes, which knex's pool of one has. */
export interface MainConnection {
  readonly knex: Knex
  /** Others wait for it. */
  readonly isRequested: boolean
  /** @throws StoreError when the file cannot be opened */
  take(): Promise<TakenMain>
  /** Gives it to others, and waits until it is back. */
  lend(taken: TakenMain): Promise<TakenMain>
  /** @param listener Called when others ask for it. */
  onRequest(listener: () => void): void
  /** The connection of a transaction of knex, of this instance or of another one. */
  connectionOf(raw: object): SqliteConnection
  close(taken: TakenMain | undefined): Promise<void>
}

export interface TakenMain {
  readonly connection: SqliteConnection
  readonly filename: string
  /** Puts settings back that others want otherwise. */
  leave(): void
}

/** How long after a failure to get it back it is tried again. */
const retryMs = 50

/** The part of tarn that is used. */
interface Tarn {
  numPendingAcquires(): number
  on(event: 'acquireRequest' | 'poolDestroyRequest', listener: () => void): void
  removeListener(event: 'acquireRequest' | 'poolDestroyRequest', listener: () => void): void
}

/** Connections that the store has not opened, with their prepared statements. */
const foreign = new WeakMap<object, SqliteConnection>()

function connectTo(raw: object): SqliteConnection {
  let connection = foreign.get(raw)
  if (!connection) foreign.set(raw, (connection = new SqliteConnection(raw as BetterSqlite3.Database)))
  return connection
}

export function createMainConnection(config: SqliteConfig): MainConnection {
  let filename = config.filename
  const open = async (): Promise<SqliteConnection> => {
    const driver = await loadDriver()
    if (isTemporary(filename)) filename = join(mkdtempSync(join(tmpdir(), 'steward-sqlite-')), 'temporary.db')
    return openFile(driver, { ...config, filename })
  }
  const own = config.knex
    ? undefined
    : createOwnInstance({
        Client,
        client: 'better-sqlite3',
        connection: { filename },
        open,
        // Opening and others' transactions may take as long as writers wait.
        pool: { max: 1, acquireTimeoutMs: config.busyTimeoutMs + 5_000, idleTimeoutMs: 60_000 },
      })
  const knex = own?.knex ?? checkInstance(config.knex!, 'sqlite')
  const client = knex.client as Knex.Client
  const tarn = client.pool as unknown as Tarn
  let listener: (() => void) | undefined
  let isDestroyed = false
  /** The instance is destroyed, and waits for its connection. */
  let isWanted = false
  const onDestroy = (): void => {
    isDestroyed = true
    isWanted = true
    listener?.()
  }

  async function take(): Promise<TakenMain> {
    let raw: object
    try {
      raw = (await client.acquireConnection()) as object
    } catch (error) {
      if (StoreError.is(error) || !(error as VendorError).code?.startsWith('SQLITE'))
        throw StoreError.is(error) ? error : new StoreError('unavailable', (error as Error).message, { cause: error })
      throw toStoreError(error, `open the database "${filename}"`)
    }
    const connection = own?.connectionOf(raw) ?? connectTo(raw)
    try {
      return { connection, filename, leave: takeSettings(connection, config, own !== undefined) }
    } catch (error) {
      void client.releaseConnection(raw)
      throw toStoreError(error, `open the database "${filename}"`)
    }
  }

  function release({ connection, leave }: TakenMain): void {
    if (connection.raw.open) leave()
    // The application may have destroyed its instance.
    if (client.pool) void client.releaseConnection(connection.raw)
  }

  return {
    knex,
    get isRequested() {
      return isWanted || tarn.numPendingAcquires() > 0
    },
    take,
    async lend(taken) {
      release(taken)
      isWanted = false
      // When the instance was destroyed, what follows reports that the connection is closed.
      for (;;) {
        if (isDestroyed) return taken
        const back = await take().catch(() => undefined)
        if (back) return back
        // Those before it still use it.
        await sleep(retryMs)
      }
    },
    onRequest(given) {
      listener = given
      tarn.on('acquireRequest', given)
      tarn.on('poolDestroyRequest', onDestroy)
    },
    connectionOf: (raw) => own?.find(raw) ?? connectTo(raw),
    async close(taken) {
      if (listener) {
        tarn.removeListener('acquireRequest', listener)
        tarn.removeListener('poolDestroyRequest', onDestroy)
      }
      if (taken) release(taken)
      if (!own) return
      await knex.destroy()
      if (filename !== config.filename) rmSync(dirname(filename), { recursive: true, force: true })
    },
  }
}

/** Waiting inside SQLite would stop this thread: the store tries again later. Others wait there. @returns puts settings back */
function takeSettings({ raw }: SqliteConnection, config: SqliteConfig, isOwn: boolean): () => void {
  if (isOwn) {
    raw.pragma('busy_timeout = 0')
    return () => void raw.pragma(`busy_timeout = ${config.busyTimeoutMs}`)
  }
  const names = ['busy_timeout', 'foreign_keys', 'synchronous']
  const before = names.map((name) => `${name} = ${String(raw.pragma(name, { simple: true }))}`)
  const { safeIntegers = false } = optionsOf(config.knex!)
  if (safeIntegers) raw.defaultSafeIntegers(false)
  raw.pragma('busy_timeout = 0')
  SqliteConnection.prepare(raw, config)
  return () => {
    for (const setting of before) raw.pragma(setting)
    if (safeIntegers) raw.defaultSafeIntegers(true)
  }
}

function optionsOf({ client }: Knex): { readonly safeIntegers?: boolean } {
  return ((client as Knex.Client).connectionSettings as { readonly options?: object }).options ?? {}
}

function openFile(driver: Driver, config: SqliteConfig): Promise<SqliteConnection> {
  return retryWhileBusy(config.busyTimeoutMs, `open the database "${config.filename}"`, () => {
    try {
      return SqliteConnection.open(driver, config)
    } catch (error) {
      const main = config.readOnly ? undefined : openUnwritable(driver, config, error)
      if (!main) throw error
      return main
    }
  })
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
