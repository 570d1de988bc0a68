import type BetterSqlite3 from 'better-sqlite3'
import { StoreError } from '@steward/rest-core/errors'

export type Driver = typeof BetterSqlite3

/** Loads better-sqlite3, which applications install next to this package only when they use SQLite. */
export async function loadDriver(): Promise<Driver> {
  try {
    return (await import('better-sqlite3')).default
  } catch (cause) {
    throw new StoreError(
      'internal',
      'Cannot use SQLite: the package "better-sqlite3" cannot be loaded. Install it with: npm install better-sqlite3',
      { cause },
    )
  }
}
