import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModel } from '@steward/rest-core'
import knex, { type Knex } from 'knex'
import { expect, test } from 'vitest'
import { freshDatabase, needs } from '../../../../../tests/servers/index.js'
import { createStore } from '../../index.js'

const model = createModel([{ name: 'Note', timestamps: false, fields: { not_text: { type: 'string' } } }])
const note = model.object('Note')

/** What the store writes is read by knex, and the other way round. */
async function worksBeside(db: Knex): Promise<void> {
  const store = await createStore({ knex: db, pool: { max: 2 } })
  try {
    await store.sync(model)
    const { row_id: id } = await store.insert(note, { not_text: 'by the store' }, note.selection)
    expect(await db('note').where({ row_id: id }).select('not_text')).toEqual([{ not_text: 'by the store' }])
    await db('note').insert({ not_text: 'by knex' })
    expect(await store.count(note)).toBe(2)
  } finally {
    await store.close()
    await db.destroy()
  }
}

test('createStore({ knex }) opens the SQLite file of better-sqlite3', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
  const filename = join(folder, 'a.db')
  try {
    await worksBeside(knex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

needs('postgresql', (url) => {
  test('createStore({ knex }) reaches the PostgreSQL of a URL with a password', async () => {
    const database = await freshDatabase(url)
    try {
      await worksBeside(knex({ client: 'pg', connection: database.url }))
    } finally {
      await database.drop()
    }
  })
})

needs('mysql', (url) => {
  test('createStore({ knex }) reaches the MySQL of an object with a password', async () => {
    const database = await freshDatabase(url)
    const { hostname, port, username, password, pathname } = new URL(database.url)
    const connection = {
      host: hostname,
      port: Number(port),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    }
    try {
      await worksBeside(knex({ client: 'mysql2', connection }))
    } finally {
      await database.drop()
    }
  })
})

needs('mssql', (url) => {
  test('createStore({ knex }) reaches the SQL Server of an object with a password', async () => {
    const database = await freshDatabase(url)
    const { hostname, port, username, password, pathname, searchParams } = new URL(database.url)
    const connection = {
      server: hostname,
      port: Number(port || 1433),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: pathname.slice(1),
      options: { encrypt: searchParams.get('encrypt') !== 'false', trustServerCertificate: true },
    }
    try {
      await worksBeside(knex({ client: 'mssql', connection }))
    } finally {
      await database.drop()
    }
  })
})

test('createStore({ knex }) passes password and limits on, and its own options go first', async () => {
  const { databaseOfKnex } = await import('./instance.js')
  const db = knex({
    client: 'pg',
    connection: { host: 'h', user: 'u', password: 'hidden' },
    pool: { max: 7, idleTimeoutMillis: 9_000 },
  })
  expect(databaseOfKnex(db)).toEqual({
    name: 'postgresql',
    where: { connection: { host: 'h', user: 'u', password: 'hidden' } },
    pool: { max: 7, idleTimeoutMs: 9_000 },
  })
  await expect(createStore({ knex: db, pool: { max: 0 } })).rejects.toThrow('pool.max')
  await db.destroy()
})

test.each([
  [{ client: 'cockroachdb', connection: { host: 'h', password: 'tiger' } }, 'the driver "cockroachdb"'],
  [{ client: 'pg', connection: () => ({ host: 'h', password: 'tiger' }) }, 'from a function'],
  [{ client: 'pg' }, 'names no connection'],
  [{ client: 'pg', connection: { host: 'h', password: 'tiger' }, searchPath: ['other'] }, '"searchPath"'],
  [{ client: 'better-sqlite3', connection: { filename: ':memory:' }, useNullAsDefault: true }, 'in memory'],
] satisfies [Knex.Config, string][])('createStore({ knex }) refuses %o', async (config, message) => {
  const db = knex(config)
  const error = await createStore({ knex: db }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TypeError)
  expect((error as Error).message).toContain(message)
  expect((error as Error).message).not.toContain('tiger')
  await db.destroy()
})
