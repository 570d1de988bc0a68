/** Where a database server is, and who may make databases there. */
export interface DatabaseServerLocation {
  /** Name or address. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export interface DatabaseServerTools {
  /** Folders in which the vendor's programs are looked for, as in `PATH`. Default: `PATH`, and where packages put them. */
  readonly path?: string
}

export type DatabaseServerOptions = DatabaseServerTools &
  ({ readonly type: 'sqlite' } | ({ readonly type: 'postgresql' | 'mysql' } & DatabaseServerLocation))
