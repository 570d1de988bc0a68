import Client from 'knex/lib/dialects/postgres/index.js'
import { createBuilder } from '../knex/builder.js'

/** Writes statements of this database. */
export const postgresqlBuilder = createBuilder(Client, 'pg')

/** Knex's client of this database. */
export { Client }
