import type { SchemaConnection } from './connection.js'
import type { Catalogue } from './table-info.js'

/** What schema work has to know about a database: `sqliteSchema`, `postgresqlSchema`, `mysqlSchema`. */
export interface SchemaDialect {
  readonly name: 'sqlite' | 'postgresql' | 'mysql'
  /** DDL is undone by a rollback. Without it, everything that can be checked is checked before the first step. */
  readonly transactionalDdl: boolean
  /** Tables and views of the current schema. */
  read(connection: SchemaConnection): Promise<Catalogue>
}
