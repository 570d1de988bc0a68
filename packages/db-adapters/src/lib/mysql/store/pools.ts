/** The part of a pool of `mysql2` that a store uses. */
export interface MysqlPool {
  getConnection(callback: (error: Error | null, connection: MysqlPoolConnection) => void): void
  readonly config?: { readonly connectionLimit?: number }
}

/** A pool of `mysql2/promise`. */
export interface MysqlPromisePool {
  readonly pool: MysqlPool
}

/** A connection of `mysql2`, of a pool or not. */
export interface MysqlClient {
  readonly threadId: number | null
  execute(...args: never[]): unknown
  unprepare(sql: string): unknown
}

/** A connection of `mysql2/promise`. */
export interface MysqlPromiseClient {
  readonly connection: MysqlClient
}

export type MysqlPoolConnection = MysqlClient & { release(): void; destroy(): void }

export function isMysqlPool(given: object): given is MysqlPool | MysqlPromisePool {
  return 'getConnection' in given
}

/** Most connections; undefined when the pool does not say. */
export function sizeOfPool(given: MysqlPool | MysqlPromisePool): number | undefined {
  return ('pool' in given ? given.pool : given).config?.connectionLimit
}

export function isMysqlClient(given: object): given is MysqlClient | MysqlPromiseClient {
  const client = 'connection' in given ? (given.connection as object) : given
  return typeof client === 'object' && client !== null && 'unprepare' in client && 'execute' in client
}
