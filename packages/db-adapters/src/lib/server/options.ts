import type { Launch } from './database-server.js'

/** Where a database server is, and who may make databases there. */
export interface DatabaseServerLocation {
  /** Name or address. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export interface MssqlServerLocation extends DatabaseServerLocation {
  /** Whether connections are encrypted; `trust`: without looking at the server's certificate. Default `yes`. */
  readonly encryption?: 'yes' | 'trust' | 'no'
}

export interface OracleServerLocation extends DatabaseServerLocation {
  /** Name of the service of the database, such as `FREEPDB1`. */
  readonly service: string
  /** Variables of the vendor's client, such as `ORACLE_HOME`, where its programs are looked for, too. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface DatabaseServerTools {
  /** Folders in which the vendor's programs are looked for, as in `PATH`. Default: `PATH`, and where packages put them. */
  readonly path?: string
  /** How these programs are launched for accounts that do not say it themselves. Default: as they are. */
  readonly launch?: Launch | undefined
}

export interface DatabaseServerMark {
  /**
   * Says who makes databases here. What is made carries it, as a comment that people can read; what carries another one is
   * neither changed nor removed. Printable ASCII without `'` and `\`, at most 250 characters, with `Steward ` in front.
   * Default: none is written or looked for.
   */
  readonly mark?: string | undefined
  /** Whether another mark does not count, because who wrote it is gone. Default: each counts. */
  readonly isVoid?: ((mark: string) => boolean) | undefined
}

export type DatabaseServerOptions = DatabaseServerTools &
  (
    | { readonly type: 'sqlite' }
    | ({ readonly type: 'postgresql' | 'mysql' } & DatabaseServerLocation & DatabaseServerMark)
    | ({ readonly type: 'mssql' } & MssqlServerLocation & DatabaseServerMark)
    | ({ readonly type: 'oracle' } & OracleServerLocation & DatabaseServerMark)
  )
