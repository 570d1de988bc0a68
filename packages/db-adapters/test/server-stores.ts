import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { ObjectStore } from '@steward/rest-core'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { freshDatabase, needs, needsOwn, type FreshDatabase, type TestServer } from '../../../tests/servers/index.js'
import { openMssql } from '../../../tests/servers/mssql.js'
import type { ServerStoreOptions } from '../src/lib/pool/options.js'
import { createMssqlStore } from '../src/mssql.js'
import { createMysqlStore } from '../src/mysql.js'
import { createPostgresqlStore } from '../src/postgresql.js'

type Name = 'postgresql' | 'mysql' | 'mssql'

/** A bare connection beside the stores. */
export interface Admin {
  rows(sql: string): Promise<Record<string, unknown>[]>
  /** Ids of the other connections to this database. */
  connections(): Promise<string[]>
  /** Ends all other connections to this database. */
  endConnections(): Promise<void>
  close(): Promise<void>
}

export interface ServerDatabase {
  readonly name: Name
  readonly url: string
  /** A store that is closed after the tests of the group. */
  store(options?: ServerStoreOptions): ObjectStore
  readonly admin: Admin
}

/** Defines the same tests for PostgreSQL, MySQL and SQL Server, or some of them, each with an empty database of its own. */
export function onEachServer(
  define: (database: ServerDatabase) => void,
  names: readonly Name[] = ['postgresql', 'mysql', 'mssql'],
): void {
  for (const name of names) {
    needs(name, (url) => {
      let database: FreshDatabase
      let admin: Admin
      const stores: ObjectStore[] = []
      beforeAll(async () => {
        database = await freshDatabase(url)
        admin = await openAdmin(database.url)
      })
      afterAll(async () => {
        for (const store of stores) await store.close()
        await admin?.close()
        await database?.drop()
      })
      define({
        name,
        get url() {
          return database.url
        },
        store(options) {
          const store = openStore(name, database.url, options)
          stores.push(store)
          return store
        },
        get admin() {
          return admin
        },
      })
    })
  }
}

/** Defines the same tests for a PostgreSQL and a MariaDB of their own, which may be stopped. */
export function onEachOwnServer(define: (server: { readonly name: Name; current(): TestServer }) => void): void {
  for (const name of ['postgresql', 'mysql'] as const) {
    needsOwn(name, (start) => {
      let server: TestServer | undefined
      beforeAll(async () => {
        server = await start()
      })
      afterAll(() => server?.close())
      define({ name, current: () => server! })
    })
  }
}

export function openStore(name: Name, url: string, options: ServerStoreOptions = {}): ObjectStore {
  const create = { postgresql: createPostgresqlStore, mysql: createMysqlStore, mssql: createMssqlStore }[name]
  return create({ ...options, connection: url })
}

/** Test servers acknowledge before they have written; afterwards a crash of the server's process loses nothing any more. */
export async function makeDurable(url: string): Promise<void> {
  const admin = await openAdmin(url)
  await admin.rows(
    url.startsWith('postgres')
      ? 'alter database test set synchronous_commit = on'
      : 'set global innodb_flush_log_at_trx_commit = 2',
  )
  await admin.close()
}

/** A way to a server that can be cut so that neither side hears of it. */
export interface Cable {
  readonly url: string
  cut(): void
  mend(): void
  close(): Promise<void>
}

/** @param cutAt when a client first sends this, the cable is cut as by `cut()` */
export async function openCable(url: string, cutAt?: string | Buffer): Promise<Cable> {
  const target = new URL(url)
  const ends = new Set<Socket>()
  let isCut = false
  let awaited = cutAt
  const proxy = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from)
      from.on('data', (data) => {
        if (from === near && awaited !== undefined && data.includes(awaited)) {
          isCut = true
          awaited = undefined
        }
        if (!isCut) to.write(data)
      })
      from.on('error', () => {})
      from.on('close', () => {
        ends.delete(from)
        if (!isCut) to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const near = new URL(url)
  near.port = String((proxy.address() as AddressInfo).port)
  return {
    url: near.href,
    cut() {
      isCut = true
    },
    mend() {
      // What was cut stays silent.
      for (const end of ends) end.removeAllListeners('data')
      isCut = false
    },
    async close() {
      for (const end of ends) end.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

function openAdmin(url: string): Promise<Admin> {
  if (url.startsWith('mssql')) return openSqlServer(url)
  return url.startsWith('postgres') ? openPostgresql(url) : openMysql(url)
}

async function openPostgresql(url: string): Promise<Admin> {
  const client = new pg.Client(url)
  await client.connect()
  const rows: Admin['rows'] = async (sql) => (await client.query(sql)).rows as Record<string, unknown>[]
  const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  return {
    rows,
    connections: async () => (await rows(`select pid ${others}`)).map(({ pid }) => String(pid)),
    endConnections: async () => void (await rows(`select pg_terminate_backend(pid) ${others}`)),
    close: () => client.end(),
  }
}

async function openMysql(url: string): Promise<Admin> {
  const connection = await mysql.createConnection(url)
  const rows: Admin['rows'] = async (sql) => (await connection.query(sql))[0] as Record<string, unknown>[]
  const connections: Admin['connections'] = async () => {
    const found = await rows(
      'select id from information_schema.processlist where db = database() and id <> connection_id()',
    )
    return found.map(({ id, ID = id }) => String(ID))
  }
  return {
    rows,
    connections,
    async endConnections() {
      for (const id of await connections()) await connection.query(`kill ${id}`).catch(() => {})
    },
    close: () => connection.end(),
  }
}

async function openSqlServer(url: string): Promise<Admin> {
  const { rows, close } = await openMssql(url)
  const connections: Admin['connections'] = async () => {
    const found = await rows(
      'select session_id as id from sys.dm_exec_sessions where database_id = db_id() and session_id <> @@spid',
    )
    return found.map(({ id }) => String(id))
  }
  return {
    rows,
    connections,
    async endConnections() {
      for (const id of await connections()) await rows(`kill ${id}`).catch(() => {})
    },
    close,
  }
}
