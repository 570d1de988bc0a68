import { StoreError } from '@steward/rest-core/errors'
import type { Knex } from 'knex'
import { readDatabaseUrl, type UrlForm } from './database-url.js'

/** Connections that a store keeps for itself, each used by one caller at a time. */
export interface PoolOptions {
  /** Most connections. Users (`Caller`) share them; with three and more, one user never has all. Default 10. */
  readonly max?: number
  /** A caller waits at most this long for a connection, then gets StoreError `overloaded`, or `unavailable`. In ms, default 5,000. */
  readonly acquireTimeoutMs?: number
  /** Connections that were idle for this long are closed. In ms, default 60,000. */
  readonly idleTimeoutMs?: number
}

/** What stores on database servers have in common. */
export interface ServerStoreOptions {
  /** The application's instance of knex, whose connections the store uses and whose limits hold. It is left open by `close`. */
  readonly knex?: Knex
  /** Not with `knex`. */
  readonly pool?: PoolOptions
  /**
   * The server ends statements that run longer, with StoreError `timeout`; a server that is silent for longer, because
   * the network is gone, is given up. Of a streamed search all waits for its rows count; `sync` is not limited.
   * In ms, default 60,000; 0: no limit.
   */
  readonly statementTimeoutMs?: number
  /** Waiting for a row that others are changing ends with StoreError `busy`. In ms, default 10,000. */
  readonly lockTimeoutMs?: number
  /** Most prepared statements kept per connection. Default 200. */
  readonly maxPreparedStatements?: number
}

export type PoolLimits = Required<PoolOptions>

export type ServerStoreLimits = Required<Omit<ServerStoreOptions, 'pool' | 'knex'>> & { readonly pool: PoolLimits }

/** @throws TypeError for a limit that is not a whole number, or is too small. */
export function serverStoreLimits(options: ServerStoreOptions): ServerStoreLimits {
  const { pool = {}, knex } = options
  if (knex && options.pool)
    throw new TypeError(
      'Option "pool" is for connections that the store makes. Set limits in the pool of the knex instance.',
    )
  return {
    pool: {
      max: limit('pool.max', pool.max, 10, 1),
      acquireTimeoutMs: limit('pool.acquireTimeoutMs', pool.acquireTimeoutMs, 5_000, 1),
      idleTimeoutMs: limit('pool.idleTimeoutMs', pool.idleTimeoutMs, 60_000, 1),
    },
    statementTimeoutMs: limit('statementTimeoutMs', options.statementTimeoutMs, 60_000, 0),
    lockTimeoutMs: limit('lockTimeoutMs', options.lockTimeoutMs, 10_000, 1),
    maxPreparedStatements: limit('maxPreparedStatements', options.maxPreparedStatements, 200, 1),
  }
}

/** A connection that owes an answer for this long is dead; `undefined`: not known. */
export function answerTimeoutMs({ statementTimeoutMs }: ServerStoreLimits): number | undefined {
  return statementTimeoutMs === 0 ? undefined : statementTimeoutMs + Math.min(statementTimeoutMs, 5_000)
}

// Timers take a signed 32-bit number of milliseconds.
const most = 2 ** 30

function limit(name: string, value: number | undefined, byDefault: number, least: number): number {
  if (value === undefined) return byDefault
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new TypeError(`Option "${name}" must be a whole number from ${least} to ${most}, not ${String(value)}.`)
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Checks that `connection` is a URL of this form, or an object; a copy is given back. With `knex`, it has no parts.
 *
 * @throws TypeError that does not hold the URL, because of its password.
 */
export function checkConnection<T extends object>(
  { connection, knex }: { readonly connection?: string | T; readonly knex?: Knex },
  form: UrlForm,
): string | T {
  if (knex && connection !== undefined) throw new TypeError('Give option "connection" or option "knex", not both.')
  if (knex) return {} as T
  if (isObject(connection)) return { ...connection }
  if (typeof connection !== 'string')
    throw new TypeError(`Option "connection" must be an object, or a URL that begins with ${form.schemes[0]}//.`)
  readDatabaseUrl(connection, form)
  return connection
}

/**
 * The driver's module, an optional peer.
 *
 * @throws StoreError `internal` that says what to install.
 */
export async function loadDriver<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new StoreError('internal', `The package "${name}" is missing. Install it: npm install ${name}`, { cause })
  }
}
