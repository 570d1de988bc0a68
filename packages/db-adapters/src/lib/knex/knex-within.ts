import type { LentConnection } from '@steward/rest-core'
import type { Knex } from 'knex'
import makeKnex from 'knex/lib/knex-builder/make-knex.js'

/** As knex marks statements of its own transactions. */
interface Sent {
  readonly __knexTxId?: string
}

/**
 * An instance of knex whose statements run on a connection that is lent. As knex makes one for its own transactions, but that
 * the connection comes with the first statement, and that others start and end the transaction.
 */
export function knexWithin(knex: Knex, lend: () => Promise<LentConnection>): Knex {
  const { client } = knex
  const { config, connectionSettings, logger, valueForUndefined } = client
  const bound = Object.assign(Object.create(Object.getPrototypeOf(client) as object) as Knex.Client, {
    config,
    connectionSettings,
    logger,
    valueForUndefined,
    // Transactions on it are savepoints.
    transacting: true,
  })
  let lent: LentConnection | undefined
  bound.acquireConnection = async () => {
    lent = await lend()
    Object.assign(bound, knownOf(client))
    return lent.connection
  }
  bound.releaseConnection = async () => {}
  bound.on('query', (query: Sent) => {
    lent?.used()
    client.emit('query', query)
  })
  bound.on('query-error', (error: unknown, query: Sent) => {
    // A savepoint of the application is its own to roll back.
    if (query.__knexTxId === undefined) lent?.failed(error)
    client.emit('query-error', error, query)
  })
  for (const event of ['start', 'query-response'])
    bound.on(event, (...args: unknown[]) => void client.emit(event, ...args))
  return makeKnex(bound)
}

/** What a client knows once it is connected. */
function knownOf(client: Knex.Client): object {
  const { driver, version, isMariaDB } = client as Knex.Client & { readonly isMariaDB?: boolean }
  return { driver: driver as unknown, version, isMariaDB }
}
