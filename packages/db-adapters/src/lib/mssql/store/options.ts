import type { ServerStoreOptions } from '../../pool/options.js'

/** Where the server is; other options of tedious are passed on in `options`. */
export interface MssqlConnectionOptions {
  /** Host name or address. Default `localhost`. */
  readonly server?: string
  /** The same, as knex calls it. */
  readonly host?: string
  /** Default 1433. */
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
  /** Another way to log in than by user and password, as tedious takes it. */
  readonly authentication?: { readonly type: string; readonly options?: object }
  /** E.g. `encrypt` (default true) and `trustServerCertificate` (default false). */
  readonly options?: Readonly<Record<string, unknown>>
}

export interface MssqlStoreOptions extends ServerStoreOptions {
  /**
   * A URL like `mssql://user:password@host:1433/database`, or its parts. What follows `?` in the URL are options of
   * tedious, e.g. `?encrypt=false` or `?trustServerCertificate=true`. Required without `knex`.
   */
  readonly connection?: string | MssqlConnectionOptions
}
