import { describe, expect, it } from 'vitest'
import { parseValue, type Variable } from '../variable.js'
import { globalTable } from './global.js'
import { instanceTable } from './instance.js'
import { versionTable } from './version.js'

describe('the tables of variables', () => {
  it.for([
    ['config.sh', globalTable],
    ['version files', versionTable],
    ['instances', instanceTable],
  ] as const)('%s have defaults that are allowed, and summaries', ([, table]) => {
    for (const [name, variable] of Object.entries<Variable>(table)) {
      expect(variable.summary, name).toMatch(/^\S.{5,110}[^.]$/)
      if (variable.default === undefined || variable.default.includes('$')) continue
      expect(parseValue(variable, variable.default), name).toHaveProperty('value')
    }
  })

  it('hold every variable of the requirements', () => {
    const requirements = [
      'APPS_BASEURL APPS_USERNAME APPS_PASSWORD APPS_ROOTCONTEXT APPS_DEFAULTVERSION APPS_DATABASES APPS_DEFAULTDATABASE',
      'APPS_MAXINSTANCES APPS_ALLOWREGISTER APPS_ALLOWDISPLAYREGISTER APPS_ALLOWDOWNLOAD APPS_DEFAULTPROTECTED',
      'APPS_DEFAULTAUTOSAVE APPS_DEFAULTAUTOUPDATE APPS_EXTERNAL_API_KEY APPS_REALMNAME APPS_EMAIL APPS_USER APPS_GROUP',
      'APPS_HOME APPS_HTTPSERVER APPS_SSL APPS_SERVER_CERT APPS_SERVER_KEY APPS_SERVER_CA_CERT APPS_CLIENT_CA_CERT',
      'APPS_CLIENT_CA_PATH APPS_SAVE_DIR APPS_SAVE_DIR_DEPTH APPS_SAVEALL_DIR APPS_SAVEALL_REMOVE_LOCAL APPS_SCP_SERVER',
      'APPS_SCP_USER APPS_SCP_PATH APPS_FTP_SERVER APPS_FTP_USER APPS_FTP_PASSWORD APPS_FTP_PATH APPS_STORE_A_CONTAINER',
      'APPS_STORE_A_PREFIX APPS_STORE_A_CONTAINER_ALT APPS_STORE_A_PREFIX_ALT APPS_STORE_A_AUTH_URL',
      'APPS_STORE_A_TENANT_NAME APPS_STORE_A_USERNAME APPS_STORE_A_PASSWORD APPS_STORE_B_BUCKET APPS_STORE_C_BUCKET',
      'APPS_MAILSERVER APPS_MAILPORT APPS_MAILUSER APPS_MAILPASSWORD APPS_QUALITY_URL APPS_QUALITY_LOGIN',
      'APPS_QUALITY_PASSWORD APPS_QUALITY_ORG APPS_MYSQL_HOST APPS_POSTGRESQL_PORT APPS_ORACLE_ADMINUSER',
      'APPS_MSSQL_ADMINPASSWORD APPS_JDK APPS_ENCONDING APPS_TOMCATMINMEM APPS_TOMCATMAXMEM APPS_AUTOUPGRADE',
      'SERVICE_CONTEXT SERVICE_TOMCATMINMEM SERVICE_TOMCATMAXMEM SERVICE_URL SERVICE_USER SERVICE_PASSWORD',
      'SERVICE_DATABASE SERVICE_DATABASE_HOST SERVICE_DATABASE_PORT SERVICE_ORACLE_SID SERVICE_AUTOUPGRADE SERVICE_DEBUG',
      'SERVICE_DEBUG_ORIGIN SERVICE_QUALITY_PROJECT SERVICE_QUALITY_URL SERVICE_QUALITY_LOGIN SERVICE_QUALITY_PASSWORD',
      'SERVICE_QUALITY_ORG SERVICE_REMOTE_GIT_USERNAME SERVICE_REMOTE_GIT_PASSWORD',
    ].flatMap((line) => line.split(' '))
    const tables = Object.entries<Variable>({ ...globalTable, ...versionTable, ...instanceTable })
    const known = new Set(tables.flatMap(([name, { aliases = [] }]) => [name, ...aliases]))
    expect(requirements.filter((name) => !known.has(name))).toEqual([])
  })
})
