import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createSqliteStore, type SqliteStoreOptions } from '../../../sqlite.js'
import { readOptions } from './config.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('createSqliteStore() refuses wrong options at once and names them', () => {
  const wrong: [Record<string, unknown>, string][] = [
    [{}, 'filename'],
    [{ filename: 'a\0b' }, 'filename'],
    [{ filename: 'a', workers: 0 }, 'workers'],
    [{ filename: 'a', workers: 1.5 }, 'workers'],
    [{ filename: 'a', busyTimeoutMs: -1 }, 'busyTimeoutMs'],
    [{ filename: 'a', busyTimeoutMs: '100' }, 'busyTimeoutMs'],
    [{ filename: 'a', shapes: 0 }, 'shapes'],
    [{ filename: 'a', synchronous: 'off' }, 'synchronous'],
  ]
  for (const [options, name] of wrong)
    expect(() => createSqliteStore(options as unknown as SqliteStoreOptions), name).toThrow(name)
})

test('createSqliteStore() copies its options', () => {
  const options = { filename: 'a', workers: 1 }
  const config = readOptions(options)
  options.workers = 9
  expect(config.workers).toBe(1)
})

test('createSqliteStore() opens nothing before the first call', async () => {
  const filename = join(folder, 'later.db')
  const store = createSqliteStore({ filename })
  expect(existsSync(filename)).toBe(false)
  await store.ping()
  expect(existsSync(filename)).toBe(true)
  await store.close()
})

test('close() removes a temporary database, and only that', async () => {
  const temporary = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('steward-sqlite-'))
  const before = temporary()
  const stores = ['', ':memory:'].map((filename) => createSqliteStore({ filename }))
  for (const store of stores) await store.ping()
  const made = temporary().filter((name) => !before.includes(name))
  expect(made.length).toBeGreaterThanOrEqual(2)
  for (const store of stores) await store.close()
  const kept = createSqliteStore({ filename: join(folder, 'kept.db') })
  await kept.ping()
  await kept.close()
  await kept.close()
  expect(existsSync(join(folder, 'kept.db'))).toBe(true)
  expect(existsSync(join(folder, 'kept.db-wal'))).toBe(false)
  const after = temporary()
  expect(made.filter((name) => after.includes(name)).length).toBeLessThanOrEqual(made.length - 2)
})
