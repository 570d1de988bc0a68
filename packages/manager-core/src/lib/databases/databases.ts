import type { DatabaseAccount, DatabaseServer } from '@steward/db-adapters/server'
import type { DatabaseType, Instance } from '../domain/instance.js'
import type { InstanceSettings } from '../settings/settings.js'

/** The database servers of a manager. */
export interface Databases {
  /** @throws ManagerError ERR_STATE for a type that is not managed here (APPS_DATABASES) or has no implementation. */
  server(type: DatabaseType): DatabaseServer
  /** How the instance reaches its database; of SQLite the user is its system account. `folder` is the instance's home. */
  account(folder: string, settings: InstanceSettings): DatabaseAccount
  /** Name and user of a new instance's database: `steward_<id>`, for SQLite the file `data/database.db`. */
  names(type: DatabaseType, id: Instance['id']): { readonly name: string; readonly user: string }
}
