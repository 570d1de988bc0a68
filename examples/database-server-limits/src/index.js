// @ts-check
import pg from 'pg'

/** Connections that an instance may have at the same time. */
const mostConnections = 20

/**
 * PostgreSQL as the manager has it, but that no instance can take all connections of the server: `APPS_POSTGRESQL_SERVER`
 * names this package.
 *
 * @type {import('@steward/manager-core').DatabaseServerPlugin}
 */
export const databaseServer = {
  make({ builtIn, location: { host, port, user, password } }) {
    return {
      ...builtIn,

      async create(account) {
        await builtIn.create(account)
        const client = new pg.Client({ host, port, user, password, database: 'postgres' })
        await client.connect()
        try {
          await client.query(`alter role ${client.escapeIdentifier(account.user)} connection limit ${mostConnections}`)
        } finally {
          await client.end()
        }
      },
    }
  },
}
