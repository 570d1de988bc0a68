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

export interface TemplateRevision {
  /** Commit, npm version, or hash of the folder's content. */
  readonly revision: string
  /** When it was made: ISO 8601 in UTC. */
  readonly date: string
}

/** One version that instances can be made of. */
export interface TemplateVersion extends TemplateRevision {
  /** `1.0` */
  readonly version: string
  readonly title: string
  /** The setting that it was fetched from. */
  readonly location: string
  readonly fetched: string
  readonly isDefault: boolean
  /** Absolute path of the application. */
  readonly folder: string
}

/** The versions of a manager. */
export interface Templates {
  list(): Promise<readonly TemplateVersion[]>
  /** @throws ManagerError ERR_NOT_FOUND naming the versions there are. */
  get(version: string): Promise<TemplateVersion>
  /** The configured default version, or the newest. @throws ManagerError ERR_NOT_FOUND */
  default(): Promise<TemplateVersion>
  /** Fetches what is new; on failure the old one stays and the error is in the report. */
  refresh(options?: {
    readonly signal?: AbortSignal
    readonly onProgress?: (text: string) => void
  }): Promise<RefreshReport>
}

export interface RefreshReport {
  readonly versions: readonly {
    readonly version: string
    readonly result: 'new' | 'updated' | 'unchanged' | 'failed'
    readonly revision?: string
    readonly date?: string
    readonly error?: string
  }[]
}
