import { createConnections, standardSavepoint } from '../src/lib/knex/connections.js'
import type { ServerConnection } from '../src/lib/pool/connection.js'
import { Client } from '../src/lib/sqlite/builder.js'

/** A connection that needs nothing from outside. */
export class Resource {
  readonly raw = {}
  usable = true
  closed = false

  async close(): Promise<void> {
    this.usable = false
    this.closed = true
  }
}

type Connection = Resource & ServerConnection

const limits = { max: 2, acquireTimeoutMs: 5_000, idleTimeoutMs: 60_000 }

/** The pool of a store that has made its instance of knex. */
export function createPool(options: Partial<typeof limits> = {}, open = async () => new Resource()) {
  const opened: Resource[] = []
  const { pool, knex } = createConnections<Connection>(
    undefined,
    { pool: { ...limits, ...options } },
    {
      Client,
      client: 'better-sqlite3',
      name: 'sqlite',
      connection: { filename: '' },
      async open() {
        const resource = await open()
        opened.push(resource)
        return resource as Connection
      },
      connect: () => Promise.reject(new Error('Not one of the store.')),
      prepare: () => Promise.reject(new Error('Not one of the store.')),
      savepoint: standardSavepoint,
      translateError: (error) => error as never,
    },
  )
  return { pool: pool, knex, opened }
}
