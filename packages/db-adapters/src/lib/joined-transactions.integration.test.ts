import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBusinessObjects, createModel, systemPrincipal, type Change, type ObjectStore } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import { testObjectStore } from '@steward/rest-core/testing'
import Database from 'better-sqlite3'
import knex, { type Knex } from 'knex'
import mysqlCallbacks from 'mysql2'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { Connection, Request } from 'tedious'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { contractSize } from '../../../../tests/contract-size.js'
import { freshDatabase, needs } from '../../../../tests/servers/index.js'
import { createStore } from '../index.js'

const model = createModel([
  ...systemObjects,
  {
    name: 'Order',
    table: 'orders',
    audit: true,
    events: true,
    fields: { ord_code: { type: 'string', length: 20, key: true }, ord_at: { type: 'datetime' } },
  },
])
const order = model.object('Order')
const { selection: select } = order
const boss = systemPrincipal({ login: 'boss' })
/** Longer than a busy machine takes to open a connection. */
const acquireTimeoutMs = 3_600_000

/** The result of a call that waits for a connection until the time-out. */
async function afterTheTimeout<T>(call: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const outcome = call()
  outcome.catch(() => {})
  await vi.advanceTimersByTimeAsync(acquireTimeoutMs)
  vi.useRealTimers()
  return outcome
}

/** A pool of the application. It ends before its connections do, which the drop of the database may then cut. */
function openPool(connectionString: string, max = 10): pg.Pool {
  return new pg.Pool({ connectionString, max }).on('error', () => {})
}

/** A connection on which the application works in its own way. */
interface Application {
  /** What the store joins. */
  readonly connection: object
  /** The first value of each row, as text. */
  run(sql: string): Promise<string[]>
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  end(): Promise<void>
}

interface Cases {
  /** Makes the store as the application does that has a pool. */
  store(): Promise<ObjectStore>
  applications: Readonly<Record<string, () => Promise<Application>>>
  /** Settings of a session as an application may have them, with the query that shows them. */
  readonly settings?: { readonly set: readonly string[]; readonly show: string }
}

function define({ store: open, applications, settings }: Cases): void {
  let store: ObjectStore
  let number = 0
  beforeAll(async () => {
    store = await open()
    await store.sync(model)
    const [first] = Object.values(applications)
    const application = await first!()
    await application.run('create table ledger (code varchar(20))')
    await application.end()
  })
  afterAll(() => store.close())

  const codes = async (): Promise<unknown[]> => {
    const found: unknown[] = []
    for await (const batch of store.search(order, { select, order: order.order, limit: 1_000 }))
      found.push(...batch.map((record) => record['ord_code']))
    return found
  }

  describe.each(Object.keys(applications))('a transaction of %s', (kind) => {
    let application: Application
    let code: string
    const ledger = () => application.run(`select code from ledger where code = '${code}'`)
    beforeEach(async () => {
      number += 1
      code = `o${number}`
      application = await applications[kind]!()
      return () => application.end()
    })

    it('keeps what the store and the application wrote, or none of it', async () => {
      for (const end of ['rollback', 'commit'] as const) {
        await application.begin()
        const joined = store.within!(application.connection as never)
        const { row_id: id } = await joined.insert(order, { ord_code: code }, select)
        await application.run(`insert into ledger values ('${code}')`)
        expect(await joined.get(order, id, { select })).toMatchObject({ ord_code: code })
        expect(await joined.count(order, { op: '=', field: 'ord_code', value: code })).toBe(1)
        // Other connections do not see it yet.
        expect(await codes()).not.toContain(code)
        await application[end]()
        expect((await codes()).includes(code)).toBe(end === 'commit')
        expect(await ledger()).toEqual(end === 'commit' ? [code] : [])
      }
    })

    it('continues after a call that was refused, and after a transaction of the store that was undone', async () => {
      await application.begin()
      const joined = store.within!(application.connection as never)
      await joined.insert(order, { ord_code: code }, select)
      await expect(joined.insert(order, { ord_code: code }, select)).rejects.toMatchObject({ code: 'unique' })
      const undone = joined.transaction(async (session) => {
        await session.insert(order, { ord_code: `${code} inside` }, select)
        throw new Error('changed my mind')
      })
      await expect(undone).rejects.toThrow('changed my mind')
      // At the same time: they wait for each other.
      await Promise.all(['a', 'b'].map((end) => joined.insert(order, { ord_code: `${code}${end}` }, select)))
      await application.run(`insert into ledger values ('${code}')`)
      await application.commit()
      expect((await codes()).filter((each) => String(each).startsWith(code))).toEqual([code, `${code}a`, `${code}b`])
      expect(await ledger()).toEqual([code])
    })

    it('is not there before it starts, and after its end', async () => {
      const isKnex = kind.startsWith('knex')
      const expected = { code: 'internal', message: expect.stringMatching(/^No transaction is open/) as string }
      // An instance of knex has no connection to ask.
      if (isKnex) expect(() => store.within!(application.connection as never)).toThrow('this is something else')
      else await expect(store.within!(application.connection as never).count(order)).rejects.toMatchObject(expected)
      await application.begin()
      const joined = store.within!(application.connection as never)
      expect(await joined.count(order)).toBeGreaterThanOrEqual(0)
      await expect(joined.sync(model)).rejects.toMatchObject({ code: 'internal' })
      await application.rollback()
      if (!isKnex) await expect(joined.count(order)).rejects.toMatchObject(expected)
      await joined.close()
      expect(await application.run('select 1')).toEqual(['1'])
    })

    it.runIf(settings)('finds its settings as they were, between calls and after a refused one', async () => {
      await application.begin()
      for (const sql of settings!.set) await application.run(sql)
      const before = await application.run(settings!.show)
      const joined = store.within!(application.connection as never)
      const at = '2024-02-29 12:00:00'
      const { row_id: id } = await joined.insert(order, { ord_code: code, ord_at: at }, select)
      expect(await application.run(settings!.show)).toEqual(before)
      expect(await joined.get(order, id, { select })).toMatchObject({ ord_at: at })
      await expect(joined.insert(order, { ord_code: code }, select)).rejects.toMatchObject({ code: 'unique' })
      expect(await application.run(settings!.show)).toEqual(before)
      await application.rollback()
    })

    it('takes a service along: audit trail and events go with it, and changes are reported after it', async () => {
      const changes: Change[] = []
      const service = createBusinessObjects({ model, store, onChange: (change) => changes.push(change) })
      const entries = () => service.count(boss, 'AuditEntry', {})
      const events = () => service.count(boss, 'Event', {})
      const [before] = [await Promise.all([entries(), events()])]
      await application.begin()
      const undone = service.within(application.connection as never)
      await undone.service.create(boss, 'Order', { ord_code: code })
      await application.rollback()
      await undone.rolledBack()
      expect(changes).toEqual([])
      expect(await Promise.all([entries(), events()])).toEqual(before)

      await application.begin()
      const joined = service.within(application.connection as never)
      await joined.service.create(boss, 'Order', { ord_code: code })
      await expect(joined.service.create(boss, 'Order', { ord_code: code })).rejects.toMatchObject({
        code: 'ERR_CONFLICT',
      })
      const both = joined.service.transaction(async (inside) => {
        await inside.create(boss, 'Order', { ord_code: `${code} inside` })
        expect(() => inside.within(application.connection as never)).toThrow('cannot join another')
        throw new Error('no')
      })
      await expect(both).rejects.toThrow('no')
      await application.run(`insert into ledger values ('${code}')`)
      expect(changes).toEqual([])
      await application.commit()
      expect(changes).toEqual([])
      await joined.committed()
      expect(changes.map(({ operation }) => operation)).toEqual(['create'])
      const after = await Promise.all([entries(), events()])
      expect(after.map(({ count }, at) => count - before[at]!.count)).toEqual([1, 1])
      expect(await ledger()).toEqual([code])
      await service.close()
    })
  })

  it('anything else is refused', () => {
    expect(() => store.within!({} as never)).toThrow(TypeError)
  })
}

const values = (rows: readonly object[]): string[] => rows.map((row) => Object.values(row).map(String).join(' | '))

/** By knex, which begins with the first use. */
function knexApplication(db: Knex, rowsOf: (result: unknown) => readonly object[]): Application {
  let transaction: Knex.Transaction | undefined
  const run = async (sql: string) => values(rowsOf(await (transaction ?? db).raw(sql)))
  return {
    get connection() {
      return transaction ?? db
    },
    run,
    async begin() {
      transaction = await db.transaction()
    },
    async commit() {
      await transaction!.commit()
      transaction = undefined
    },
    async rollback() {
      await transaction!.rollback()
      transaction = undefined
    },
    end: () => db.destroy(),
  }
}

function sqlApplication(
  connection: object,
  run: Application['run'],
  end: Application['end'],
  begin = 'begin',
): Application {
  const command = (sql: string) => async () => void (await run(sql))
  return { connection, run, begin: command(begin), commit: command('commit'), rollback: command('rollback'), end }
}

describe('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-join-'))
  const filename = join(folder, 'a.db')
  afterAll(() => rmSync(folder, { recursive: true }))
  define({
    async store() {
      const database = new Database(filename)
      const store = await createStore({ client: database })
      database.close()
      return store
    },
    applications: {
      async 'a database object'() {
        const database = new Database(filename)
        database.defaultSafeIntegers()
        const run = async (sql: string) => {
          const statement = database.prepare(sql)
          if (statement.reader) return values(statement.all() as object[])
          statement.run()
          return []
        }
        return sqlApplication(database, run, async () => void database.close())
      },
      async knex() {
        const db = knex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true })
        return knexApplication(db, (result) => (Array.isArray(result) ? (result as object[]) : []))
      },
    },
  })
})

needs('postgresql', (server) => {
  let url: string
  let drop: () => Promise<void>
  let pool: pg.Pool
  beforeAll(async () => {
    ;({ url, drop } = await freshDatabase(server))
    pool = openPool(url, 3)
  })
  afterAll(async () => {
    await pool.end()
    await drop()
  })
  const run = (client: pg.ClientBase) => async (sql: string) => values((await client.query(sql)).rows as object[])
  define({
    store: () => createStore({ client: pool }),
    applications: {
      async 'a client'() {
        const client = new pg.Client(url)
        await client.connect()
        return sqlApplication(client, run(client), () => client.end())
      },
      async "a pool's client"() {
        const client = await pool.connect()
        return sqlApplication(client, run(client), async () => client.release())
      },
      async knex() {
        return knexApplication(knex({ client: 'pg', connection: url }), (result) => (result as { rows: object[] }).rows)
      },
    },
    settings: {
      set: [
        `set timezone = 'Asia/Tokyo'`,
        `set datestyle = 'German'`,
        `set local statement_timeout = '7s'`,
        `set local lock_timeout = '6s'`,
        `set intervalstyle = 'sql_standard'`,
        `set extra_float_digits = -3`,
      ],
      show: `select string_agg(name || '=' || setting, ' ' order by name) from pg_settings where name in ('TimeZone', 'DateStyle',
        'statement_timeout', 'lock_timeout', 'IntervalStyle', 'extra_float_digits', 'standard_conforming_strings', 'cursor_tuple_fraction')`,
    },
  })

  it('a pool is left open, and when all its connections are in use, calls are refused', async () => {
    const own = openPool(url, 1)
    const store = await createStore({ client: own, pool: { acquireTimeoutMs } })
    await store.ping()
    const client = await own.connect()
    await expect(afterTheTimeout(() => store.count(order))).rejects.toMatchObject({ code: 'overloaded' })
    await client.query(`set timezone = 'Asia/Tokyo'`)
    client.release()
    expect(await store.count(order)).toBeGreaterThanOrEqual(0)
    await expect(store.insert(order, { ord_code: 'x'.repeat(30) }, select)).rejects.toMatchObject({ code: 'value' })
    await store.close()
    expect((await own.query('show timezone')).rows).toEqual([{ TimeZone: 'Asia/Tokyo' }])
    expect(own.totalCount).toBe(1)
    await own.end()
    const gone = await createStore({ client: own })
    await expect(gone.ping()).rejects.toMatchObject({ code: 'unavailable' })
    await gone.close()
  })
})

needs('mysql', (server) => {
  let url: string
  let drop: () => Promise<void>
  let pool: mysql.Pool
  beforeAll(async () => {
    ;({ url, drop } = await freshDatabase(server))
    pool = mysql.createPool({ uri: url, connectionLimit: 3 })
  })
  afterAll(async () => {
    await pool.end()
    await drop()
  })
  const run = (client: mysql.Connection) => async (sql: string) => {
    const [rows] = await client.query(sql)
    return Array.isArray(rows) ? values(rows) : []
  }
  define({
    store: () => createStore({ client: pool }),
    applications: {
      async 'a connection'() {
        const client = await mysql.createConnection(url)
        return sqlApplication(client, run(client), () => client.end())
      },
      async 'a connection with callbacks'() {
        const client = mysqlCallbacks.createConnection(url)
        return sqlApplication(client, run(client.promise()), () => client.promise().end())
      },
      async "a pool's connection"() {
        const client = await pool.getConnection()
        return sqlApplication(client, run(client), async () => client.release())
      },
      async knex() {
        return knexApplication(knex({ client: 'mysql2', connection: url }), (result) =>
          Array.isArray((result as unknown[])[0]) ? (result as object[][])[0]! : [],
        )
      },
    },
    settings: {
      set: [`set time_zone = '+09:00', sql_mode = 'ANSI_QUOTES', innodb_lock_wait_timeout = 7`, `set names latin1`],
      show: `select concat_ws(' ', @@time_zone, @@sql_mode, @@innodb_lock_wait_timeout, @@character_set_client,
        @@character_set_results, @@collation_connection, @@max_sort_length, @@sort_buffer_size)`,
    },
  })

  it('a pool is left open, and when all its connections are in use, calls are refused', async () => {
    const own = mysql.createPool({ uri: url, connectionLimit: 1 })
    const store = await createStore({ client: own, pool: { acquireTimeoutMs } })
    await store.ping()
    const client = await own.getConnection()
    await expect(afterTheTimeout(() => store.count(order))).rejects.toMatchObject({ code: 'overloaded' })
    await client.query(`set time_zone = '+09:00'`)
    client.release()
    expect(await store.count(order)).toBeGreaterThanOrEqual(0)
    await expect(store.insert(order, { ord_code: 'x'.repeat(30) }, select)).rejects.toMatchObject({ code: 'value' })
    await store.close()
    expect((await own.query('select @@time_zone as zone'))[0]).toEqual([{ zone: '+09:00' }])
    await own.end()
    const gone = await createStore({ client: own })
    await expect(gone.ping()).rejects.toMatchObject({ code: 'unavailable' })
    await gone.close()
  })
})

needs('mssql', (server) => {
  let url: string
  let drop: () => Promise<void>
  beforeAll(async () => {
    ;({ url, drop } = await freshDatabase(server))
  })
  afterAll(() => drop())
  define({
    store: () => createStore(url),
    applications: {
      async 'a connection'() {
        const { client, run, end } = await openTedious(url)
        return sqlApplication(client, run, end, 'begin transaction')
      },
      async 'a connection that gives rows in other forms'() {
        const { client, run, end } = await openTedious(url, { useColumnNames: true, useUTC: false })
        return sqlApplication(client, run, end, 'begin transaction')
      },
      async knex() {
        const { hostname, port, username, password, pathname } = new URL(url)
        const connection = {
          server: hostname,
          port: Number(port || 1433),
          user: decodeURIComponent(username),
          password: decodeURIComponent(password),
          database: pathname.slice(1),
          options: { encrypt: !url.includes('encrypt=false'), trustServerCertificate: true },
        }
        return knexApplication(knex({ client: 'mssql', connection }), (result) => result as object[])
      },
    },
    settings: {
      set: ['set lock_timeout 7000', 'set xact_abort on'],
      show: `select concat(@@lock_timeout, ' ', @@options & 16384) as settings`,
    },
  })
})

interface Tedious {
  readonly client: Connection
  readonly run: Application['run']
  end(): Promise<void>
}

async function openTedious(url: string, options: object = {}): Promise<Tedious> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const client = new Connection({
    server: hostname,
    authentication: {
      type: 'default',
      options: { userName: decodeURIComponent(username), password: decodeURIComponent(password) },
    },
    options: {
      port: Number(port || 1433),
      database: pathname.slice(1),
      encrypt: !url.includes('encrypt=false'),
      trustServerCertificate: true,
      ...options,
    },
  })
  client.on('error', () => {})
  await new Promise<void>((resolve, reject) => client.connect((error) => (error ? reject(error) : resolve())))
  return {
    client,
    run: (sql) =>
      new Promise((resolve, reject) => {
        const rows: string[] = []
        const request = new Request(sql, (error) => (error ? reject(error) : resolve(rows)))
        request.on('row', (row: Record<string, { readonly value: unknown }>) =>
          rows.push(
            Object.values(row)
              .map(({ value }) => String(value))
              .join(' | '),
          ),
        )
        client.execSqlBatch(request)
      }),
    end: async () => client.close(),
  }
}

// The whole contract on pools of the application: the statements are those of other stores, so that it is for deep tests.
if (process.env['TEST_DEEP'] === '1') {
  needs('postgresql', (server) => {
    testObjectStore(
      'store',
      async () => {
        const database = await freshDatabase(server)
        const pool = openPool(database.url)
        const open = () => createStore({ client: pool })
        const dispose = async () => {
          await pool.end()
          await database.drop()
        }
        return { store: await open(), reopen: open, dispose }
      },
      contractSize,
    )
  })

  needs('mysql', (server) => {
    testObjectStore(
      'store',
      async () => {
        const database = await freshDatabase(server)
        const pool = mysqlCallbacks.createPool({ uri: database.url })
        const open = () => createStore({ client: pool })
        const dispose = async () => {
          await pool.promise().end()
          await database.drop()
        }
        return { store: await open(), reopen: open, dispose }
      },
      contractSize,
    )
  })
}
