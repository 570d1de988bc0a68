import { loadDriver } from '../../pool/options.js'
import type { DatabaseServerLocation } from '../../server/options.js'
import { connectTimeoutMs, type SqlSession } from '../../server/sql-sessions.js'

export async function connect(
  { host, port, user, password }: DatabaseServerLocation,
  database: string | undefined,
): Promise<SqlSession> {
  const driver = await loadDriver('mysql2', () => import('mysql2/promise'))
  const client = await driver.createConnection({
    host,
    port,
    user,
    password,
    ...(database !== undefined && { database }),
    connectTimeout: connectTimeoutMs,
    charset: 'utf8mb4',
    supportBigNumbers: true,
  })
  return {
    async run(sql, values = []) {
      const [rows] = await client.query(sql, [...values])
      return rows as Record<string, unknown>[]
    },
    end: () => client.end(),
  }
}
