/** What of the package oracledb is used. */
export interface Driver {
  getConnection(attributes: object): Promise<Client>
  readonly OUT_FORMAT_ARRAY: number
  readonly BIND_OUT: number
  readonly STRING: unknown
  readonly CLOB: unknown
  readonly DB_TYPE_NUMBER: unknown
  readonly DB_TYPE_CLOB: unknown
  readonly DB_TYPE_NCLOB: unknown
  readonly DB_TYPE_BLOB: unknown
  readonly BUFFER: unknown
}

export interface Client {
  /** Most ms of a round trip; 0: no limit. */
  callTimeout: number
  execute(sql: string, binds: readonly unknown[], options: ExecuteOptions): Promise<Result>
  /** An empty one. */
  createLob(type: unknown): Promise<Lob>
  commit(): Promise<void>
  rollback(): Promise<void>
  /** Asks the server to end the statement that runs. */
  break(): Promise<void>
  /** False when it is known to be lost. */
  isHealthy(): boolean
  /** `drop`: a connection of a pool is not used again. */
  close(options?: { readonly drop: boolean }): Promise<void>
}

export interface Lob {
  close(): Promise<void>
}

export interface ExecuteOptions {
  readonly outFormat: number
  readonly autoCommit?: boolean
  readonly resultSet?: boolean
  readonly fetchArraySize?: number
  readonly prefetchRows?: number
  readonly keepInStmtCache?: boolean
  readonly fetchTypeHandler: (column: { readonly dbType: unknown }) => { readonly type: unknown } | undefined
}

export interface Result {
  readonly rows?: readonly (readonly unknown[])[]
  readonly metaData?: readonly { readonly name: string }[]
  readonly rowsAffected?: number
  /** Per placeholder, a value per row. */
  readonly outBinds?: readonly (readonly unknown[])[]
  readonly resultSet?: ResultSet
}

export interface ResultSet {
  getRows(count: number): Promise<readonly (readonly unknown[])[]>
  close(): Promise<void>
}
