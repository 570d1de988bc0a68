import type { Client } from './driver.js'

/** The part of a pool of `oracledb` that a store uses. */
export interface OraclePool {
  readonly connectionsOpen: number
  readonly poolMax?: number
  getConnection(): Promise<object>
}

export function isOraclePool(given: object): given is OraclePool {
  return 'getConnection' in given && 'connectionsOpen' in given
}

/** A connection of `oracledb`, of a pool or not. */
export function isOracleClient(given: object): given is Client {
  return 'isHealthy' in given && 'execute' in given && 'callTimeout' in given
}
