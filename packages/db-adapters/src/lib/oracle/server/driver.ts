import { loadDriver } from '../../pool/options.js'

/** The part of node-oracledb that is used here; the package has no types. */
export interface OracleDriver {
  readonly OUT_FORMAT_ARRAY: number
  readonly STRING: unknown
  readonly BUFFER: unknown
  readonly DB_TYPE_BINARY_DOUBLE: unknown
  readonly DB_TYPE_CLOB: unknown
  readonly DB_TYPE_NCLOB: unknown
  readonly DB_TYPE_BLOB: unknown
  getConnection(options: {
    readonly user: string
    readonly password: string
    readonly connectString: string
    /** In seconds. */
    readonly connectTimeout: number
    readonly transportConnectTimeout: number
  }): Promise<OracleConnection>
}

export interface OracleConnection {
  execute(sql: string, values: readonly unknown[], options: object): Promise<OracleResult>
  executeMany(sql: string, rows: readonly (readonly unknown[])[], options: object): Promise<unknown>
  /** Stops what is under way. */
  break(): Promise<void>
  close(options?: { readonly drop: boolean }): Promise<void>
}

export interface OracleResult {
  readonly metaData?: readonly { readonly name: string }[]
  readonly rows?: readonly (readonly unknown[])[]
  readonly resultSet?: {
    getRows(most: number): Promise<readonly (readonly unknown[])[]>
    close(): Promise<void>
  }
}

export async function loadOracle(): Promise<OracleDriver> {
  const name: string = 'oracledb'
  return (await loadDriver(name, async () => (await import(name)) as { readonly default: OracleDriver })).default
}
