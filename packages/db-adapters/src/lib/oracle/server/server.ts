import { DatabaseServerError } from '../../server/database-server.js'
import type { ClientProgram, DatabaseAccount, DatabaseServer, Launch } from '../../server/database-server.js'
import { createTools } from '../../server/find-tool.js'
import type { DatabaseServerMark, DatabaseServerTools, OracleServerLocation } from '../../server/options.js'
import { clientProgram } from '../../server/run-tool.js'
import { createSqlServer } from '../../server/sql-server.js'
import { createSqlSessions, type RunSql } from '../../server/sql-sessions.js'
import { dumpTables } from '../../server/table-dump/dump-tables.js'
import { loadTables } from '../../server/table-dump/load-tables.js'
import { createAccount, dropAccount, emptyAccount, existsAccount } from './accounts.js'
import { addressOf, connect } from './connect.js'
import { oracleContents } from './contents.js'
import { describeOracle } from './describe.js'
import { loadOracle } from './driver.js'
import { translateError } from './errors.js'

const type = 'oracle'

/**
 * Oracle 19c or later, one database of which (a pluggable one, as a rule) holds a schema for each application. A dump is
 * one of tables, which needs no program: those of the vendor write files on the server.
 *
 * @param load The driver; tests give one of their own.
 */
export function createOracleServer(
  options: OracleServerLocation & DatabaseServerMark & DatabaseServerTools,
  load: typeof loadOracle = loadOracle,
): DatabaseServer {
  const location: OracleServerLocation & DatabaseServerMark = { ...options }
  const { environment = {} } = location
  const home = environment['ORACLE_HOME']
  const tools = createTools(
    { sqlplus: ['sqlplus', 'sql'] },
    {
      ...options,
      usual: [...(home === undefined ? [] : [`${home}/bin`, home]), '/opt/oracle/*', '/usr/lib/oracle/*/client64/bin'],
    },
  )
  const open = async ({ user, password }: Pick<OracleServerLocation, 'user' | 'password'>) =>
    connect(await load(), { ...location, user, password })
  const openTables = (account: DatabaseAccount) =>
    open(account).catch((error: unknown) => {
      throw translateError(error)
    })
  const sessions = createSqlSessions({ location, adminDatabase: undefined, connect: open, translate: translateError })
  return createSqlServer({
    type,
    location,
    database: location.service,
    sessions,
    tools,
    // The schema is the user, and so called.
    longestNames: { name: 128, user: 128 },
    translate: translateError,
    version,
    // Users have no comments: nothing carries a mark.
    accounts: { exists: existsAccount, create: createAccount, drop: dropAccount, empty: emptyAccount },
    contents: oracleContents,

    async dump(account, given) {
      return dumpTables({
        ...given,
        type,
        session: await openTables(account),
        describe: describeOracle,
        translate: translateError,
      })
    },

    async restore(account, content, given) {
      await loadTables({ ...given, type, content, session: await openTables(account) })
    },

    client: (account) => clientOf(tools.need('sqlplus'), account, location, tools.launch(account)),
  })
}

/** `Oracle 23.6.0.24.10`. @throws DatabaseServerError ERR_CREDENTIALS when the user may not make others */
async function version(run: RunSql): Promise<string> {
  const [found] = await run('select max(version_full) as version from product_component_version')
  const needed = ['CREATE USER', 'ALTER USER', 'DROP USER', 'GRANT ANY PRIVILEGE', 'ALTER SYSTEM']
  const had = new Set((await run('select privilege from session_privs')).map(({ privilege }) => String(privilege)))
  const missing = needed.filter((privilege) => !had.has(privilege))
  if (missing.length > 0)
    throw new DatabaseServerError(
      'ERR_CREDENTIALS',
      `The user may not make schemas for applications; it needs ${missing.join(', ')}.`,
    )
  return `Oracle ${String(found?.['version'])}`
}

/**
 * Runs the client with a script that logs in and is removed by then: the client takes passwords as an argument, which
 * everybody on the machine can read, or from a script. The shell's own `printf` is not a process.
 */
const logIn = `umask 077
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT HUP TERM
trap '' INT
printf 'set define off\\nconnect %s/"%s"@%s\\nset define on\\n' "$STEWARD_USER" "$STEWARD_PASSWORD" "$STEWARD_CONNECT" > "$folder/login.sql" || exit 1
unset STEWARD_PASSWORD
"$0" -L /nolog "@$folder/login.sql"`

function clientOf(
  program: string,
  { user, password }: DatabaseAccount,
  { host, port, service, environment = {} }: OracleServerLocation,
  launch: Launch | undefined,
): ClientProgram {
  const variables = {
    ...environment,
    STEWARD_USER: user,
    STEWARD_PASSWORD: password,
    STEWARD_CONNECT: `//${addressOf(host, port)}/${service}`,
  }
  return clientProgram('/bin/sh', ['-c', logIn, program], variables, launch)
}
