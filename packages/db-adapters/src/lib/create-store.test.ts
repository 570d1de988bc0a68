import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createStore, type StoreOptions } from '../index.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function opened(database: string | StoreOptions): Promise<string> {
  const store = await createStore(database)
  await store.ping()
  await store.close()
  return store.capabilities.name
}

test('createStore() opens SQLite files by path and by file URL', async () => {
  const names = ['a.db', 'b c.db', 'ü.db', 'd?e#f%20.db']
  const urls = (path: string): string[] => [
    `sqlite:${path}`,
    `sqlite://${path}`,
    `SQLite:${path}`,
    pathToFileURL(path).href,
    `file:${path}`,
  ]
  for (const [at, name] of names.entries()) {
    const path = join(folder, name)
    expect(await opened(urls(path)[at] as string)).toBe('sqlite')
    expect(existsSync(path)).toBe(true)
  }
})

test('createStore() opens a temporary SQLite database', async () => {
  expect(await opened('sqlite::memory:')).toBe('sqlite')
})

test('createStore() passes options on to the store', async () => {
  expect(await opened({ url: 'sqlite::memory:', synchronous: 'full', workers: 1 })).toBe('sqlite')
  await expect(createStore({ url: 'sqlite::memory:', workers: 0 })).rejects.toThrow('workers')
})

test('createStore() chooses PostgreSQL, MySQL and SQL Server without connecting', async () => {
  for (const [url, name] of [
    ['postgresql://u@localhost:1/d', 'postgresql'],
    ['postgres://u@localhost:1/d', 'postgresql'],
    ['mysql://u@localhost:1/d', 'mysql'],
    ['mariadb://u@localhost:1/d', 'mysql'],
    ['mssql://u@localhost:1/d?encrypt=false', 'mssql'],
  ] as const) {
    const store = await createStore(url)
    expect(store.capabilities.name).toBe(name)
    await store.close()
  }
})

test('createStore() refuses other schemes, names the known ones and no secrets', async () => {
  for (const url of ['db2://scott:tiger@host/x', 'scott:tiger@host', 'data/app.db', '', '://tiger', 'sqlite:']) {
    const error = await createStore(url).catch((reason: unknown) => reason)
    expect(error, url).toBeInstanceOf(TypeError)
    expect((error as Error).message, url).toContain('sqlite:')
    expect((error as Error).message, url).not.toContain('tiger')
  }
})
