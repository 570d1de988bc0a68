import type { DatabaseType } from '../domain/instance.js'
import { newPassword } from '../domain/passwords.js'
import { Secret } from '../domain/secret.js'
import type { GlobalSettings, InstanceSettings, VersionSettings } from '../settings/settings.js'

export interface NewSettingsOptions {
  readonly name: string
  readonly port: number
  readonly database: DatabaseType
  /** Names of the database and its user, see `Databases.names`. */
  readonly names: { readonly name: string; readonly user: string }
  readonly global: GlobalSettings
  readonly version: VersionSettings
  /** Credentials that stay; default: new ones. */
  readonly keep?: Pick<InstanceSettings, 'user' | 'password' | 'adminUser' | 'adminPassword'>
  /** Settings of an instance that it is to be like: memory, git credentials, variables of the application. */
  readonly like?: InstanceSettings
  /** It sends nothing out. Default: as the one that it is to be like. */
  readonly neutralised?: boolean
  /** Place of its documents in a bucket. Default: they are in its folder. */
  readonly documents?: string | undefined
}

/**
 * Settings of an instance that is made now. Source: docs/spec/instances-manager.md, "Instance-level settings": from the
 * global configuration.
 */
export function newSettings({
  name,
  port,
  database,
  names,
  global,
  version,
  keep,
  like,
  neutralised = like?.neutralised,
  documents,
}: NewSettingsOptions): InstanceSettings {
  const server = database === 'sqlite' ? undefined : global.databaseServers[database]
  return {
    others: {},
    maxMemoryMb: version.maxMemoryMb,
    ...like,
    ...(neutralised && { neutralised }),
    documents,
    context: contextOf(name, global),
    url: ioUrlOf(port),
    user: keep?.user ?? 'service',
    password: keep?.password ?? newPassword(),
    adminUser: keep?.adminUser ?? 'admin',
    adminPassword: keep?.adminPassword ?? newPassword(),
    database,
    databaseHost: server?.host,
    databasePort: server?.port,
    databaseSid: database === 'oracle' ? global.databaseServers.oracle.service : undefined,
    databaseName: names.name,
    databaseUser: names.user,
    databasePassword: server ? newPassword() : new Secret(''),
  }
}

/** SERVICE_URL: the endpoint of imports and exports. */
export function ioUrlOf(port: number): string {
  return `http://127.0.0.1:${port}/io`
}

/** SERVICE_CONTEXT: instances are at the root of an address of their own, or below their name. */
export function contextOf(name: string, { rootContext }: Pick<GlobalSettings, 'rootContext'>): string {
  return rootContext ? '/' : `/${name}`
}
