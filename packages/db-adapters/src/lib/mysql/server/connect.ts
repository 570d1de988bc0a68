import type { Connection } from 'mysql2/promise'
import { loadDriver } from '../../pool/options.js'
import type { DatabaseServerLocation } from '../../server/options.js'
import { translateError } from './errors.js'

/** Not specified; chosen as longer than a server needs that is there. */
export const connectTimeoutMs = 10_000

export type Query = (sql: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>

/** Runs work on a connection of its own. @throws DatabaseServerError */
export async function connected<T>(
  { host, port, user, password }: DatabaseServerLocation,
  database: string | undefined,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  let client: Connection | undefined
  try {
    const driver = await loadDriver('mysql2', () => import('mysql2/promise'))
    const opened = await driver.createConnection({
      host,
      port,
      user,
      password,
      ...(database !== undefined && { database }),
      connectTimeout: connectTimeoutMs,
      charset: 'utf8mb4',
      supportBigNumbers: true,
    })
    client = opened
    return await work(async (sql, values = []) => {
      const [rows] = await opened.query(sql, [...values])
      return rows as Record<string, unknown>[]
    })
  } catch (error) {
    throw translateError(error)
  } finally {
    void client?.end().catch(() => {})
  }
}
