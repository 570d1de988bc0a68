/** Identifiers of database types in settings and options. Source: docs/spec/wire-decisions.md, "database types". */
export const databaseTypes = ['sqlite', 'mysql', 'postgresql', 'oracle', 'mssql'] as const
export type DatabaseType = (typeof databaseTypes)[number]

/** What ran all instances before there was a choice: of rows and backups that do not say it. */
export const formerRuntime = 'process'

/** Where instances answer that run on this machine. */
export const thisHost = '127.0.0.1'

/** What is recorded: `status` of docs/spec/instances-manager.md, "Instance". `start` and `stop` set it, and `setstatus` alone. */
export type Desired = 'started' | 'stopped'

/**
 * What was seen last. `crashed`: it ended by itself and is not started again; `suspended`: paused during a save; `asleep`:
 * stopped until a request comes, which only the registry knows.
 */
export type Observed = 'started' | 'starting' | 'degraded' | 'stopped' | 'asleep' | 'crashed' | 'suspended' | 'unknown'

/** One instance as the registry knows it. Dates are ISO 8601 in UTC, `2026-11-21T03:00:00.000Z`. */
export interface Instance {
  /** Stable: folders, databases and units are called by it, so that renaming moves no data. 8 lower-case alphanumerics. */
  readonly id: string
  /** 3 to 20 alphanumeric characters; unique without regard to case. */
  readonly name: string
  /** Name of the template version that it was made from or upgraded to. */
  readonly version: string
  /** Date of the template that it runs; an upgrade is needed when its version's is later. */
  readonly versionDate: string
  /** Revision of the template that it runs, see `TemplateVersion`. */
  readonly revision: string
  readonly desired: Desired
  readonly observed: Observed
  readonly protected: boolean
  readonly autoUpdate: boolean
  readonly autoSave: boolean
  readonly database: DatabaseType
  /** On `host`; unique. */
  readonly port: number
  /** Custom URL, set with `seturl`; empty: none. */
  readonly customUrl: string
  /** What it was made from: `template:<version>`, `instance:<name>`, `backup:<key>`; `prove:<key>`, `rehearse:<name>`: see `isThrowAway`. */
  readonly source: string
  readonly ownerEmail: string
  readonly firstname: string
  readonly lastname: string
  readonly phone: string
  readonly company: string
  readonly created: string
  readonly updated: string
  /** Id of the operation that changes it now, or that needs attention; empty: none. */
  readonly operation: string
  /** When a backup of it was proved last; empty: never. */
  readonly proved: string
  /** Version of the application that it has, when `setversion` has recorded a higher one since; empty: `version`. */
  readonly installedVersion: string
  /** Revision that it was rolled back from: `upgradeall` does not upgrade it to that again; empty: none. */
  readonly heldRevision: string
  /** Name of what runs it, see `Runtimes`. */
  readonly runtime: string
  /** Where it answers at its port: an address, or a name. */
  readonly host: string
}

/** One that is there while a backup is proved or an upgrade rehearsed, and is not shown. */
export function isThrowAway({ source }: Pick<Instance, 'source'>): boolean {
  return source.startsWith('prove:') || source.startsWith('rehearse:')
}

/** Whether it answers requests, although it may have to be woken for it. */
export function isAvailable(state: Observed): boolean {
  return isRunning(state) || state === 'asleep'
}

/** Whether it has processes. */
export function isRunning(state: Observed): boolean {
  return ['started', 'starting', 'degraded', 'suspended'].includes(state)
}
