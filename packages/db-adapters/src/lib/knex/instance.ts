import type { PoolOptions } from '../pool/options.js'

/** A knex instance; no more of it is read than this. It is not used, and may be destroyed before or after the store. */
export interface KnexInstance {
  readonly client: {
    readonly driverName: string
    readonly config: {
      readonly connection?: unknown
      readonly searchPath?: unknown
      readonly pool?: {
        readonly max?: number
        readonly acquireTimeoutMillis?: number
        readonly idleTimeoutMillis?: number
      }
    }
  }
}

/** Where a store finds the database, as options of that store. */
export interface KnexDatabase {
  readonly name: 'sqlite' | 'postgresql' | 'mysql' | 'mssql' | 'oracle'
  readonly where: { readonly filename: string } | { readonly connection: object }
  readonly pool: PoolOptions
}

/** A transaction of knex. */
export interface KnexTransaction {
  readonly isTransaction?: boolean
  readonly client: { acquireConnection(): Promise<object> }
}

/** Gives the driver's connection of a transaction of knex; undefined for anything else. */
export function connectionOfKnex(given: object): (() => Promise<object>) | undefined {
  const { isTransaction, client } = given as Partial<KnexTransaction>
  return isTransaction && client ? () => client.acquireConnection() : undefined
}

const databases: ReadonlyMap<string, KnexDatabase['name']> = new Map([
  ['better-sqlite3', 'sqlite'],
  ['sqlite3', 'sqlite'],
  ['pg', 'postgresql'],
  ['mysql2', 'mysql'],
  ['mysql', 'mysql'],
  ['mssql', 'mssql'],
  ['oracledb', 'oracle'],
])

/** @throws TypeError when a store could not find the same tables by what the instance knows */
export function databaseOfKnex({ client }: KnexInstance): KnexDatabase {
  const { driverName, config } = client
  const name = databases.get(driverName)
  if (name === undefined) {
    const known = [...databases.keys()].join(', ')
    throw new TypeError(`The knex instance uses the driver "${driverName}"; stores know ${known}.`)
  }
  const { connection, searchPath, pool = {} } = config
  if (typeof connection !== 'object' || connection === null) {
    const found = typeof connection === 'function' ? 'gets its connection from a function' : 'names no connection'
    throw new TypeError(`The knex instance ${found}; give the store "url", or make it by the function of its database.`)
  }
  if (searchPath !== undefined)
    throw new TypeError(
      'The knex instance has a "searchPath"; stores use the default schema of their user, and "schema.table" in definitions.',
    )
  if (name === 'sqlite') {
    const { filename } = connection as { readonly filename?: string }
    if (!filename || filename === ':memory:')
      throw new TypeError('The SQLite database of the knex instance is in memory, so other connections cannot open it.')
    return { name, where: { filename }, pool: {} }
  }
  // knex hides the password from copies.
  const { password } = connection as { readonly password?: unknown }
  const { max, acquireTimeoutMillis, idleTimeoutMillis } = pool
  return {
    name,
    where: { connection: { ...connection, ...(password !== undefined && { password }) } },
    pool: {
      ...(max !== undefined && { max }),
      ...(acquireTimeoutMillis !== undefined && { acquireTimeoutMs: acquireTimeoutMillis }),
      ...(idleTimeoutMillis !== undefined && { idleTimeoutMs: idleTimeoutMillis }),
    },
  }
}
