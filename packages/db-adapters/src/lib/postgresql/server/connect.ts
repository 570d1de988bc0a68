import type pg from 'pg'
import { loadDriver } from '../../pool/options.js'
import type { DatabaseServerLocation } from '../../server/options.js'
import { translateError } from './errors.js'

/** Not specified; chosen as longer than a server needs that is there. */
export const connectTimeoutMs = 10_000

export type Query = (sql: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>

/** Runs work on a connection of its own. @throws DatabaseServerError */
export async function connected<T>(
  { host, port, user, password }: DatabaseServerLocation,
  database: string,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  let client: pg.Client | undefined
  try {
    const { default: driver } = await loadDriver('pg', () => import('pg'))
    const opened = new driver.Client({
      host,
      port,
      user,
      password,
      database,
      connectionTimeoutMillis: connectTimeoutMs,
      fallback_application_name: 'steward',
    })
    client = opened
    // A lost connection fails the query that is under way.
    opened.on('error', () => {})
    await opened.connect()
    return await work(async (sql, values = []) => (await opened.query<Record<string, unknown>>(sql, [...values])).rows)
  } catch (error) {
    throw translateError(error)
  } finally {
    void client?.end().catch(() => {})
  }
}
