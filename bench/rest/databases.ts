import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { openKnex } from './connect.ts'
import { fillTables } from './data.ts'
import { loadCore, pin, requireProgram } from './machine.ts'
import { prepareTables } from './steward-app.ts'
import { findMariadb, findPostgresql, makeFolder, startMariadb, startPostgresql } from './test-servers.ts'

export const databaseKinds = ['sqlite', 'postgresql', 'mysql'] as const

export type DatabaseKind = (typeof databaseKinds)[number]

/** Where a server under test finds its tables: an URL, for SQLite the path of the file. */
export interface Target {
  readonly kind: DatabaseKind
  readonly url: string
  /** Items are found by words. Default false: what is compared with others has no index that they do not have. */
  readonly indexed?: boolean
}

/** A private database with the data. */
export interface BenchDatabase {
  readonly target: Target
  /** Product and version. */
  readonly title: string
  /** The database process; none for SQLite. */
  readonly pid: number | undefined
  /** The bench's own access to it. */
  readonly db: Knex
  /** Puts the tables back in order after a sample that wrote: added rows go, and what the database would tidy later is done now. */
  tidy(): Promise<void>
  close(): Promise<void>
}

interface Running {
  readonly url: string
  readonly pid?: number | undefined
  close(): Promise<void>
}

interface Product {
  start(): Promise<Running>
  readonly version: string
  title(version: string): string
  /** Run once when the tables are filled. */
  readonly settle: readonly string[]
  readonly tidy: readonly string[]
}

const products: Readonly<Record<DatabaseKind, Product>> = {
  sqlite: {
    start: makeFile,
    version: 'select sqlite_version() as version',
    title: (version) => `SQLite ${version}`,
    settle: ['analyze'],
    tidy: ['pragma wal_checkpoint(truncate)'],
  },
  postgresql: {
    async start() {
      await requireProgram(findPostgresql, 'postgresql')
      return startPostgresql()
    },
    version: 'show server_version',
    title: (version) => `PostgreSQL ${version.split(' ')[0]}`,
    settle: ['alter table item set (autovacuum_enabled = false)', 'vacuum analyze'],
    // Rows in the order of their ids and no dead ones, so that every sample meets the same table.
    tidy: ['cluster item using item_pkey', 'vacuum analyze item', 'checkpoint'],
  },
  mysql: {
    async start() {
      await requireProgram(findMariadb, 'mariadb-server')
      return startMariadb()
    },
    version: 'select version() as version',
    title: (version) => (version.includes('MariaDB') ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`),
    settle: ['analyze table category, item'],
    tidy: [],
  },
}

/** Starts a database with filled tables, on the core that the server under test does not have. */
export async function startDatabase(kind: DatabaseKind, items: number): Promise<BenchDatabase> {
  const product = products[kind]
  const running = await product.start()
  const target = { kind, url: running.url }
  const db = openKnex(target)
  const close = async () => {
    await db.destroy()
    await running.close()
  }
  try {
    await prepareTables(target)
    await fillTables(db, items)
    await execute(db, product.settle)
    const title = product.title(await readVersion(db, product.version))
    if (running.pid !== undefined) pin(running.pid, loadCore)
    const tidy = async () => {
      await db('item').where('row_id', '>', items).delete()
      await execute(db, product.tidy)
    }
    return { target, title, pid: running.pid, db, tidy, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function execute(db: Knex, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await db.raw(statement)
}

async function readVersion(db: Knex, statement: string): Promise<string> {
  const result = await db.raw(statement)
  const rows = (result.rows ?? result) as Record<string, string>[] | [Record<string, string>[]]
  const row = (Array.isArray(rows[0]) ? rows[0][0] : rows[0]) ?? {}
  return Object.values(row)[0] ?? ''
}

async function makeFile(): Promise<Running> {
  const folder = await makeFolder('sqlite')
  return { url: join(folder, 'bench.db'), close: () => rm(folder, { recursive: true }) }
}
