import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoreOptions } from '@steward/db-adapters'
import { describe } from 'vitest'
import { makeFolder } from './servers/folders.js'
import { freshDatabase, givenVendors, needs, type FreshDatabase } from './servers/index.js'

/** Name of a group of tests, and of the store in its `capabilities`. */
export type DatabaseName = 'sqlite' | 'postgresql' | 'mysql' | 'mssql' | 'oracle'

/**
 * Defines the same tests for SQLite, PostgreSQL and MySQL (or MariaDB), and for SQL Server and Oracle when their URLs are
 * set, each in a group called like the database. What
 * `define` is given makes an empty database; the caller drops it.
 */
export function onEachDatabase(define: (fresh: () => Promise<FreshDatabase>, name: DatabaseName) => void): void {
  describe('sqlite', () => define(freshFile, 'sqlite'))
  onEachServer(define)
}

/** As `onEachDatabase()`, without SQLite. */
export function onEachServer(define: Parameters<typeof onEachDatabase>[0]): void {
  for (const name of ['postgresql', 'mysql', ...givenVendors] as const)
    needs(name, (url) => define(() => freshDatabase(url), name))
}

/** An SQLite file in a folder of its own. */
export async function freshFile(): Promise<FreshDatabase> {
  const folder = await makeFolder('sqlite')
  return {
    url: `sqlite:${join(folder, 'test.db')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * How a store is opened by tests that are not about its limits: a machine that is busy with other work is slow, and that
 * is no wrong answer. Only what hangs is ended.
 */
export function patient(url: string): StoreOptions {
  const timeoutMs = 300_000
  return url.startsWith('sqlite:')
    ? { url, busyTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs }
    : { url, lockTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs, pool: { acquireTimeoutMs: timeoutMs } }
}
