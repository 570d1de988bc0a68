import type { DatabaseAccount, DatabaseServer } from '../../server/database-server.js'
import { createTools } from '../../server/find-tool.js'
import type { DatabaseServerLocation, DatabaseServerMark, DatabaseServerTools } from '../../server/options.js'
import { refuseCommands } from '../../server/refuse-commands.js'
import { clientProgram } from '../../server/run-tool.js'
import { createSqlServer } from '../../server/sql-server.js'
import { createSqlSessions, type RunSql } from '../../server/sql-sessions.js'
import { dumpWithTool, restoreWithTool } from '../../server/tool-dump.js'
import { createAccount, dropAccount, emptyDatabase, existsAccount, mysqlMarks } from './accounts.js'
import { connect } from './connect.js'
import { mysqlContents } from './contents.js'
import { editDump } from './edit-dump.js'
import { translateError } from './errors.js'
import { brokenViewsIn, routinesOf } from './objects-of-others.js'

const trailer = '-- Dump completed'

const dumpArguments = [
  '--single-transaction',
  '--quick',
  '--skip-lock-tables',
  '--no-tablespaces',
  '--hex-blob',
  '--tz-utc',
  '--triggers',
  '--events',
  '--skip-add-drop-table',
  '--skip-dump-date',
  '--max-allowed-packet=1G',
]

/** Neither a statement nor the server gets a file of this machine. The program that dumps has no such option, and no such files. */
const noLocalFiles = '--local-infile=0'

/**
 * MySQL and MariaDB. Each database has a user with rights on it alone. A dump is SQL that `mysql` restores without this
 * package.
 */
export function createMysqlServer(
  options: DatabaseServerLocation & DatabaseServerMark & DatabaseServerTools,
): DatabaseServer {
  const location: DatabaseServerLocation & DatabaseServerMark = { ...options }
  const tools = createTools({ mysqldump: ['mariadb-dump', 'mysqldump'], mysql: ['mariadb', 'mysql'] }, options)
  const sessions = createSqlSessions({ location, adminDatabase: undefined, connect, translate: translateError })
  return createSqlServer({
    type: 'mysql',
    location,
    sessions,
    tools,
    restorer: 'mysql',
    longestNames: { name: 64, user: 32 },
    translate: translateError,
    version,
    // Statements that make tables cannot be undone.
    accounts: {
      exists: existsAccount,
      create: createAccount,
      drop: dropAccount,
      empty: emptyDatabase,
      marks: mysqlMarks,
    },
    contents: mysqlContents,

    async dump(account, { signal, onProgress, silenceMs }) {
      const command = tools.need('mysqldump')
      const toolVersion = await tools.version('mysqldump', account)
      // MySQL's alone: its dumps would want the rights of an administrator, and its own kind of server.
      const own = /MariaDB/i.test(toolVersion) ? [] : ['--set-gtid-purged=OFF', '--column-statistics=0']
      const { name, user } = account
      const broken = await sessions.asUser(account, brokenViewsIn)
      // What belongs to others is read here, so that no program gets the password of who may make databases.
      const routines = await sessions.admin((run) => routinesOf(run, name, user))
      const objects = [
        ...(routines === undefined ? ['--routines'] : []),
        ...broken.map((view) => `--ignore-table=${name}.${view.name}`),
      ]
      const args = [...connectionArguments(account), ...dumpArguments, ...own, ...objects, name]
      const dump = dumpWithTool({
        call: { command, args, environment: environmentOf(account), launch: tools.launch(account), signal },
        trailer,
        edit: (source) => editDump(source, { database: name, routines }),
        tools: { mysqldump: toolVersion },
        translate: translateError,
        onProgress,
        silenceMs,
      })
      return {
        ...dump,
        warnings: broken.map(({ name: view, reason }) => `View "${view}" is not in the dump: ${reason}`),
      }
    },

    async restore(account, content, { signal, onProgress, silenceMs }) {
      const command = tools.need('mysql')
      // In binary mode nothing in a dump is taken for a command of the client, such as one that runs a program.
      const mode = ['--batch', '--binary-mode', noLocalFiles, '--max-allowed-packet=1G']
      const args = [...connectionArguments(account), ...mode, account.name]
      const call = { command, args, environment: environmentOf(account), launch: tools.launch(account), signal }
      await restoreWithTool({ call, content, trailer, edit: refuseCommands('mysql'), onProgress, silenceMs })
    },

    client: (account) =>
      clientProgram(
        tools.need('mysql'),
        [...connectionArguments(account), noLocalFiles, account.name],
        environmentOf(account),
        tools.launch(account),
      ),
  })

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

/** `MariaDB 10.11.14`, `MySQL 8.4.2` */
async function version(run: RunSql): Promise<string> {
  const [found] = await run('select version() as version')
  const text = String(found?.['version'])
  return `${/mariadb/i.test(text) ? 'MariaDB' : 'MySQL'} ${/\d+\.\d+\.\d+/.exec(text)?.[0] ?? text}`
}
