import { join } from 'node:path'
import { createDatabaseServer } from '@steward/db-adapters/server'
import type { DatabaseServer } from '@steward/db-adapters/server'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import type { DatabaseType } from '../domain/instance.js'
import type { DatabaseServerSettings, Settings } from '../settings/settings.js'
import type { Databases } from './databases.js'
import { sqliteOfAccounts } from './sqlite-of-accounts.js'
import { translated } from './translated-server.js'

/** No I/O. Each call sees the settings as they are then. */
export function createDatabases({ settings }: { readonly settings: () => Settings }): Databases {
  return {
    server: (type) => translated(createServer(type, settings())),
    account: (folder, { database, databaseName, databaseUser, databasePassword }) =>
      database === 'sqlite'
        ? { name: join(folder, databaseName), user: accountAt(folder)?.name ?? '', password: '' }
        : { name: databaseName, user: databaseUser, password: databasePassword.reveal() },
    names: (type, id) =>
      type === 'sqlite' ? { name: 'data/database.db', user: '' } : { name: `steward_${id}`, user: `steward_${id}` },
  }
}

function createServer(type: DatabaseType, { global }: Settings): DatabaseServer {
  if (!global.databases.includes(type))
    throw new ManagerError('ERR_STATE', `This manager has no databases of type "${type}".`, {
      help: `APPS_DATABASES names those that it has: ${global.databases.join(', ')}.`,
      command: 'config',
    })
  switch (type) {
    case 'sqlite':
      return sqliteOfAccounts(createDatabaseServer({ type }))
    case 'postgresql':
    case 'mysql':
      return createDatabaseServer({ type, ...locationOf(global.databaseServers[type]) })
    case 'oracle': {
      const { service, environment, ...server } = global.databaseServers[type]
      return createDatabaseServer({ type, ...locationOf(server), service, environment })
    }
    case 'mssql': {
      const { encryption, ...server } = global.databaseServers[type]
      return createDatabaseServer({ type, ...locationOf(server), encryption })
    }
  }
}

function locationOf({ host, port, adminUser, adminPassword }: DatabaseServerSettings) {
  return { host, port, user: adminUser, password: adminPassword.reveal() }
}
