import { join } from 'node:path'
import { startMariadb, startPostgresql } from '../rest/test-servers.ts'

export const databases = ['sqlite', 'postgresql', 'mysql'] as const
export type Database = (typeof databases)[number]

/** An empty database of its own for an application; SQLite's is in the folder. */
export async function startDatabase(
  database: Database,
  folder: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (database === 'sqlite') return { url: `sqlite:${join(folder, 'bench.db')}`, close: async () => {} }
  return database === 'postgresql' ? startPostgresql() : startMariadb()
}
