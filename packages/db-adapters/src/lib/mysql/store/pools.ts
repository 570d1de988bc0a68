/** The part of a pool of `mysql2` that a store uses. */
export interface MysqlPool {
  getConnection(callback: (error: Error | null, connection: MysqlPoolConnection) => void): void
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

export function isMysqlClient(given: object): given is MysqlClient | MysqlPromiseClient {
  const client = 'connection' in given ? (given.connection as object) : given
  return typeof client === 'object' && client !== null && 'unprepare' in client && 'execute' in client
}
