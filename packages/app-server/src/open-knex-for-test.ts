import type { Database } from 'better-sqlite3'
import makeKnex, { type Knex } from 'knex'

/** An instance of knex as an application would make it. */
export function openKnex(url: string): Knex {
  const log = { warn() {}, error() {}, deprecate() {}, debug() {} }
  const [, scheme = '', file = ''] = /^(\w+):(.*)$/.exec(url) ?? []
  if (scheme === 'sqlite')
    return makeKnex({
      client: 'better-sqlite3',
      connection: { filename: file },
      useNullAsDefault: true,
      log,
      // Its waiting stops the process, and so the one that it waits for.
      pool: {
        afterCreate: (connection: Database, done: () => void) => {
          connection.pragma('busy_timeout = 0')
          done()
        },
      },
    })
  return makeKnex({ client: scheme.startsWith('postgres') ? 'pg' : 'mysql2', connection: url, log })
}
