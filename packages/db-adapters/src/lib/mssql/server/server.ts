import { DatabaseServerError } from '../../server/database-server.js'
import type { DatabaseServer } from '../../server/database-server.js'
import { createTools } from '../../server/find-tool.js'
import type { DatabaseServerMark, DatabaseServerTools, MssqlServerLocation } from '../../server/options.js'
import { clientProgram } from '../../server/run-tool.js'
import { createSqlServer } from '../../server/sql-server.js'
import { createSqlSessions, type RunSql } from '../../server/sql-sessions.js'
import { dumpTables } from '../../server/table-dump/dump-tables.js'
import { loadTables } from '../../server/table-dump/load-tables.js'
import { createAccounts } from './accounts.js'
import { connect } from './connect.js'
import { mssqlContents } from './contents.js'
import { describeMssql } from './describe.js'
import { translateError } from './errors.js'

const type = 'mssql'

/**
 * SQL Server and Azure SQL. Each database has a login that may use it, and nothing beside it. A dump is one of tables,
 * which needs no program: those of the vendor write files on the server, or are not of one moment.
 */
export function createMssqlServer(
  options: MssqlServerLocation & DatabaseServerMark & DatabaseServerTools,
): DatabaseServer {
  const location: MssqlServerLocation & DatabaseServerMark = { ...options }
  const tools = createTools({ sqlcmd: ['sqlcmd'] }, { ...options, usual: ['/opt/mssql-tools*/bin'] })
  const open = (where: Pick<MssqlServerLocation, 'user' | 'password'>, database: string | undefined) =>
    connect({ ...location, user: where.user, password: where.password }, database)
  const sessions = createSqlSessions({ location, adminDatabase: 'master', connect: open, translate: translateError })
  const parameters = { yes: '', trust: '?trustServerCertificate=true', no: '?encrypt=false' }[
    location.encryption ?? 'yes'
  ]
  return createSqlServer({
    type,
    location,
    parameters,
    sessions,
    tools,
    longestNames: { name: 123, user: 123 },
    translate: translateError,
    version,
    accounts: createAccounts((database, work) => sessions.adminIn(database, work)),
    contents: mssqlContents,

    async dump(account, given) {
      const session = await open(account, account.name).catch(translated)
      return dumpTables({ ...given, type, session, describe: describeMssql, translate: translateError })
    },

    async restore(account, content, given) {
      await loadTables({ ...given, type, content, session: await open(account, account.name) })
    },

    client: (account) =>
      clientProgram(
        tools.need('sqlcmd'),
        [
          '-S',
          `tcp:${location.host},${location.port}`,
          '-U',
          account.user,
          '-d',
          account.name,
          ...encryptionArguments(),
        ],
        { SQLCMDPASSWORD: account.password },
        tools.launch(account),
      ),
  })

  function encryptionArguments(): string[] {
    return { yes: ['-N'], trust: ['-N', '-C'], no: [] }[location.encryption ?? 'yes']
  }
}

function translated(error: unknown): never {
  throw translateError(error)
}

/** `SQL Server 16.0.4165`. @throws DatabaseServerError ERR_CREDENTIALS when the login may not make databases and logins */
async function version(run: RunSql): Promise<string> {
  const [found] = await run(
    `select cast(serverproperty('ProductVersion') as nvarchar(128)) as version, suser_sname() as login,
       is_srvrolemember('sysadmin') as may_all,
       has_perms_by_name(null, null, 'CREATE ANY DATABASE') as may_create,
       has_perms_by_name(null, null, 'ALTER ANY LOGIN') as may_let_in`,
  )
  // Null: the server does not say.
  if (found?.['may_all'] !== 1 && (found?.['may_create'] === 0 || found?.['may_let_in'] === 0))
    throw new DatabaseServerError(
      'ERR_CREDENTIALS',
      `The login "${String(found['login'])}" may not make databases and logins; it needs CREATE ANY DATABASE and ALTER ANY LOGIN.`,
    )
  return `SQL Server ${String(found?.['version'])}`
}
