import { loadDriver } from '../../pool/options.js'
import type { DatabaseServerLocation } from '../../server/options.js'
import { connectTimeoutMs, type SqlSession } from '../../server/sql-sessions.js'

export async function connect(
  { host, port, user, password }: DatabaseServerLocation,
  database: string | undefined,
): Promise<SqlSession> {
  const { default: driver } = await loadDriver('pg', () => import('pg'))
  const client = new driver.Client({
    host,
    port,
    user,
    password,
    database,
    connectionTimeoutMillis: connectTimeoutMs,
    fallback_application_name: 'steward',
  })
  // A lost connection fails the query that is under way.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
  return {
    run: async (sql, values = []) => (await client.query<Record<string, unknown>>(sql, [...values])).rows,
    end: () => client.end(),
  }
}
