/** The part of a pool of `pg` that a store uses. */
export interface PostgresqlPool {
  connect(): Promise<PostgresqlClient & { release(destroy?: boolean | Error): void }>
  readonly totalCount: number
}

/** A client of `pg`, of a pool or not. */
export interface PostgresqlClient {
  query(...args: never[]): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

export function isPostgresqlPool(given: object): given is PostgresqlPool {
  return 'totalCount' in given && 'connect' in given
}

export function isPostgresqlClient(given: object): given is PostgresqlClient {
  return 'connection' in given && 'query' in given && 'getTypeParser' in given
}
