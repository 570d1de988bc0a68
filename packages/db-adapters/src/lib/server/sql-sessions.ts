import type { DatabaseAccount } from './database-server.js'
import type { DatabaseServerLocation } from './options.js'

/** Not specified; chosen as longer than a server needs that is there. */
export const connectTimeoutMs = 10_000

/** Runs one statement and gives its rows by column name. */
export type RunSql = (sql: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>

/** A connection of its own for each piece of work. */
export interface SqlSessions {
  /** As who may make databases. @throws DatabaseServerError */
  admin<T>(work: (run: RunSql) => Promise<T>): Promise<T>
  /** In a database, as who may make databases. @throws DatabaseServerError */
  adminIn<T>(database: string, work: (run: RunSql) => Promise<T>): Promise<T>
  /** In a database, as its user. @throws DatabaseServerError */
  asUser<T>(account: DatabaseAccount, work: (run: RunSql) => Promise<T>): Promise<T>
}

export interface SqlSessionsParts {
  readonly location: DatabaseServerLocation
  /** The database in which `admin` works; undefined: none. */
  readonly adminDatabase: string | undefined
  /** Opens a connection. */
  connect(location: DatabaseServerLocation, database: string | undefined): Promise<SqlSession>
  readonly translate: (error: unknown) => Error
  /** A statement that comes first in sessions of who may make databases. */
  readonly adminFirst?: string
}

export interface SqlSession {
  readonly run: RunSql
  /** Not waited for. */
  end(): Promise<unknown>
}

export function createSqlSessions(parts: SqlSessionsParts): SqlSessions {
  const { location, adminDatabase, connect, translate, adminFirst } = parts
  const asAdmin =
    <T>(work: (run: RunSql) => Promise<T>) =>
    async (run: RunSql) => {
      if (adminFirst !== undefined) await run(adminFirst)
      return work(run)
    }
  return {
    admin: (work) => connected(location, adminDatabase, asAdmin(work)),
    adminIn: (database, work) => connected(location, database, asAdmin(work)),
    asUser: ({ name, user, password }, work) => connected({ ...location, user, password }, name, work),
  }

  async function connected<T>(
    where: DatabaseServerLocation,
    database: string | undefined,
    work: (run: RunSql) => Promise<T>,
  ): Promise<T> {
    let session: SqlSession | undefined
    try {
      session = await connect(where, database)
      return await work(session.run)
    } catch (error) {
      throw translate(error)
    } finally {
      session?.end().catch(() => {})
    }
  }
}
