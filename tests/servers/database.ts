import { randomBytes } from 'node:crypto'
import { executeOracle, freshOracle } from './oracle.js'

/** An empty database on a shared server. */
export interface FreshDatabase {
  readonly url: string
  /** Removes it, even when connections to it are open. */
  drop(): Promise<void>
}

/**
 * Makes an empty database on the server of `url` (PostgreSQL, MySQL, MariaDB or SQL Server), so that test files which run at the
 * same time do not meet.
 */
export async function freshDatabase(url: string): Promise<FreshDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const fresh = new URL(url)
  if (fresh.protocol === 'oracle:') return freshOracle(url, name)
  fresh.pathname = `/${name}`
  if (fresh.protocol === 'mssql:') return freshMssql(url, name, fresh.href)
  const isPostgresql = fresh.protocol.startsWith('postgres')
  await execute(url, isPostgresql ? `create database ${name}` : `create database ${name} character set utf8mb4`)
  return {
    url: fresh.href,
    drop: () => execute(url, isPostgresql ? `drop database ${name} with (force)` : `drop database ${name}`),
  }
}

/** Created as the docs say: readers do not wait for writers. Not every server lets that be chosen. */
async function freshMssql(url: string, name: string, fresh: string): Promise<FreshDatabase> {
  await execute(url, `create database ${name}`)
  for (const option of ['allow_snapshot_isolation', 'read_committed_snapshot'])
    await execute(url, `alter database ${name} set ${option} on`).catch(() => {})
  return {
    url: fresh,
    async drop() {
      await execute(url, `alter database ${name} set single_user with rollback immediate`).catch(() => {})
      await execute(url, `drop database ${name}`)
    },
  }
}

/** Runs one statement in the database of `url`, as the user of `url`. */
export async function execute(url: string, sql: string): Promise<void> {
  if (url.startsWith('oracle')) await executeOracle(url, sql)
  else if (url.startsWith('postgres')) {
    const { default: pg } = await import('pg')
    const client = new pg.Client(url)
    await client.connect()
    await client.query(sql).finally(() => client.end())
  } else if (url.startsWith('mssql')) {
    const { openMssql } = await import('./mssql.js')
    const client = await openMssql(url)
    await client.rows(sql).finally(() => client.close())
  } else {
    const mysql = await import('mysql2/promise')
    const connection = await mysql.createConnection(url)
    await connection.query(sql).finally(() => connection.end())
  }
}
