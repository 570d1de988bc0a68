import type { DatabaseServer } from './server/database-server.js'
import { createMssqlServer } from './mssql/server/server.js'
import { createMysqlServer } from './mysql/server/server.js'
import { createOracleServer } from './oracle/server/server.js'
import type { DatabaseServerOptions } from './server/options.js'
import { createPostgresqlServer } from './postgresql/server/server.js'
import { createSqliteServer } from './sqlite/server/server.js'

/**
 * Makes the server of a type; no I/O. Drivers are loaded by the first call that needs them, and connections live as
 * long as a call.
 *
 * @throws TypeError for an unknown type
 */
export function createDatabaseServer(options: DatabaseServerOptions): DatabaseServer {
  switch (options.type) {
    case 'sqlite':
      return createSqliteServer(options)
    case 'postgresql':
      return createPostgresqlServer(options)
    case 'mysql':
      return createMysqlServer(options)
    case 'mssql':
      return createMssqlServer(options)
    case 'oracle':
      return createOracleServer(options)
    default:
      throw new TypeError(`There is no database server of type "${(options as { type: string }).type}".`)
  }
}
