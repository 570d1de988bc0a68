import knex, { type Knex } from 'knex'
import pg from 'pg'
import type { Target } from './databases.ts'

/** PostgreSQL: dates and times stay the text that is answered, decimals become numbers. */
export function keepTexts(types: typeof pg.types): void {
  const { builtins } = types
  for (const type of [builtins.DATE, builtins.TIMESTAMP]) types.setTypeParser(type, text => text)
  types.setTypeParser(builtins.NUMERIC, Number)
}

/** MySQL: the same. */
export const mysqlTexts = { dateStrings: true, decimalNumbers: true } as const

/** What every SQLite connection is set to. WAL is written in the file itself. */
export const sqlitePragmas = ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON'] as const

/** knex on the database under test, set up as a user would who wants the wire's forms of values. */
export function openKnex({ kind, url }: Target): Knex {
  switch (kind) {
    case 'sqlite':
      return knex({
        client: 'better-sqlite3',
        connection: { filename: url },
        useNullAsDefault: true,
        pool: {
          afterCreate(connection: { pragma(text: string): void }, done: () => void) {
            for (const pragma of sqlitePragmas) connection.pragma(pragma)
            done()
          }
        }
      })
    case 'postgresql':
      keepTexts(pg.types)
      return knex({ client: 'pg', connection: url })
    case 'mysql':
      return knex({ client: 'mysql2', connection: { uri: url, ...mysqlTexts } as Knex.MySql2ConnectionConfig })
  }
}
