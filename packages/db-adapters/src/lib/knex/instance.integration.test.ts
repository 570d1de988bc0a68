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
  const store = await createStore({ knex: db })
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

/** Calls after the application has destroyed its instance. */
async function outlives(db: Knex): Promise<void> {
  const store = await createStore({ knex: db })
  await store.sync(model)
  const { row_id: id } = await store.insert(note, { not_text: 'a' }, note.selection)
  await db.destroy()
  const message = expect.stringContaining('The knex instance of the store was destroyed') as string
  const calls = [
    () => store.get(note, id, { select: note.selection }),
    () => store.count(note),
    () => store.insert(note, { not_text: 'b' }, note.selection),
    () => store.transaction((session) => session.count(note)),
    () => store.search(note, { select: note.selection, order: note.order })[Symbol.asyncIterator]().next(),
    () => store.ping(),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'unavailable', message })
  await store.close()
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

  test('a store on PostgreSQL whose knex instance was destroyed refuses calls, and can be closed', async () => {
    const database = await freshDatabase(url)
    try {
      await outlives(knex({ client: 'pg', connection: database.url }))
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

  test('a store on MySQL whose knex instance was destroyed refuses calls, and can be closed', async () => {
    const database = await freshDatabase(url)
    try {
      await outlives(knex({ client: 'mysql2', connection: database.url }))
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

test.each([
  [{ client: 'cockroachdb', connection: { host: 'h', password: 'tiger' } }, 'the driver "cockroachdb"'],
  [{ client: 'pg' }, 'names no connection'],
  [{ client: 'better-sqlite3', connection: { filename: ':memory:' }, useNullAsDefault: true }, 'in memory'],
] satisfies [Knex.Config, string][])('createStore({ knex }) refuses %o', async (config, message) => {
  const db = knex(config)
  const error = await createStore({ knex: db }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TypeError)
  expect((error as Error).message).toContain(message)
  expect((error as Error).message).not.toContain('tiger')
  await db.destroy()
})

test('createStore({ knex }) refuses limits of its own', async () => {
  const db = knex({ client: 'pg', connection: { host: 'h' } })
  await expect(createStore({ knex: db, pool: { max: 3 } })).rejects.toThrow('in the pool of the knex instance')
  await db.destroy()
})

test('store.knex of a URL shows where the database is, without the password', async () => {
  const store = await createStore('postgresql://ann:tiger@host:5433/stock')
  const { connection } = store.knex.client.config as { connection: object }
  expect(connection).toEqual({ host: 'host', port: 5433, user: 'ann', database: 'stock' })
  await store.close()
})
