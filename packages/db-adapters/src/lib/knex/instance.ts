import type { Knex } from 'knex'

/** Databases by the names that knex has for their drivers. */
const databases = {
  'better-sqlite3': 'sqlite',
  pg: 'postgresql',
  mysql2: 'mysql',
  mssql: 'mssql',
  oracledb: 'oracle',
} as const

export type DatabaseName = (typeof databases)[keyof typeof databases]

/** @throws TypeError for what is no instance, or one of another database */
export function databaseOf(knex: Knex): DatabaseName {
  const { driverName } = clientOf(knex)
  if (Object.hasOwn(databases, driverName)) return databases[driverName as keyof typeof databases]
  const known = Object.keys(databases).join(', ')
  throw new TypeError(`The knex instance uses the driver "${driverName}"; stores know ${known}.`)
}

/** @throws TypeError unless the instance is one of this database, with connections */
export function checkInstance(knex: Knex, name: DatabaseName): Knex {
  const found = databaseOf(knex)
  if (found !== name) throw new TypeError(`The knex instance is one of ${found}, and the store one of ${name}.`)
  if (!clientOf(knex).pool) throw new TypeError('The knex instance names no connection.')
  return knex
}

function clientOf(knex: Knex): Knex.Client {
  const { client } = knex as Partial<Knex>
  if (client) return client as Knex.Client
  throw new TypeError('Option "knex" must be an instance of knex.')
}

/** @throws TypeError for anything else, an instance of knex among it */
export function checkTransaction(given: Knex.Transaction): Knex.Transaction {
  if ((given as Partial<Knex.Transaction>).isTransaction) return given
  throw new TypeError('A store joins a transaction of knex, from knex.transaction(); this is something else.')
}
