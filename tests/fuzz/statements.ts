import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { TestServer } from '../servers/index.js'

/** What a database was asked, as it reports itself. */
export interface StatementLog {
  /** Texts of all statements since the last call, with placeholders for values. */
  take(): Promise<readonly string[]>
  close(): Promise<void>
}

/** Lets a server that belongs to this test log every statement. */
export async function logPostgresql({ url, dir }: TestServer): Promise<StatementLog> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`alter system set log_line_prefix = '%d|'`)
  await client.query(`alter system set log_statement = 'all'`)
  await client.query('alter system set log_parameter_max_length = 0')
  await client.query('select pg_reload_conf()')
  // Settings are taken over between two statements.
  for (let known = ''; known !== 'all';) known = (await client.query('show log_statement')).rows[0].log_statement
  await client.end()
  const database = new URL(url).pathname.slice(1)
  let seen = 0
  return {
    async take() {
      const log = await readFile(join(dir, 'server.log'), 'utf8')
      // Lines after the first one of an entry start with a tab.
      const entries = log.replaceAll('\n\t', '\n \t').split(/\n(?! \t)/)
      const statements = entries.flatMap((entry) => {
        if (!entry.startsWith(`${database}|`)) return []
        const [, text] = /^[^|]*\|LOG: {2}(?:statement|execute [^:]*): ([^]*)$/.exec(entry) ?? []
        return text === undefined ? [] : [text]
      })
      const fresh = statements.slice(seen)
      seen = statements.length
      return fresh
    },
    async close() {},
  }
}

/** The same for MariaDB, whose log is a table. */
export async function logMariadb({ url }: TestServer): Promise<StatementLog> {
  const connection = await mysql.createConnection(url)
  await connection.query(`set global log_output = 'TABLE', global general_log = 1`)
  return {
    async take() {
      await connection.query('set global general_log = 0')
      const [rows] = await connection.query<mysql.RowDataPacket[]>(
        `select command_type as kind, convert(argument using utf8mb4) as text from mysql.general_log
         where thread_id <> connection_id() and command_type not in ('Connect', 'Quit', 'Execute', 'Close stmt', 'Reset stmt')`,
      )
      await connection.query('truncate table mysql.general_log')
      await connection.query('set global general_log = 1')
      return rows.map(({ kind, text }) => (kind === 'Query' || kind === 'Prepare' ? String(text) : `${kind} ${text}`))
    },
    close: () => connection.end(),
  }
}

/** The same for SQLite, whose driver lives in this process: everything that is prepared on this thread. */
export function logSqlite(): StatementLog {
  const prototype = Database.prototype as unknown as Record<string, (sql: string, ...rest: unknown[]) => unknown>
  const statements: string[] = []
  const originals = Object.fromEntries(['prepare', 'exec', 'pragma'].map((name) => [name, prototype[name]] as const))
  for (const [name, original] of Object.entries(originals)) {
    prototype[name] = function (this: unknown, sql, ...rest) {
      statements.push(name === 'pragma' ? `pragma ${sql}` : sql)
      return original?.call(this, sql, ...rest)
    }
  }
  return {
    take: async () => statements.splice(0),
    async close() {
      Object.assign(prototype, originals)
    },
  }
}
