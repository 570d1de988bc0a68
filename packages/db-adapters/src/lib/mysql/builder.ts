import Client from 'knex/lib/dialects/mysql2/index.js'
import { createBuilder } from '../knex/builder.js'

/** Writes statements of this database. */
export const mysqlBuilder = createBuilder(Client, 'mysql2')

/** Knex's client of this database. */
export { Client }
