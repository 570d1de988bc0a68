import { join } from 'node:path'

/** Home of a manager of a server. */
export const defaultHome = '/srv/apps'

/** Where things are in the manager's home. */
export interface Home {
  readonly folder: string
  readonly config: string
  readonly hooks: string
  readonly templates: string
  readonly instances: string
  readonly trash: string
  readonly locks: string
  readonly logs: string
  /** Requests and answers of the server's workers, a folder each. */
  readonly runs: string
  /** Certificates that were issued, a folder each. */
  readonly certificates: string
  /** Application servers that instances stay with when the manager is upgraded, a folder each. */
  readonly servers: string
  /** The program `manager`, for terminals. */
  readonly programs: string
  /** What the reverse proxy proves itself with to the server. Mode 0600. */
  readonly proxySecret: string
  /** Remembers the browsers of users who have logged in. */
  readonly deviceSecret: string
  readonly database: string
  /** Copies of the registry, the last few. */
  readonly registryCopies: string
  versionSettings(version: string): string
  instance(id: string): InstanceHome
}

/** Where things are in an instance's home, `instances/<id>/`. */
export interface InstanceHome {
  readonly folder: string
  /** Mode 0600. */
  readonly settings: string
  /** The application: a copy of its template. */
  readonly app: string
  readonly data: string
  readonly logs: string
  /** Where the runtime keeps identities of processes. */
  readonly run: string
  /** Base of the Tomcat that serves a Java web application; not there for others. */
  readonly tomcat: string
}

export function homeAt(folder: string): Home {
  const at = (name: string) => join(folder, name)
  return Object.freeze({
    folder,
    config: at('config.sh'),
    hooks: at('hooks'),
    templates: at('templates'),
    instances: at('instances'),
    trash: at('trash'),
    locks: at('locks'),
    logs: at('logs'),
    runs: at('runs'),
    certificates: at('certificates'),
    servers: at('servers'),
    programs: at('bin'),
    proxySecret: at('proxy.secret'),
    deviceSecret: at('device.secret'),
    database: at('manager.db'),
    registryCopies: at('registry'),
    versionSettings: (version: string) => at(`version-${version}.sh`),
    instance: (id: string) => instanceHomeAt(join(folder, 'instances', id)),
  })
}

/** Also of one that is being laid out, or in the trash. */
export function instanceHomeAt(folder: string): InstanceHome {
  const at = (name: string) => join(folder, name)
  return Object.freeze({
    folder,
    settings: at('settings.sh'),
    app: at('app'),
    data: at('data'),
    logs: at('logs'),
    run: at('run'),
    tomcat: at('tomcat'),
  })
}

/** Versions that have settings, in no order. @param names files of the manager's home */
export function configuredVersions(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => /^version-(.+)\.sh$/.exec(name)?.[1] ?? [])
}

/** Path of the key of an instance's tokens, in its home: its holder could create some. */
export const tokenKey = 'data/token.secret'
