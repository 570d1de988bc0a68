/** Where versions come from: a folder, a git repository, an npm package. */
export interface TemplateSource {
  /** Stable name, e.g. `git`. */
  readonly name: string
  /** Whether this source is meant by a setting such as `git:https://host/repository#main`. */
  accepts(location: string): boolean
  /**
   * Which revision is newest there, without fetching it.
   *
   * @throws ManagerError ERR_TEMPLATE when it cannot be reached.
   */
  latest(location: string, signal?: AbortSignal): Promise<TemplateRevision>
  /** Puts that revision's application into an empty folder. */
  fetch(location: string, revision: TemplateRevision, folder: string, signal?: AbortSignal): Promise<void>
}

/** What a package exports as `templateSource`, for `APPS_TEMPLATE=<package>:…`. */
export interface TemplateSourcePlugin {
  /** No I/O. Locations are given whole, with the name of the package. */
  open(places: TemplatePlaces): TemplateSource
}

export interface TemplatePlaces {
  /** The home of the manager, absolute: where relative paths start. */
  readonly base: string
  /** A folder for what is under way; nothing may be left in it. It need not be there. */
  readonly workFolder: string
}

export interface TemplateRevision {
  /** Commit, npm version, or hash of the folder's content. */
  readonly revision: string
  /** When it was made: ISO 8601 in UTC. */
  readonly date: string
}

/** One version that instances can be created from. */
export interface TemplateVersion extends TemplateRevision {
  /** `1.0` */
  readonly version: string
  readonly title: string
  /** The setting that it was fetched from, without user and password. */
  readonly location: string
  readonly fetched: string
  /** When it was looked for a newer one last. */
  readonly refreshed: string
  /** Why the newest one was not taken then; empty: it is this one. */
  readonly problem: string
  readonly isDefault: boolean
  /** Absolute path of the application. */
  readonly folder: string
}

/** The versions of a manager: fetched, and with a file `version-<version>.sh` now. */
export interface Templates {
  list(): Promise<readonly TemplateVersion[]>
  /** Versions whose newest template was not taken at the last refresh, also those that have none. */
  failed(): Promise<readonly FailedVersion[]>
  /** @throws ManagerError ERR_NOT_FOUND naming the versions there are; ERR_TEMPLATE saying why it has no template */
  get(version: string): Promise<TemplateVersion>
  /** The configured default version, or the newest. @throws ManagerError ERR_NOT_FOUND */
  default(): Promise<TemplateVersion>
  /**
   * Fetches what is new; on failure the old one stays and the error is in the report. Only one at a time.
   *
   * @throws ManagerError ERR_BUSY
   */
  refresh(options?: RefreshOptions): Promise<RefreshReport>
}

export interface FailedVersion {
  readonly version: string
  /** When that was tried: ISO 8601 in UTC. */
  readonly at: string
  readonly problem: string
  /** An older template is in use. */
  readonly isFetched: boolean
}

export interface RefreshOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (text: string) => void
  /** How long to wait for another refresh, in ms. Default 0. */
  readonly waitMs?: number | undefined
  /** The caller, for those who wait. */
  readonly actor?: string
  /** Looks only; nothing is fetched. */
  readonly dryRun?: boolean | undefined
}

export interface RefreshReport {
  readonly versions: readonly {
    readonly version: string
    /** `removed`: its file is gone; instances of it stay as they are. */
    readonly result: 'new' | 'updated' | 'unchanged' | 'failed' | 'removed'
    readonly revision?: string
    readonly date?: string
    readonly error?: string
  }[]
}
