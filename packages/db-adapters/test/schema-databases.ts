import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreError } from '@steward/rest-core/errors'
import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { freshDatabase, needs } from '../../../tests/servers/index.js'
import { openMssql } from '../../../tests/servers/mssql.js'
import { mssqlSchema } from '../src/lib/mssql/schema/dialect.js'
import { mysqlSchema } from '../src/lib/mysql/schema/dialect.js'
import { postgresqlSchema } from '../src/lib/postgresql/schema/dialect.js'
import { sqliteSchema } from '../src/lib/sqlite/schema/dialect.js'
import type { SchemaConnection, SchemaRow } from '../src/lib/schema/connection.js'
import type { SchemaDialect } from '../src/lib/schema/dialect.js'

/** An empty database with sessions on the bare driver. */
export interface TestDatabase {
  readonly dialect: SchemaDialect & { readonly name: 'sqlite' | 'postgresql' | 'mysql' | 'mssql' }
  /** For other clients; of SQLite the file. */
  readonly url: string
  readonly connection: SchemaConnection
  /** A second session. */
  readonly other: SchemaConnection
  /** Runs statements one after the other. */
  script(sql: string): Promise<void>
  rows(sql: string): Promise<readonly SchemaRow[]>
}

interface Opened extends Omit<TestDatabase, 'script' | 'rows'> {
  close(): Promise<void>
}

/** Defines the same tests for SQLite, PostgreSQL, MySQL and SQL Server; each call has an empty database of its own per server. */
export function onEachDatabase(define: (database: TestDatabase) => void): void {
  describe('sqlite', () => define(usable(openSqlite)))
  needs('postgresql', (url) => define(usable(() => openPostgresql(url))))
  needs('mysql', (url) => define(usable(() => openMysql(url))))
  needs('mssql', (url) => define(usable(() => openSqlServer(url))))
}

export function onSqlite(define: (database: TestDatabase) => void): void {
  describe('sqlite', () => define(usable(openSqlite)))
}

export function onPostgresql(define: (database: TestDatabase) => void): void {
  needs('postgresql', (url) => define(usable(() => openPostgresql(url))))
}

export function onMysql(define: (database: TestDatabase) => void): void {
  needs('mysql', (url) => define(usable(() => openMysql(url))))
}

function usable(open: () => Promise<Opened>): TestDatabase {
  let opened: Opened | undefined
  const get = (): Opened => {
    if (!opened) throw new Error('The database is opened before the first test of the group, not earlier.')
    return opened
  }
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.close())
  return {
    get dialect() {
      return get().dialect
    },
    get url() {
      return get().url
    },
    get connection() {
      return get().connection
    },
    get other() {
      return get().other
    },
    async script(sql) {
      for (const statement of sql.split(/;\s*(?=$|insert|update|delete|create)/m))
        if (statement.trim() !== '') await get().connection.run(statement)
    },
    rows: (sql) => get().connection.rows(sql),
  }
}

async function openSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-schema-'))
  const databases = [1, 2].map(() => {
    const database = new Database(join(folder, 'test.db'))
    database.pragma('journal_mode = wal')
    database.pragma('synchronous = off')
    database.pragma('foreign_keys = on')
    return database
  })
  const [connection, other] = databases.map((database): SchemaConnection => {
    const call = <T>(work: () => T): Promise<T> =>
      new Promise<T>((resolve) => resolve(work())).catch(fail('SQLITE_BUSY'))
    return {
      rows: (sql, bindings = []) => call(() => database.prepare(sql).all(...bindings) as SchemaRow[]),
      run: (sql, bindings = []) =>
        call(() => {
          const statement = database.prepare(sql)
          if (statement.reader) statement.all(...bindings)
          else statement.run(...bindings)
        }),
    }
  }) as [SchemaConnection, SchemaConnection]
  return {
    dialect: sqliteSchema,
    url: join(folder, 'test.db'),
    connection,
    other,
    async close() {
      for (const database of databases) database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function openPostgresql(url: string): Promise<Opened> {
  const fresh = await freshDatabase(url)
  const clients = [1, 2].map(() => new pg.Client(fresh.url))
  await Promise.all(clients.map((client) => client.connect()))
  const [connection, other] = clients.map((client): SchemaConnection => ({
    rows: async (sql, bindings = []) => (await client.query(sql, [...bindings]).catch(fail())).rows as SchemaRow[],
    run: async (sql, bindings = []) => void (await client.query(sql, [...bindings]).catch(fail())),
  })) as [SchemaConnection, SchemaConnection]
  return {
    dialect: postgresqlSchema,
    url: fresh.url,
    connection,
    other,
    async close() {
      await Promise.all(clients.map((client) => client.end()))
      await fresh.drop()
    },
  }
}

async function openMysql(url: string): Promise<Opened> {
  const fresh = await freshDatabase(url)
  const clients = await Promise.all([1, 2].map(() => mysql.createConnection({ uri: fresh.url, dateStrings: true })))
  const [connection, other] = clients.map((client): SchemaConnection => ({
    rows: async (sql, bindings = []) => (await client.query(sql, [...bindings]).catch(fail()))[0] as SchemaRow[],
    run: async (sql, bindings = []) => void (await client.query(sql, [...bindings]).catch(fail())),
  })) as [SchemaConnection, SchemaConnection]
  return {
    dialect: mysqlSchema,
    url: fresh.url,
    connection,
    other,
    async close() {
      await Promise.all(clients.map((client) => client.end()))
      await fresh.drop()
    },
  }
}

async function openSqlServer(url: string): Promise<Opened> {
  const fresh = await freshDatabase(url)
  const clients = await Promise.all([1, 2].map(() => openMssql(fresh.url)))
  const [connection, other] = clients.map((client): SchemaConnection => ({
    rows: (sql, bindings = []) => client.rows(sql, bindings).catch(fail()),
    run: async (sql, bindings = []) => void (await client.rows(sql, bindings).catch(fail())),
  })) as [SchemaConnection, SchemaConnection]
  return {
    dialect: mssqlSchema,
    url: fresh.url,
    connection,
    other,
    async close() {
      await Promise.all(clients.map((client) => client.close()))
      await fresh.drop()
    },
  }
}

function fail(busy = ''): (error: unknown) => never {
  return (error) => {
    const { code, message } = error as { code?: string; message: string }
    throw new StoreError(code === busy ? 'busy' : 'internal', message, { cause: error })
  }
}
