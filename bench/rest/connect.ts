import knex, { type Knex } from 'knex'
import pg from 'pg'
import type { Target } from './databases.ts'
import { keepTexts, mysqlTexts, sqlitePragmas } from './drivers.ts'

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
          },
        },
      })
    case 'postgresql':
      keepTexts(pg.types)
      return knex({ client: 'pg', connection: url })
    case 'mysql':
      return knex({ client: 'mysql2', connection: { uri: url, ...mysqlTexts } as Knex.MySql2ConnectionConfig })
  }
}
