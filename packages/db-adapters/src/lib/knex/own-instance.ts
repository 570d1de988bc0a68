import type { Knex } from 'knex'
import makeKnex from 'knex/lib/knex-builder/make-knex.js'
import type { PoolLimits } from '../pool/options.js'
import type { KnexClient } from './builder.js'
import { PoolTimeline, type PoolEvents } from './pool-timeline.js'

/** A connection with its session prepared. */
export interface OwnConnection {
  /** The driver's. */
  readonly raw: object
  /** False for ever once it was lost. */
  readonly usable: boolean
  /** Never rejects. */
  close(): Promise<void>
}

export interface OwnInstanceParts<C extends OwnConnection = OwnConnection> {
  readonly Client: KnexClient
  /** Knex's name of the dialect. */
  readonly client: string
  /** What `client.config.connection` shows: where the database is, without secrets. */
  readonly connection: object
  readonly open: () => Promise<C>
  readonly pool: PoolLimits
  /** The driver's module, once it is loaded. */
  readonly driver?: () => unknown
  /** The server's version, as knex wants to know it. */
  readonly version?: string
}

/** Knex asks the server for its version where statements depend on it. */
interface VersionCheck {
  checkVersion?(raw: object): string | Promise<string>
}

export interface OwnInstance<C> {
  readonly knex: Knex
  connectionOf(raw: object): C
  /** Undefined for a connection of others. */
  find(raw: object): C | undefined
  /** Its pool gives only connections that are current. */
  readonly timeline: PoolTimeline
}

/** The part of tarn that closes idle connections. */
interface Reaping extends PoolEvents {
  readonly interval: NodeJS.Timeout | null
}

/** Knex's warnings, but that a connection could not be had: the caller gets the error. */
function warn(message: unknown): void {
  const text = String(message)
  if (!/^(?:Acquire connection|Connection) error/i.test(text)) process.emitWarning(text)
}

/** An instance of knex whose connections the store opens: no I/O until the first statement. */
export function createOwnInstance<C extends OwnConnection>({
  Client,
  open,
  driver,
  pool,
  ...config
}: OwnInstanceParts<C>): OwnInstance<C> {
  const connections = new WeakMap<object, C>()

  // No fields: knex makes clients of transactions from the prototype alone.
  class OwnClient extends Client {
    /** The driver is loaded by the first connection, which says what to install when it is missing. */
    override initializeDriver(): void {}

    protected _driver(): unknown {
      return driver?.()
    }

    override async acquireRawConnection(): Promise<object> {
      const connection = await open()
      const { raw } = connection
      connections.set(raw, connection)
      this.driver = driver?.()
      const { checkVersion } = this as VersionCheck
      if (!this.version && checkVersion) this.version = await checkVersion.call(this, raw)
      return raw
    }

    override async destroyRawConnection(raw: object): Promise<void> {
      await connections.get(raw)?.close()
    }

    override validateConnection(raw: object): never {
      return (connections.get(raw)?.usable === true && timeline.isCurrent(raw)) as never
    }
  }

  const { max, acquireTimeoutMs, idleTimeoutMs } = pool
  const knex = makeKnex(
    new OwnClient({
      ...config,
      useNullAsDefault: true,
      log: { warn },
      acquireConnectionTimeout: acquireTimeoutMs,
      pool: {
        min: 0,
        max,
        createTimeoutMillis: acquireTimeoutMs,
        idleTimeoutMillis: idleTimeoutMs,
        reapIntervalMillis: Math.ceil(idleTimeoutMs / 4),
        createRetryIntervalMillis: 50,
      },
    }),
  )
  const { pool: tarn } = knex.client as { readonly pool: Reaping }
  // Its timer is there right after the event. A store that is not closed does not keep the process alive.
  tarn.on('startReaping', () => queueMicrotask(() => tarn.interval?.unref()))
  const timeline = new PoolTimeline(tarn)
  return {
    knex,
    connectionOf: (raw) => connections.get(raw)!,
    find: (raw) => connections.get(raw),
    timeline,
  }
}
