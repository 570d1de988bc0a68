import type { ManagerContext } from '../context.js'
import type { DatabaseType } from '../domain/instance.js'
import type { InstanceSettings } from '../settings/settings.js'

/** An instance's database. `folder` is the instance's home, with the application in `app`. */
export interface InstanceDatabase {
  readonly folder: string
  readonly settings: InstanceSettings
}

/** What a dump is made of: the vendor's format of a type, or the portable one of the application server. */
export type DumpKind = DatabaseType | 'portable'

/** What working with an instance's database needs. */
export type DatabaseContext = Pick<ManagerContext, 'databases' | 'applicationServer' | 'home'>
