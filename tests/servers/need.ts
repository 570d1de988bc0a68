import { describe, it } from 'vitest'
import { startMariadb } from './mariadb.js'
import { skipWhatIsLacking } from './mssql-lacks.js'
import { startPostgresql } from './postgresql.js'
import { findMariadb, findPostgresql } from './programs.js'
import type { ServerOptions, TestServer } from './server.js'
import { reasonVariable, urlVariable, type ServerName } from './variables.js'

/**
 * Defines tests that need a shared server, in a group called like the server. Without it they are skipped and the
 * reason is shown; in CI a missing PostgreSQL or MySQL is a failure.
 *
 * Files run at the same time: work in a database of your own, see `freshDatabase(url)`.
 */
export function needs(server: ServerName, define: (url: string) => void): void {
  const url = process.env[urlVariable[server]]
  if (url)
    describe(server, () => {
      if (server === 'mssql') skipWhatIsLacking(url)
      define(url)
    })
  else absent(server, process.env[reasonVariable(server)] ?? `${urlVariable[server]} is not set.`)
}

/**
 * Defines tests that need a server of their own, one which they may stop and start again. Close what `start` returns
 * in `afterAll`. `mysql` is MariaDB.
 */
export function needsOwn(
  server: 'postgresql' | 'mysql',
  define: (start: (options?: ServerOptions) => Promise<TestServer>) => void,
): void {
  const [find, start] = server === 'mysql' ? [findMariadb, startMariadb] : [findPostgresql, startPostgresql]
  if (find()) describe(server, () => define(start))
  else absent(server, process.env[reasonVariable(server)] ?? `${server} is not installed on this machine.`)
}

/** In CI the set-up provides PostgreSQL and MariaDB, unless it was given the URL of a server to use instead. */
function absent(server: ServerName, reason: string): void {
  const required =
    process.env.CI && (server === 'postgresql' || server === 'mysql') && !process.env[urlVariable[server]]
  it(server, ({ skip }) => {
    if (required) throw new Error(`A server is missing in CI: ${reason}`)
    skip(reason)
  })
}
