import { join, relative } from 'node:path'
import type { InstanceSettings } from '../settings/settings.js'

/** Paths, relative to an instance's home, of the embedded database and what SQLite puts beside it; else none. */
export function databaseFiles(
  folder: string,
  { database, databaseName }: Pick<InstanceSettings, 'database' | 'databaseName'>,
): readonly string[] {
  if (database !== 'sqlite') return []
  const name = relative(folder, join(folder, databaseName))
  return ['', '-wal', '-shm', '-journal', '.snapshot', '.restoring'].map((suffix) => name + suffix)
}
