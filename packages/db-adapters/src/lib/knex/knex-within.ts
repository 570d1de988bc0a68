import type { LentConnection } from '@steward/rest-core'
import type { Knex } from 'knex'
import makeKnex from 'knex/lib/knex-builder/make-knex.js'

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
  // What fails in a savepoint of the application, whose client is another one, is that one's to roll back.
  for (const method of ['query', 'stream'] as const) {
    const send = bound[method] as (...args: unknown[]) => Promise<unknown>
    bound[method] = (...args: unknown[]) =>
      send.apply(bound, args).catch((error: unknown) => {
        lent?.failed(error)
        throw error
      })
  }
  bound.on('query', () => lent?.used())
  for (const event of ['start', 'query', 'query-error', 'query-response'])
    bound.on(event, (...args: unknown[]) => void client.emit(event, ...args))
  return makeKnex(bound)
}

/** What a client knows once it is connected. */
function knownOf(client: Knex.Client): object {
  const { driver, version, isMariaDB } = client as Knex.Client & { readonly isMariaDB?: boolean }
  return { driver: driver as unknown, version, isMariaDB }
}
