import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBusinessObjects, createModel, systemPrincipal, type Change } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import { testObjectStore } from '@steward/rest-core/testing'
import knex, { type Knex } from 'knex'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contractSize } from '../../../../tests/contract-size.js'
import { freshDatabase, needs } from '../../../../tests/servers/index.js'
import { createStore, type SqlStore } from '../index.js'

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
/** An instance of knex that the application has, with the transaction that it has started. */
interface Application {
  /** What the store joins. */
  readonly connection: Knex.Transaction
  /** The first value of each row, as text. */
  run(sql: string): Promise<string[]>
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  end(): Promise<void>
}

interface Cases {
  /** Makes the instance of the application. */
  knex(): Knex
  /** The same database for a store with an instance of its own. */
  url(): string
  /** What a raw statement gives. */
  rowsOf(result: unknown): readonly object[]
  /** Settings of a session as an application may have them, with the query that shows them. */
  readonly settings?: { readonly set: readonly string[]; readonly show: string }
}

function define(cases: Cases): void {
  const { settings, rowsOf } = cases
  describe('a store on the instance', () => {
    let db: Knex
    const open = async () => createStore({ knex: (db = cases.knex()) })
    defineOn(open, () => createApplication(db, rowsOf), settings)
    afterAll(() => db.destroy())
  })
  describe('a store with an instance of its own', () => {
    defineOn(
      async () => createStore(cases.url()),
      (store) => createApplication(store.knex, rowsOf),
      undefined,
    )
  })
  describe('a store with another instance', () => {
    const open = async () => createStore(cases.url())
    defineOn(
      open,
      () => {
        const db = cases.knex()
        return createApplication(db, rowsOf, () => db.destroy())
      },
      settings,
    )
  })
}

function defineOn(
  open: () => Promise<SqlStore>,
  createOne: (store: SqlStore) => Application,
  settings: Cases['settings'],
): void {
  let store: SqlStore
  let number = 0
  beforeAll(async () => {
    store = await open()
    await store.sync(model)
    await store.knex.schema.dropTableIfExists('ledger')
    await store.knex.schema.createTable('ledger', (table) => table.string('code', 20))
    for (const object of model.objects.values()) await store.knex(object.table).delete()
  })
  afterAll(() => store.close())

  const codes = async (): Promise<unknown[]> => {
    const found: unknown[] = []
    for await (const batch of store.search(order, { select, order: order.order, limit: 1_000 }))
      found.push(...batch.map((record) => record['ord_code']))
    return found
  }

  describe('a transaction', () => {
    let application: Application
    let code: string
    const ledger = () => application.run(`select code from ledger where code = '${code}'`)
    beforeEach(async () => {
      number += 1
      code = `o${number}`
      application = createOne(store)
      return () => application.end()
    })

    it('keeps what the store and the application wrote, or none of it', async () => {
      for (const end of ['rollback', 'commit'] as const) {
        await application.begin()
        const joined = store.within!(application.connection)
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
      const joined = store.within!(application.connection)
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

    it('is not there after its end', async () => {
      await application.begin()
      const joined = store.within!(application.connection)
      expect(await joined.count(order)).toBeGreaterThanOrEqual(0)
      await expect(joined.sync(model)).rejects.toMatchObject({ code: 'internal' })
      await application.rollback()
      const message = expect.stringMatching(/^No transaction is open/) as string
      await expect(joined.count(order)).rejects.toMatchObject({ code: 'internal', message })
      await joined.close()
      expect(await application.run('select 1 as one')).toEqual(['1'])
    })

    it.runIf(settings)('finds its settings as they were, between calls and after a refused one', async () => {
      await application.begin()
      for (const sql of settings!.set) await application.run(sql)
      const before = await application.run(settings!.show)
      const joined = store.within!(application.connection)
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
      const undone = service.within(application.connection)
      await undone.service.create(boss, 'Order', { ord_code: code })
      await application.rollback()
      await undone.rolledBack()
      expect(changes).toEqual([])
      expect(await Promise.all([entries(), events()])).toEqual(before)

      await application.begin()
      const joined = service.within(application.connection)
      await joined.service.create(boss, 'Order', { ord_code: code })
      await expect(joined.service.create(boss, 'Order', { ord_code: code })).rejects.toMatchObject({
        code: 'ERR_CONFLICT',
      })
      const both = joined.service.transaction(async (inside) => {
        await inside.create(boss, 'Order', { ord_code: `${code} inside` })
        expect(() => inside.within(application.connection)).toThrow('cannot join another')
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
    for (const other of [{}, store.knex]) expect(() => store.within!(other as never)).toThrow(TypeError)
  })
}

const values = (rows: readonly object[]): string[] => rows.map((row) => Object.values(row).map(String).join(' | '))

function createApplication(db: Knex, rowsOf: Cases['rowsOf'], close = async () => {}): Application {
  let transaction: Knex.Transaction | undefined
  const end = (how: 'commit' | 'rollback') => async () => {
    await transaction![how]()
    transaction = undefined
  }
  return {
    get connection() {
      return transaction!
    },
    run: async (sql) => values(rowsOf(await (transaction ?? db).raw(sql))),
    async begin() {
      transaction = await db.transaction()
    },
    commit: end('commit'),
    rollback: end('rollback'),
    end: close,
  }
}

describe('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-join-'))
  const filename = join(folder, 'a.db')
  afterAll(() => rmSync(folder, { recursive: true }))

  it('an instance may be destroyed before its store is closed', async () => {
    const db = knex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true })
    const store = await createStore({ knex: db })
    await store.ping()
    await db.raw('select 1')
    await db.destroy()
    await expect(store.ping()).rejects.toMatchObject({ name: 'StoreError' })
    await store.close()
  })

  it('a store reads what is committed while the instance has the connection, and its writes wait for it', async () => {
    const db = knex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true })
    const store = await createStore({ knex: db })
    await store.sync(model)
    const trx = await db.transaction()
    await trx('orders').insert({ ord_code: 'trx', created_dt: '2026-01-01', updated_dt: '2026-01-01' })
    const before = await store.count(order)
    const written = store.insert(order, { ord_code: 'store' }, select)
    await trx.commit()
    await written
    expect(await store.count(order)).toBe(before + 2)
    await store.close()
    expect(await db.raw('select 1 as one')).toEqual([{ one: 1 }])
    await db.destroy()
  })

  define({
    knex: () =>
      knex({
        client: 'better-sqlite3',
        connection: { filename },
        useNullAsDefault: true,
        acquireConnectionTimeout: 5_000,
      }),
    url: () => `sqlite:${filename}`,
    rowsOf: (result) => (Array.isArray(result) ? (result as object[]) : []),
    settings: {
      set: [],
      show: 'select (select * from pragma_foreign_keys) || (select timeout from pragma_busy_timeout)',
    },
  })
})

needs('postgresql', (server) => {
  let url: string
  let drop: () => Promise<void>
  beforeAll(async () => void ({ url, drop } = await freshDatabase(server)))
  afterAll(() => drop())
  define({
    knex: () => knex({ client: 'pg', connection: url }),
    url: () => url,
    rowsOf: (result) => (result as { rows: object[] }).rows,
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

  it('createStore({ knex }) uses the instance, whose limits hold, and leaves it open', async () => {
    const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1, acquireTimeoutMillis: 200 } })
    const store = await createStore({ knex: db })
    await store.ping()
    const trx = await db.transaction()
    await expect(store.count(order)).rejects.toMatchObject({ code: 'overloaded' })
    await trx.raw(`set timezone = 'Asia/Tokyo'`)
    await trx.commit()
    expect(await store.count(order)).toBeGreaterThanOrEqual(0)
    await expect(store.insert(order, { ord_code: 'x'.repeat(30) }, select)).rejects.toMatchObject({ code: 'value' })
    const zone = await db.raw<{ rows: object[] }>('show timezone')
    expect(zone.rows).toEqual([{ TimeZone: 'Asia/Tokyo' }])
    await store.close()
    await db.destroy()
    const gone = await createStore({ knex: db }).catch((error: unknown) => error)
    expect(gone).toBeInstanceOf(TypeError)
  })

  it("createStore({ knex }) uses a driver's own pool that the instance stands on", async () => {
    const own = new pg.Pool({ connectionString: url, max: 2 }).on('error', () => {})
    const db = knex({ client: 'pg', connectionPool: own })
    const store = await createStore({ knex: db })
    const { row_id: id } = await store.insert(order, { ord_code: 'pool' }, select)
    expect(await store.delete(order, id)).toBe(true)
    await store.close()
    expect(own.totalCount).toBeGreaterThan(0)
    await own.end()
  })
})

needs('mysql', (server) => {
  let url: string
  let drop: () => Promise<void>
  beforeAll(async () => void ({ url, drop } = await freshDatabase(server)))
  afterAll(() => drop())
  define({
    knex: () => knex({ client: 'mysql2', connection: url }),
    url: () => url,
    rowsOf: (result) => (Array.isArray((result as unknown[])[0]) ? (result as object[][])[0]! : []),
    settings: {
      set: [`set time_zone = '+09:00', sql_mode = 'ANSI_QUOTES', innodb_lock_wait_timeout = 7`, `set names latin1`],
      show: `select concat_ws(' ', @@time_zone, @@sql_mode, @@innodb_lock_wait_timeout, @@character_set_client,
        @@character_set_results, @@collation_connection, @@max_sort_length, @@sort_buffer_size)`,
    },
  })
})

needs('mssql', (server) => {
  let url: string
  let drop: () => Promise<void>
  beforeAll(async () => void ({ url, drop } = await freshDatabase(server)))
  afterAll(() => drop())
  define({
    knex() {
      const { hostname, port, username, password, pathname } = new URL(url)
      const connection = {
        server: hostname,
        port: Number(port || 1433),
        user: decodeURIComponent(username),
        password: decodeURIComponent(password),
        database: pathname.slice(1),
        options: { encrypt: !url.includes('encrypt=false'), trustServerCertificate: true },
      }
      return knex({ client: 'mssql', connection })
    },
    url: () => url,
    rowsOf: (result) => result as object[],
    settings: {
      set: ['set lock_timeout 7000', 'set xact_abort on'],
      show: `select concat(@@lock_timeout, ' ', @@options & 16384) as settings`,
    },
  })
})

// The whole contract on instances of the application: the statements are those of other stores, so that it is for deep tests.
if (process.env['TEST_DEEP'] === '1') {
  for (const [name, client] of [
    ['postgresql', 'pg'],
    ['mysql', 'mysql2'],
  ] as const) {
    needs(name, (server) => {
      testObjectStore(
        'store',
        async () => {
          const database = await freshDatabase(server)
          const db = knex({ client, connection: database.url })
          const open = () => createStore({ knex: db })
          const dispose = async () => {
            await db.destroy()
            await database.drop()
          }
          return { store: await open(), reopen: open, dispose }
        },
        contractSize,
      )
    })
  }
}
