import type { Readable } from 'node:stream'
import { checkAccount, checkPassword } from '../../server/check-account.js'
import { DatabaseServerError } from '../../server/database-server.js'
import type { DatabaseAccount, DatabaseServer, Dump, DumpOptions } from '../../server/database-server.js'
import { createTools } from '../../server/find-tool.js'
import type { DatabaseServerLocation, DatabaseServerTools } from '../../server/options.js'
import { copyThrough, dumpWithTool, restoreWithTool } from '../../server/tool-dump.js'
import { createAccount, dropAccount, emptyDatabase, existsAccount } from './accounts.js'
import { connected } from './connect.js'
import type { Query } from './connect.js'
import { editDump } from './edit-dump.js'
import { translateError } from './errors.js'
import { changedSince, extent, isEmpty, statistics } from './statistics.js'

const capabilities = Object.freeze({ users: true, onlineDump: true, server: true })
const trailer = '-- Dump completed'

const dumpArguments = [
  ...['--single-transaction', '--quick', '--skip-lock-tables', '--no-tablespaces', '--hex-blob', '--tz-utc'],
  ...['--routines', '--triggers', '--events', '--skip-add-drop-table', '--skip-dump-date', '--max-allowed-packet=1G'],
]

/**
 * MySQL and MariaDB. Each database has a user with rights on it alone. A dump is SQL that `mysql` restores without this
 * package.
 */
export function createMysqlServer(options: DatabaseServerLocation & DatabaseServerTools): DatabaseServer {
  const location: DatabaseServerLocation = { ...options }
  const tools = createTools({ mysqldump: ['mariadb-dump', 'mysqldump'], mysql: ['mariadb', 'mysql'] }, options)
  const admin = <T>(work: (query: Query) => Promise<T>) => connected(location, undefined, work)
  const asUser = <T>({ name, user, password }: DatabaseAccount, work: (query: Query) => Promise<T>) =>
    connected({ ...location, user, password }, name, work)

  return {
    type: 'mysql',
    capabilities,
    probe: () => admin(async (query) => ({ server: await versionOf(query), tools: tools.all() })),
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
    restore,
    async copy(from, to, copyOptions = {}) {
      tools.need('mysql')
      await copyThrough(await dump(from, copyOptions), (content) =>
        restore(to, content, { signal: copyOptions.signal }),
      )
    },
    url({ name, user, password }) {
      const host = location.host.includes(':') ? `[${location.host}]` : location.host
      return `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${location.port}/${name}`
    },
    async client(account) {
      check(account)
      return {
        command: tools.need('mysql'),
        args: [...connectionArguments(account), account.name],
        environment: environmentOf(account),
      }
    },
    extent: async (account) => asUser(account, extent),
    statistics: async (account) => asUser(account, statistics),
    changedSince: async (account, since) => asUser(account, (query) => changedSince(query, since)),
    close: async () => {},
  }

  async function dump(account: DatabaseAccount, { signal, onProgress }: DumpOptions = {}): Promise<Dump> {
    check(account)
    const command = tools.need('mysqldump')
    const version = await tools.version('mysqldump')
    // MySQL's alone: its dumps would want the rights of an administrator, and its own kind of server.
    const own = /MariaDB/i.test(version) ? [] : ['--set-gtid-purged=OFF', '--column-statistics=0']
    const args = [...connectionArguments(account), ...dumpArguments, ...own, account.name]
    return dumpWithTool({
      call: { command, args, environment: environmentOf(account), signal },
      trailer,
      edit: editDump,
      tools: { mysqldump: version },
      translate: translateError,
      onProgress,
    })
  }

  async function restore(account: DatabaseAccount, content: Readable, { signal, onProgress }: DumpOptions = {}) {
    check(account)
    const command = tools.need('mysql')
    if (!(await asUser(account, isEmpty)))
      throw new DatabaseServerError(
        'ERR_EXISTS',
        `Cannot restore into the database "${account.name}": it is not empty.`,
      )
    // In binary mode nothing in a dump is taken for a command of the client, such as one that runs a program.
    const args = [...connectionArguments(account), '--batch', '--binary-mode', '--max-allowed-packet=1G', account.name]
    try {
      await restoreWithTool({
        call: { command, args, environment: environmentOf(account), signal },
        content,
        trailer,
        onProgress,
      })
    } catch (error) {
      // Statements that make tables cannot be undone.
      await admin((query) => emptyDatabase(query, account.name)).catch(() => {})
      throw translateError(error)
    }
  }

  function connectionArguments({ user }: DatabaseAccount): string[] {
    return [
      '--no-defaults',
      '--protocol=tcp',
      `--host=${location.host}`,
      `--port=${location.port}`,
      `--user=${user}`,
      '--default-character-set=utf8mb4',
    ]
  }
}

function environmentOf({ password }: DatabaseAccount): Record<string, string> {
  return { MYSQL_PWD: password }
}

/** Names of databases may have 64 characters, those of MySQL's users 32. */
function check(account: DatabaseAccount): void {
  checkAccount(account, { name: 64, user: 32 })
}

/** `MariaDB 10.11.14`, `MySQL 8.4.2` */
async function versionOf(query: Query): Promise<string> {
  const [found] = await query('select version() as version')
  const version = String(found?.['version'])
  return `${/mariadb/i.test(version) ? 'MariaDB' : 'MySQL'} ${/\d+\.\d+\.\d+/.exec(version)?.[0] ?? version}`
}
