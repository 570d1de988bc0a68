/** The part of a database object of `better-sqlite3` by which it is known. */
export interface SqliteClient {
  readonly name: string
  readonly inTransaction: boolean
  prepare(sql: string): unknown
}

export function isSqliteClient(given: object): given is SqliteClient {
  return 'prepare' in given && 'inTransaction' in given && 'name' in given
}
