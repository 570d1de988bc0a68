import Client from 'knex/lib/dialects/better-sqlite3/index.js'
import { createBuilder } from '../knex/builder.js'

/** Writes statements of this database. */
export const sqliteBuilder = createBuilder(Client, 'better-sqlite3')

/** Knex's client of this database. */
export { Client }
