import type { DatabaseType } from '../domain/instance.js'
import type { ServerContext } from '../servers/application-server.js'
import type { InstanceSettings } from '../settings/settings.js'
import type { Databases } from './databases.js'

/** An instance's database. `folder` is the instance's home, with the application in `app`. */
export interface InstanceDatabase {
  readonly folder: string
  readonly settings: InstanceSettings
}

/** Format of a dump: the vendor's format of a type, or the portable one of the application server. */
export type DumpKind = DatabaseType | 'portable'

/** What working with an instance's database needs. */
export interface DatabaseContext extends ServerContext {
  readonly databases: Databases
}
