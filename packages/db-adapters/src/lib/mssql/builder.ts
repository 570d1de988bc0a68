import Client from 'knex/lib/dialects/mssql/index.js'
import { createBuilder } from '../knex/builder.js'

/** Writes statements of this database. */
export const mssqlBuilder = createBuilder(Client, 'mssql')

/** Knex's client of this database. */
export { Client }
