/** The part of a pool of `pg` that a store uses. */
export interface PostgresqlPool {
  connect(): Promise<PostgresqlClient & { release(destroy?: boolean | Error): void }>
  readonly totalCount: number
  readonly options?: { readonly max?: number }
}

/** A client of `pg`, of a pool or not. */
export interface PostgresqlClient {
  query(...args: never[]): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

export function isPostgresqlPool(given: object): given is PostgresqlPool {
  return 'totalCount' in given && 'connect' in given
}

/** Most connections; undefined when the pool does not say. */
export function sizeOfPool({ options }: PostgresqlPool): number | undefined {
  return options?.max
}

export function isPostgresqlClient(given: object): given is PostgresqlClient {
  return 'connection' in given && 'query' in given && 'getTypeParser' in given
}
