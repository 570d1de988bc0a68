import Client from 'knex/lib/dialects/oracledb/index.js'
import { createBuilder } from '../knex/builder.js'

/** Writes statements of this database. */
export const oracleBuilder = createBuilder(Client, 'oracledb')

/** Knex's client of this database. */
export { Client }
