import type { DatabaseServer } from './database-server.js'
import { createSqliteServer } from './sqlite/server.js'

/** Where a database server is, and who may make databases there. */
export interface DatabaseServerLocation {
  /** Name or address. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export interface DatabaseServerTools {
  /** Folders in which the vendor's programs are looked for, as in `PATH`. Default: `PATH`, and where packages put them. */
  readonly path?: string
}

export type DatabaseServerOptions = DatabaseServerTools &
  ({ readonly type: 'sqlite' } | ({ readonly type: 'postgresql' | 'mysql' } & DatabaseServerLocation))

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
    default:
      throw new TypeError(`There is no database server of type "${(options as { type: string }).type}".`)
  }
}
