import type { ObjectStore } from '@steward/rest-core'
import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { vi } from 'vitest'
import { MysqlConnection } from '../src/lib/mysql/store/connection.js'
import { PostgresqlConnection } from '../src/lib/postgresql/store/connection.js'
import type { BoundStatement } from '../src/lib/sql/statement.js'
import { SqliteConnection } from '../src/lib/sqlite/store/connection.js'
import { Readers } from '../src/lib/sqlite/store/readers.js'
import { createMysqlStore } from '../src/mysql.js'
import { createPostgresqlStore } from '../src/postgresql.js'
import { createSqliteStore } from '../src/sqlite.js'

/** A database whose plans can be looked at. */
export interface PlannedDatabase {
  readonly store: ObjectStore
  run(sql: string): Promise<void>
  /** How the database would find the rows: what it reads by which index, what it reads from one end to the other, what it sorts. */
  pathOf(sql: string, values?: readonly unknown[]): Promise<string[]>
  close(): Promise<void>
}

/** The statements that stores send while `work` runs. */
export async function statementsOf(work: () => Promise<unknown>): Promise<BoundStatement[]> {
  const calls: BoundStatement[] = []
  const spies = [
    vi.spyOn(PostgresqlConnection.prototype, 'query'),
    vi.spyOn(PostgresqlConnection.prototype, 'page'),
    vi.spyOn(MysqlConnection.prototype, 'query'),
    vi.spyOn(MysqlConnection.prototype, 'page'),
    vi.spyOn(SqliteConnection.prototype, 'page'),
    vi.spyOn(SqliteConnection.prototype, 'one'),
    vi.spyOn(Readers.prototype, 'page'),
    vi.spyOn(Readers.prototype, 'count'),
  ]
  try {
    await work()
    for (const { mock } of spies) for (const [call] of mock.calls) calls.push(call)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return calls
}

export function openSqlite(filename: string): PlannedDatabase {
  const database = new Database(filename)
  return {
    store: createSqliteStore({ filename }),
    run: async (sql) => void database.exec(sql),
    async pathOf(sql, values = []) {
      const steps = database.prepare(`explain query plan ${sql}`).all(values) as { detail: string }[]
      // Without the alias of the table.
      return steps.map(({ detail }) => detail.replace(/^(SEARCH|SCAN) \S+/, '$1')).toSorted()
    },
    close: async () => void database.close(),
  }
}

interface Node {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Node[]
}

export async function openPostgresql(url: string): Promise<PlannedDatabase> {
  const client = new pg.Client(url)
  await client.connect()
  return {
    store: createPostgresqlStore({ connection: url }),
    run: async (sql) => void (await client.query(sql)),
    async pathOf(sql, values = []) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (format json) ${sql}`, [
        ...values,
      ])
      const path = new Set<string>()
      const visit = (node: Node): void => {
        const { 'Index Name': index, 'Relation Name': table, 'Node Type': type, Plans: parts = [] } = node
        if (index !== undefined) path.add(`index ${index}`)
        else if (type.endsWith('Seq Scan')) path.add(`all of ${table}`)
        else if (type.endsWith('Sort')) path.add('sort')
        for (const part of parts) visit(part)
      }
      for (const row of rows) visit(row['QUERY PLAN'][0].Plan)
      return [...path].toSorted()
    },
    close: () => client.end(),
  }
}

export async function openMysql(url: string): Promise<PlannedDatabase> {
  const client = await mysql.createConnection({ uri: url, charset: 'UTF8MB4_BIN' })
  return {
    store: createMysqlStore({ connection: url }),
    run: async (sql) => void (await client.query(sql)),
    async pathOf(sql, values = []) {
      const [rows] = await client.execute(`explain ${sql}`, [...values] as string[])
      const steps = rows as { type: string | null; key: string | null; Extra: string | null }[]
      return steps
        .map(({ type, key, Extra }) => `${type} ${key}${Extra?.includes('filesort') ? ' sort' : ''}`)
        .toSorted()
    },
    close: () => client.end(),
  }
}
