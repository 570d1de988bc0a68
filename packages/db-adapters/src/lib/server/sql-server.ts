import type { Readable } from 'node:stream'
import { checkAccount, checkPassword, type LongestNames } from './check-account.js'
import { DatabaseServerError } from './database-server.js'
import type { ClientProgram, DatabaseAccount, DatabaseServer, Dump, DumpOptions } from './database-server.js'
import type { Tools } from './find-tool.js'
import { createMarking, type AccountMarks } from './marking.js'
import type { DatabaseServerLocation, DatabaseServerMark } from './options.js'
import { changedSince, extent, statistics, type SqlContents } from './sql-contents.js'
import type { RunSql, SqlSessions } from './sql-sessions.js'
import { copyThrough } from './tool-dump.js'

/** What one database server has of its own: its SQL and its programs. Accounts that get here are checked. */
export interface SqlServerParts extends Pick<DatabaseServer, 'type' | 'dumpDirectly'> {
  readonly location: DatabaseServerLocation & DatabaseServerMark
  readonly sessions: SqlSessions
  readonly tools: Tools
  /** What URLs say in the place of the database's name. */
  readonly database?: string
  /** Query of the URLs of databases, with its `?`. */
  readonly parameters?: string
  /** The tool that restores, by its name in `tools`. Absent: none does. */
  readonly restorer?: string
  readonly longestNames: LongestNames
  readonly translate: (error: unknown) => Error
  /** Name and version, e.g. `MariaDB 10.11.14`. @throws DatabaseServerError when it cannot be used */
  readonly version: (run: RunSql) => Promise<string>
  readonly accounts: {
    exists(run: RunSql, account: DatabaseAccount): Promise<'no' | 'partial' | 'yes'>
    create(run: RunSql, account: DatabaseAccount): Promise<void>
    drop(run: RunSql, account: DatabaseAccount): Promise<void>
    /** Removes what a failed restore leaves in a database. Absent: it leaves nothing. */
    readonly empty?: (run: RunSql, account: DatabaseAccount) => Promise<void>
    /** Absent: the server has nothing that can carry a mark. */
    readonly marks?: AccountMarks
  }
  readonly contents: SqlContents
  dump(account: DatabaseAccount, options: DumpOptions): Promise<Dump>
  /** Into a database that is empty. Errors may come as they are. */
  restore(account: DatabaseAccount, content: Readable, options: DumpOptions): Promise<void>
  client(account: DatabaseAccount): ClientProgram
}

/** A server with users and databases that are made by SQL, and programs of its vendor that dump and restore them. */
export function createSqlServer(parts: SqlServerParts): DatabaseServer {
  const { type, location, tools, accounts, contents, dumpDirectly } = parts
  const { admin, asUser } = parts.sessions
  const marking = createMarking(location, accounts.marks)
  const check = (account: DatabaseAccount) => checkAccount(account, parts.longestNames)

  return {
    type,
    capabilities: Object.freeze({
      users: true,
      onlineDump: true,
      toolDumps: parts.restorer !== undefined,
      server: true,
    }),
    probe: () => admin(async (run) => ({ server: await parts.version(run), tools: tools.all() })),
    async exists(account) {
      check(account)
      return admin((run) => accounts.exists(run, account))
    },
    async isEmpty(account) {
      check(account)
      return asUser(account, contents.isEmpty)
    },
    async create(account) {
      check(account)
      checkPassword(account)
      await admin(async (run) => {
        await marking.refuseOther(run, account)
        await accounts.create(run, account)
        await marking.mark(run, account)
      })
    },
    async drop(account) {
      check(account)
      await admin(async (run) => {
        await marking.refuseOther(run, account)
        await accounts.drop(run, account)
      })
    },
    async marks(account) {
      check(account)
      return admin((run) => marking.marks(run, account))
    },
    async mark(account) {
      check(account)
      await admin((run) => marking.mark(run, account))
    },
    dump,
    ...(dumpDirectly && {
      async dumpDirectly(account: DatabaseAccount) {
        check(account)
        return dumpDirectly(account)
      },
    }),
    restore,
    async copy(from, to, options = {}) {
      needRestorer()
      const { signal, warn } = options
      await copyThrough(await dump(from, options), (content) => restore(to, content, { signal }), warn)
    },
    url({ name, user, password }) {
      const host = location.host.includes(':') ? `[${location.host}]` : location.host
      return `${type}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${location.port}/${parts.database ?? name}${parts.parameters ?? ''}`
    },
    async client(account) {
      check(account)
      return parts.client(account)
    },
    extent: async (account) => asUser(account, (run) => extent(run, contents)),
    statistics: async (account) => asUser(account, (run) => statistics(run, contents)),
    changedSince: async (account, since) => asUser(account, (run) => changedSince(run, since, contents)),
    close: async () => {},
  }

  /** @throws DatabaseServerError ERR_NO_TOOL */
  function needRestorer(): void {
    if (parts.restorer !== undefined) tools.need(parts.restorer)
  }

  async function dump(account: DatabaseAccount, options: DumpOptions = {}): Promise<Dump> {
    check(account)
    return parts.dump(account, options)
  }

  async function restore(account: DatabaseAccount, content: Readable, options: DumpOptions = {}): Promise<void> {
    check(account)
    needRestorer()
    if (location.mark !== undefined) await admin((run) => marking.refuseOther(run, account))
    if (!(await asUser(account, contents.isEmpty)))
      throw new DatabaseServerError(
        'ERR_EXISTS',
        `Cannot restore into the database "${account.name}": it is not empty.`,
      )
    try {
      await parts.restore(account, content, options)
    } catch (error) {
      const { empty } = accounts
      if (empty) await admin((run) => emptied(run, account, empty)).catch(() => {})
      throw parts.translate(error)
    }
  }

  async function emptied(run: RunSql, account: DatabaseAccount, empty: typeof accounts.create): Promise<void> {
    await empty(run, account)
    await marking.mark(run, account)
  }
}
