import type { Knex } from 'knex'
import makeKnex from 'knex/lib/knex-builder/make-knex.js'
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
  const connections = connect({ ...limits, ...options }, async () => {
    const resource = await open()
    opened.push(resource)
    return resource as Connection
  })
  return { ...connections, opened }
}

/** The pool of a store on an instance of the application. */
export function createGivenPool(prepare: (connection: Resource) => Promise<void>, max = limits.max) {
  const opened: Resource[] = []
  const destroyed: object[] = []
  class GivenClient extends Client {
    override initializeDriver(): void {}

    override async acquireRawConnection(): Promise<object> {
      const resource = new Resource()
      opened.push(resource)
      return resource.raw
    }

    override async destroyRawConnection(raw: object): Promise<void> {
      destroyed.push(raw)
    }
  }
  const log = { warn() {} }
  const given = makeKnex(new GivenClient({ client: 'better-sqlite3', connection: {}, log, pool: { min: 0, max } }))
  const open = () => Promise.reject(new Error('The instance opens them.'))
  const find = (raw: object) => opened.find((resource) => resource.raw === raw) as Connection
  return { ...connect(limits, open, { given, find, prepare }), opened, destroyed }
}

function connect(
  pool: typeof limits,
  open: () => Promise<Connection>,
  instance?: { given: Knex; find(raw: object): Connection; prepare(connection: Resource): Promise<void> },
) {
  return createConnections<Connection>(
    instance?.given,
    { pool },
    {
      Client,
      client: 'better-sqlite3',
      name: 'sqlite',
      connection: { filename: '' },
      open,
      connect: (raw) => instance!.find(raw),
      async prepare(connection) {
        await instance!.prepare(connection)
        return async () => {}
      },
      savepoint: standardSavepoint,
      translateError: (error) => error as never,
    },
  )
}
