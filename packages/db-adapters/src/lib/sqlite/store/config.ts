import { availableParallelism } from 'node:os'
import type { Knex } from 'knex'
import { checkInstance } from '../../knex/instance.js'

export interface SqliteStoreOptions {
  /**
   * The database file; it is created when missing, its folder is not. Unless `readOnly`, it is switched to write-ahead
   * logging for good, so that `-wal` and `-shm` files lie beside it while it is open. `:memory:` or an empty name: a temporary file that
   * `close()` removes (a database that is really in memory could not be read by several threads). Required without `knex`.
   */
  readonly filename?: string
  /**
   * The application's instance of knex with `better-sqlite3`, whose connection the store uses, and gives to others who ask the
   * instance for it. It is left open by `close`. Threads open its file for themselves.
   */
  readonly knex?: Knex
  /** Nothing can be written, not even the first table. Default false. */
  readonly readOnly?: boolean
  /**
   * - `normal` (default): a crash of the process loses nothing; a power failure may lose the last transactions, and never damages the file
   * - `full`: every acknowledged write is on the disk; writes are several times slower
   */
  readonly synchronous?: 'normal' | 'full'
  /** How long a write waits for other writers, in ms, before it fails with `busy`. Default 5,000. */
  readonly busyTimeoutMs?: number
  /**
   * Threads for counts, pivot tables, searches of more than 1,000 records, and whatever else may take long, 1 to 16; started
   * when first needed. Of two or more, one user (`Caller`) never has all. Default: one more than processors, at most 4.
   */
  readonly workers?: number
  /**
   * What these threads do ends with StoreError `timeout` when it takes longer, the time included that it waits for a
   * thread; a streamed search is limited per batch. In ms, default 30,000; 0: no limit.
   */
  readonly statementTimeoutMs?: number
  /** Statements kept ready. Default 500. */
  readonly shapes?: number
}

/** Checked options with their defaults. */
export type SqliteConfig = Readonly<Required<Omit<SqliteStoreOptions, 'knex'>>> & { readonly knex?: Knex | undefined }

/** @throws TypeError naming the option and what it takes */
export function readOptions(options: SqliteStoreOptions): SqliteConfig {
  const { knex } = options
  const {
    filename = knex && filenameOf(checkInstance(knex, 'sqlite')),
    readOnly = false,
    synchronous = 'normal',
    busyTimeoutMs = 5_000,
    workers = Math.min(4, availableParallelism() + 1),
    statementTimeoutMs = 30_000,
    shapes = 500,
  } = options
  if (knex && options.filename !== undefined) throw new TypeError('Give option "filename" or option "knex", not both.')
  if (typeof filename !== 'string') throw new TypeError('Missing required option "filename" of the SQLite store.')
  if (filename.includes('\0'))
    throw new TypeError('Option "filename" of the SQLite store may not contain NUL characters.')
  if (!['normal', 'full'].includes(synchronous))
    throw new TypeError(`Option "synchronous" must be "normal" or "full", not "${synchronous}".`)
  checkInteger('busyTimeoutMs', busyTimeoutMs, 0, 600_000)
  checkInteger('workers', workers, 1, 16)
  checkInteger('statementTimeoutMs', statementTimeoutMs, 0, 2 ** 30)
  checkInteger('shapes', shapes, 1, 100_000)
  return Object.freeze({ knex, filename, readOnly, synchronous, busyTimeoutMs, workers, statementTimeoutMs, shapes })
}

function filenameOf({ client }: Knex): string {
  const { filename } = ((client as Knex.Client).connectionSettings ?? {}) as { readonly filename?: string }
  if (filename === undefined)
    throw new TypeError('The knex instance gets its connection from a function; give the store "filename".')
  if (isTemporary(filename))
    throw new TypeError('The SQLite database of the knex instance is in memory, so that threads cannot open it.')
  return filename
}

export function isTemporary(filename: string): boolean {
  return filename === '' || filename === ':memory:'
}

function checkInteger(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new TypeError(
    `Option "${name}" of the SQLite store must be a whole number from ${min} to ${max}, not ${String(value)}.`,
  )
}
