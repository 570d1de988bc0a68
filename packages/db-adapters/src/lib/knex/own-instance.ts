import type { Knex } from 'knex'
import makeKnex from 'knex/lib/knex-builder/make-knex.js'
import type { PoolLimits } from '../pool/options.js'
import type { KnexClient } from './builder.js'

/** A connection with its session prepared. */
export interface OwnConnection {
  /** The driver's. */
  readonly raw: object
  /** False for ever once it was lost. */
  readonly usable: boolean
  /** Never rejects. */
  close(): Promise<void>
}

export interface OwnInstanceParts {
  readonly Client: KnexClient
  /** Knex's name of the dialect. */
  readonly client: string
  /** What `client.config.connection` shows: where the database is, without secrets. */
  readonly connection: object
  readonly open: () => Promise<OwnConnection>
  readonly pool: PoolLimits
  /** The driver's module, once it is loaded. */
  readonly driver?: () => unknown
  /** The server's version, as knex wants to know it. */
  readonly version?: string
}

/** An instance of knex whose connections the store opens: no I/O until the first statement. */
export function createOwnInstance({ Client, open, driver, pool, ...config }: OwnInstanceParts): Knex {
  const connections = new WeakMap<object, OwnConnection>()

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
      await (this as { checkVersion?(raw: object): unknown }).checkVersion?.(raw)
      return raw
    }

    override async destroyRawConnection(raw: object): Promise<void> {
      await connections.get(raw)?.close()
    }

    override validateConnection(raw: object): never {
      return (connections.get(raw)?.usable ?? false) as never
    }
  }

  const { max, acquireTimeoutMs, idleTimeoutMs } = pool
  return makeKnex(
    new OwnClient({
      ...config,
      useNullAsDefault: true,
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
}
