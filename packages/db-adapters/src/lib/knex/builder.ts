import type { Knex } from 'knex'
import makeKnex from 'knex/lib/knex-builder/make-knex.js'

export type KnexClient = new (config: Knex.Config) => Knex.Client

/**
 * An instance of knex that writes statements of one database and reaches none.
 *
 * @param client knex's name of the dialect
 */
export function createBuilder(Client: KnexClient, client: string): Knex {
  return makeKnex(new Client({ client, useNullAsDefault: true }))
}
