import { join } from 'node:path'
import { createDatabaseServer } from '@steward/db-adapters/server'
import type { DatabaseServer } from '@steward/db-adapters/server'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import type { Home } from '../domain/home.js'
import type { DatabaseType } from '../domain/instance.js'
import type { DatabaseServerSettings, Settings } from '../settings/settings.js'
import type { Plugins } from '../system/plugins.js'
import type { Databases } from './databases.js'
import { isVoid, markOf } from './home-mark.js'
import { launchIn } from './launch.js'
import { sqliteByWorkers } from './sqlite-by-workers.js'
import { translated } from './translated-server.js'

/** No I/O. Each call sees the settings as they are then. */
export function createDatabases({
  home,
  settings,
  plugins,
}: {
  readonly home: Pick<Home, 'folder'>
  readonly settings: () => Settings
  readonly plugins: Plugins
}): Databases {
  return {
    server: (type) => translated(withPackage(type, { home, settings: settings(), plugins })),
    account: (folder, { database, databaseName, databaseUser, databasePassword }) =>
      database === 'sqlite'
        ? { name: join(folder, databaseName), user: accountAt(folder)?.name ?? '', password: '' }
        : {
            name: databaseName,
            user: databaseUser,
            password: databasePassword.reveal(),
            launch: launchIn(folder),
          },
    names: (type, id) =>
      type === 'sqlite' ? { name: 'data/database.db', user: '' } : { name: `steward_${id}`, user: `steward_${id}` },
  }
}

/** What a package exports as `databaseServer`, for `APPS_<TYPE>_SERVER`: it makes databases in a way of its own. */
export interface DatabaseServerPlugin {
  /** No I/O. */
  make(parts: DatabaseServerParts): DatabaseServer
}

export interface DatabaseServerParts {
  /** What the manager itself would use, for all that the package does alike. */
  readonly builtIn: DatabaseServer
  /** The server, and its administrator. */
  readonly location: { readonly host: string; readonly port: number; readonly user: string; readonly password: string }
}

interface ServerFacts {
  readonly home: Pick<Home, 'folder'>
  readonly settings: Settings
  readonly plugins: Plugins
}

function withPackage(type: DatabaseType, { home, settings, plugins }: ServerFacts): DatabaseServer {
  const builtIn = createServer(type, settings, home)
  if (type === 'sqlite') return builtIn
  const given = settings.global.databaseServers[type]
  const name = given.package
  if (name === undefined) return builtIn
  const setting = `APPS_${type.toUpperCase()}_SERVER`
  const plugin = plugins.load('databaseServer', name, setting) as DatabaseServerPlugin
  const server = plugin.make({ builtIn, location: locationOf(given) })
  if (server.type === type) return server
  throw new ManagerError('ERR_SETTINGS', `${setting} names the package "${name}", but that is for ${server.type}.`)
}

function createServer(type: DatabaseType, { global }: Settings, { folder }: Pick<Home, 'folder'>): DatabaseServer {
  if (!global.databases.includes(type))
    throw new ManagerError('ERR_STATE', `The database type "${type}" is not enabled in this manager.`, {
      help: `Use one of APPS_DATABASES: ${global.databases.join(', ')}.`,
      command: 'config',
    })
  // For what is done without a folder of an instance.
  const launch = launchIn(undefined)
  if (type === 'sqlite') return sqliteByWorkers(createDatabaseServer({ type }))
  const shared = { launch, mark: markOf(folder), isVoid }
  switch (type) {
    case 'postgresql':
    case 'mysql':
      return createDatabaseServer({ type, ...shared, ...locationOf(global.databaseServers[type]) })
    case 'oracle': {
      const { service, environment, ...server } = global.databaseServers[type]
      return createDatabaseServer({ type, ...shared, ...locationOf(server), service, environment })
    }
    case 'mssql': {
      const { encryption, ...server } = global.databaseServers[type]
      return createDatabaseServer({ type, ...shared, ...locationOf(server), encryption })
    }
  }
}

function locationOf({ host, port, adminUser, adminPassword }: DatabaseServerSettings) {
  return { host, port, user: adminUser, password: adminPassword.reveal() }
}
