import { checkAccount, checkPassword } from '../../server/check-account.js'
import type { DatabaseServerLocation, DatabaseServerTools } from '../../server/options.js'
import { DatabaseServerError } from '../../server/database-server.js'
import type {
  DatabaseAccount,
  DatabaseServer,
  DatabaseServerInfo,
  DirectDump,
  Dump,
  DumpOptions,
} from '../../server/database-server.js'
import { createTools } from '../../server/find-tool.js'
import { canTie, runInto } from '../../server/run-into.js'
import { copyThrough, dumpWithTool, restoreWithTool } from '../../server/tool-dump.js'
import type { Readable } from 'node:stream'
import { createAccount, dropAccount, existsAccount } from './accounts.js'
import { connected, connectTimeoutMs } from './connect.js'
import type { Query } from './connect.js'
import { translateError } from './errors.js'
import { changedSince, extent, isEmpty, statistics } from './statistics.js'

const capabilities = Object.freeze({ users: true, onlineDump: true, server: true })
const trailer = '-- PostgreSQL database dump complete'
/** How long a dump waits for somebody who changes a table's columns. Not specified; chosen as a minute. */
const lockWaitMs = 60_000

/**
 * PostgreSQL 13 or later. Each database belongs to a user who may do nothing beside it, and nobody else may connect to
 * it. A dump is plain SQL, so that `psql` restores it without this package.
 */
export function createPostgresqlServer(options: DatabaseServerLocation & DatabaseServerTools): DatabaseServer {
  const location: DatabaseServerLocation = { ...options }
  const names = { pg_dump: ['pg_dump'], psql: ['psql'] }
  const tools = createTools(names, { ...options, usual: ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin'] })
  const admin = <T>(work: (query: Query) => Promise<T>) => connected(location, 'postgres', work)
  const asUser = <T>({ name, user, password }: DatabaseAccount, work: (query: Query) => Promise<T>) =>
    connected({ ...location, user, password }, name, work)

  return {
    type: 'postgresql',
    capabilities,
    probe: () => admin(async (query) => ({ server: await probe(query), tools: tools.all() })),
    async exists(account) {
      check(account)
      return admin((query) => existsAccount(query, account))
    },
    async isEmpty(account) {
      check(account)
      return asUser(account, isEmpty)
    },
    async create(account) {
      check(account)
      checkPassword(account)
      await admin((query) => createAccount(query, account))
    },
    async drop(account) {
      check(account)
      await admin((query) => dropAccount(query, account))
    },
    dump,
    dumpDirectly,
    restore,
    async copy(from, to, copyOptions = {}) {
      tools.need('psql')
      await copyThrough(await dump(from, copyOptions), (content) =>
        restore(to, content, { signal: copyOptions.signal }),
      )
    },
    url({ name, user, password }) {
      const host = location.host.includes(':') ? `[${location.host}]` : location.host
      return `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${location.port}/${name}`
    },
    async client(account) {
      check(account)
      return { command: tools.need('psql'), args: [], environment: environmentOf(account) }
    },
    extent: async (account) => asUser(account, extent),
    statistics: async (account) => asUser(account, statistics),
    changedSince: async (account, since) => asUser(account, (query) => changedSince(query, since)),
    close: async () => {},
  }

  async function dump(account: DatabaseAccount, { signal, onProgress }: DumpOptions = {}): Promise<Dump> {
    const { call, version } = await dumpCall(account)
    return dumpWithTool({
      call: { ...call, signal },
      trailer,
      tools: { pg_dump: version },
      translate: translateError,
      onProgress,
    })
  }

  async function dumpDirectly(account: DatabaseAccount): Promise<DirectDump | undefined> {
    const { call, version } = await dumpCall(account)
    if (!(await canTie())) return undefined
    return {
      tools: { pg_dump: version },
      trailer,
      into: (output, { signal, onBegun } = {}) =>
        // Source: https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-SNAPSHOT-SYNCHRONIZATION
        asUser(account, async (query) => {
          await query('begin isolation level repeatable read, read only')
          const [found] = await query('select pg_export_snapshot() as snapshot')
          onBegun?.()
          await runInto({ ...call, args: [...call.args, `--snapshot=${String(found?.['snapshot'])}`], signal }, output)
        }),
    }
  }

  async function dumpCall(account: DatabaseAccount) {
    check(account)
    const command = tools.need('pg_dump')
    const version = await tools.version('pg_dump')
    await asUser(account, (query) => requireFitting(version, query))
    const args = [
      ...['--format=plain', '--no-owner', '--no-privileges', '--encoding=UTF8', '--no-password'],
      `--lock-wait-timeout=${lockWaitMs}`,
    ]
    return { call: { command, args, environment: environmentOf(account) }, version }
  }

  async function restore(account: DatabaseAccount, content: Readable, { signal, onProgress }: DumpOptions = {}) {
    check(account)
    const command = tools.need('psql')
    if (!(await asUser(account, isEmpty)))
      throw new DatabaseServerError(
        'ERR_EXISTS',
        `Cannot restore into the database "${account.name}": it is not empty.`,
      )
    const args = ['--no-psqlrc', '--quiet', '--no-password', '--set=ON_ERROR_STOP=1', '--output=/dev/null']
    try {
      await restoreWithTool({
        call: { command, args, environment: environmentOf(account), signal },
        content,
        trailer,
        // Not --single-transaction: psql would commit whatever came before its input ended early.
        before: 'begin;\n',
        after: '\ncommit;\n',
        onProgress,
      })
    } catch (error) {
      throw translateError(error)
    }
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

function check(account: DatabaseAccount): void {
  checkAccount(account, { name: 63, user: 63 })
}

/** @throws DatabaseServerError ERR_CREDENTIALS when the user may not make databases, ERR_FAILED for an old server */
async function probe(query: Query): Promise<DatabaseServerInfo['server']> {
  const [found] = await query(
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

/** An older program does not know what a newer server has. @throws DatabaseServerError ERR_NO_TOOL */
async function requireFitting(tool: string, query: Query): Promise<void> {
  const [found] = await query(`select current_setting('server_version_num')::int / 10000 as version`)
  const server = Number(found?.['version'])
  const known = Number(/\d+/.exec(tool)?.[0])
  if (known >= server) return
  throw new DatabaseServerError(
    'ERR_NO_TOOL',
    `The server is PostgreSQL ${server}, but pg_dump is of version ${known}; install the one of the server.`,
  )
}
