import { randomBytes } from 'node:crypto'
import { DatabaseServerError } from '../../server/database-server.js'
import type { DatabaseAccount, DatabaseServer } from '../../server/database-server.js'
import { createTools } from '../../server/find-tool.js'
import type { DatabaseServerLocation, DatabaseServerMark, DatabaseServerTools } from '../../server/options.js'
import { clientProgram } from '../../server/run-tool.js'
import { canTie, runInto } from '../../server/run-into.js'
import { refuseCommands } from '../../server/refuse-commands.js'
import { createSqlServer } from '../../server/sql-server.js'
import { connectTimeoutMs, createSqlSessions, type RunSql } from '../../server/sql-sessions.js'
import { dumpWithTool, restoreWithTool } from '../../server/tool-dump.js'
import { createAccount, dropAccount, existsAccount, postgresqlMarks } from './accounts.js'
import { connect } from './connect.js'
import { postgresqlContents } from './contents.js'
import { translateError } from './errors.js'

const trailer = '-- PostgreSQL database dump complete'

/** How long a dump waits for a session that changes a table's columns. Not specified; chosen as a minute. */
const lockWaitMs = 60_000

const dumpArguments = [
  '--format=plain',
  '--no-owner',
  '--no-privileges',
  '--encoding=UTF8',
  '--no-password',
  `--lock-wait-timeout=${lockWaitMs}`,
]

/**
 * PostgreSQL 13 or later. Each database belongs to a user who may do nothing beside it, and no other user may connect to
 * it. A dump is plain SQL, so that `psql` restores it without this package.
 */
export function createPostgresqlServer(
  options: DatabaseServerLocation & DatabaseServerMark & DatabaseServerTools,
): DatabaseServer {
  const location: DatabaseServerLocation & DatabaseServerMark = { ...options }
  const names = { pg_dump: ['pg_dump'], psql: ['psql'] }
  const tools = createTools(names, { ...options, usual: ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin'] })
  const sessions = createSqlSessions({
    location,
    adminDatabase: 'postgres',
    connect,
    translate: translateError,
    // In PostgreSQL 14, and after an upgrade from there, every user can make functions in `public`, which are preferred
    // where their arguments fit better.
    adminFirst: 'set search_path = pg_catalog, pg_temp',
  })
  const drop = (run: RunSql, account: DatabaseAccount) => dropAccount(run, account, sessions.adminIn)
  return createSqlServer({
    type: 'postgresql',
    location,
    sessions,
    tools,
    restorer: 'psql',
    longestNames: { name: 63, user: 63 },
    translate: translateError,
    version,
    accounts: { exists: existsAccount, create: createAccount, drop, marks: postgresqlMarks },
    contents: postgresqlContents,

    async dump(account, { signal, onProgress, silenceMs }) {
      const { call, tool } = await dumpCall(account)
      return dumpWithTool({
        call: { ...call, signal },
        trailer,
        tools: { pg_dump: tool },
        translate: translateError,
        onProgress,
        silenceMs,
      })
    },

    async dumpDirectly(account) {
      const { call, tool } = await dumpCall(account)
      if (!(await canTie())) return undefined
      return {
        tools: { pg_dump: tool },
        trailer,
        into: (output, { signal, silenceMs, onBegun } = {}) =>
          // Source: https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-SNAPSHOT-SYNCHRONIZATION
          sessions.asUser(account, async (run) => {
            await run('begin isolation level repeatable read, read only')
            const [found] = await run('select pg_export_snapshot() as snapshot')
            onBegun?.()
            await runInto(
              { ...call, args: [...call.args, `--snapshot=${String(found?.['snapshot'])}`], signal },
              output,
              { silenceMs },
            )
          }),
      }
    },

    async restore(account, content, { signal, onProgress, silenceMs }) {
      const mayRestrict = knowsRestrict(await tools.version('psql', account))
      const restriction = mayRestrict ? `\\restrict ${randomBytes(32).toString('hex')}\n` : ''
      await restoreWithTool({
        call: {
          command: tools.need('psql'),
          args: ['--no-psqlrc', '--quiet', '--no-password', '--set=ON_ERROR_STOP=1', '--output=/dev/null'],
          environment: environmentOf(account),
          launch: tools.launch(account),
          signal,
        },
        content,
        trailer,
        edit: refuseCommands('postgresql'),
        // Not --single-transaction: psql would commit whatever came before its input ended early.
        before: `${restriction}start transaction;\n`,
        after: '\ncommit;\n',
        onProgress,
        silenceMs,
      })
    },

    client: (account) => clientProgram(tools.need('psql'), [], environmentOf(account), tools.launch(account)),
  })

  async function dumpCall(account: DatabaseAccount) {
    const command = tools.need('pg_dump')
    const tool = await tools.version('pg_dump', account)
    await sessions.asUser(account, (run) => requireFitting(tool, run))
    const launch = tools.launch(account)
    return { call: { command, args: dumpArguments, environment: environmentOf(account), launch }, tool }
  }

  function environmentOf({ name, user, password }: DatabaseAccount): Record<string, string> {
    return {
      PGHOST: location.host,
      PGPORT: String(location.port),
      PGDATABASE: name,
      PGUSER: user,
      PGPASSWORD: password,
      PGCONNECT_TIMEOUT: String(connectTimeoutMs / 1000),
      PGAPPNAME: 'steward',
    }
  }
}

/** @throws DatabaseServerError ERR_CREDENTIALS when the user may not make databases, ERR_FAILED for an old server */
async function version(run: RunSql): Promise<string> {
  const [found] = await run(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
       current_user as user, rolsuper or (rolcreatedb and rolcreaterole) as may_create
     from pg_roles where rolname = current_user`,
  )
  const server = `PostgreSQL ${String(found?.['version']).split(' ')[0]}`
  if (Number(found?.['number']) < 130_000)
    throw new DatabaseServerError('ERR_FAILED', `The server is ${server}; version 13 or later is needed.`)
  if (!found?.['may_create'])
    throw new DatabaseServerError(
      'ERR_CREDENTIALS',
      `The user "${String(found?.['user'])}" may not make databases and users; it needs CREATEDB and CREATEROLE.`,
    )
  return server
}

/** First minor versions, by major version, of psql that takes no commands after `\restrict`. Source: CVE-2025-8714 */
const firstRestricting: Readonly<Record<number, number>> = { 13: 22, 14: 19, 15: 14, 16: 10, 17: 6 }

function knowsRestrict(tool: string): boolean {
  const [, major, minor] = /(\d+)(?:\.(\d+))?/.exec(tool) ?? []
  return Number(major) >= 18 || Number(minor) >= (firstRestricting[Number(major)] ?? Infinity)
}

/** An older program does not know what a newer server has. @throws DatabaseServerError ERR_NO_TOOL */
async function requireFitting(tool: string, run: RunSql): Promise<void> {
  const [found] = await run(`select current_setting('server_version_num')::int / 10000 as version`)
  const server = Number(found?.['version'])
  const known = Number(/\d+/.exec(tool)?.[0])
  if (known >= server) return
  throw new DatabaseServerError(
    'ERR_NO_TOOL',
    `The server is PostgreSQL ${server}, but pg_dump is of version ${known}; install the one of the server.`,
  )
}
