import { databaseTypes } from '../../domain/instance.js'
import type { Variable } from '../variable.js'
import { accessTable } from './access.js'
import { containersTable } from './containers.js'
import { documentsTable } from './documents.js'
import { monitoringTable } from './monitoring.js'
import { proxyTable } from './proxy.js'
import { integer, limits, pace, secret, sleepAfter, text, trueFalse, yesNo } from './rows.js'
import { targetTable } from './targets.js'

const rows = limits('APPS', 'Instances')

/** For instances that have no other, and whose version has none. Memory: see `Limits`. */
const defaultLimits = {
  ...rows,
  APPS_LIMIT_CPU: { ...rows.APPS_LIMIT_CPU, default: '0' },
  APPS_LIMIT_PROCESSES: { ...rows.APPS_LIMIT_PROCESSES, default: '1024' },
  APPS_LIMIT_FILES: { ...rows.APPS_LIMIT_FILES, default: '65536' },
} as const

/**
 * The variables of `config.sh`. Source: docs/spec/instances-manager.md, "Global settings"; those that it
 * does not list are there because something of the manager needs them.
 */
export const globalTable = {
  APPS_HOME: {
    type: 'path',
    section: 'General',
    summary: 'Home of the manager; set by --home or the environment, not in config.sh',
  },
  APPS_BASEURL: {
    type: 'url',
    section: 'General',
    required: true,
    standIn: 'http://localhost:8000',
    summary: 'Address of the manager',
  },
  APPS_EMAIL: { type: 'email', section: 'General', summary: 'Support address; failures are mailed to it' },
  APPS_USER: { type: 'text', section: 'General', summary: 'System user that runs the manager' },
  APPS_GROUP: { type: 'text', section: 'General', summary: 'System group that runs the manager' },
  APPS_UPGRADEREGISTRY: {
    type: 'url',
    section: 'General',
    summary: 'npm registry that the manager may upgrade itself from; not set: it never does',
  },
  APPS_UPGRADEPIN: text('General', 'Version and integrity to upgrade to, "1.2.0 sha512-…"'),

  APPS_ISOLATION: {
    type: 'choice',
    section: 'General',
    choices: ['auto', 'yes', 'no'],
    default: 'auto',
    summary: 'Whether each new instance runs as its own system account; auto: if possible',
  },

  ...accessTable,

  APPS_ROOTCONTEXT: trueFalse(
    'Instances',
    'true',
    'Serve instances at the root of their address, not below their name',
  ),
  APPS_INSTANCESURL: {
    type: 'url',
    section: 'Instances',
    default: '$APPS_BASEURL',
    summary: 'Base address of published instances, on another host than the manager',
  },
  APPS_DEFAULTVERSION: { type: 'text', section: 'Instances', summary: 'Version of new instances; not set: the latest' },
  APPS_RUNTIMES: {
    type: 'list',
    section: 'Instances',
    summary: 'Packages with additional runtimes, separated by commas',
  },
  APPS_RUNTIME: {
    type: 'text',
    section: 'Instances',
    default: 'process',
    summary: 'Runtime of new instances, unless their version sets one; see "runtimes"',
  },
  APPS_DATABASES: {
    type: 'databases',
    section: 'Instances',
    default: 'sqlite,mysql,postgresql',
    summary: 'Database types that instances may have',
  },
  APPS_DEFAULTDATABASE: {
    type: 'choice',
    section: 'Instances',
    choices: databaseTypes,
    default: 'sqlite',
    summary: 'Database type of new instances',
  },
  APPS_MAXINSTANCES: integer('Instances', '0', 'Maximum number of instances; 0: no limit'),
  APPS_DEFAULTPROTECTED: yesNo('Instances', 'no', 'Whether new instances are protected'),
  APPS_DEFAULTAUTOSAVE: yesNo('Instances', 'no', 'Whether new instances are included in nightly backups'),
  APPS_DEFAULTAUTOUPDATE: yesNo('Instances', 'yes', 'Whether new instances are included in nightly upgrades'),
  APPS_EXTERNAL_API_KEY: {
    type: 'secret',
    section: 'Instances',
    default: 'none',
    summary: 'Key of an external provider for instances; "none": they get none',
  },
  APPS_PORTS: {
    type: 'ports',
    section: 'Instances',
    default: '10000-19999',
    summary: 'Ports of instances on 127.0.0.1',
  },
  APPS_STARTTIMEOUT: pace('Instances', '60', 'Seconds until a started instance must be healthy', 1, 86_400),
  APPS_STOPTIMEOUT: pace('Instances', '30', 'Seconds until a stopping instance is killed', 1, 86_400),
  APPS_SLEEP_AFTER: { ...sleepAfter('Instances', '; not set or 0: never'), defaultIfWrong: true },
  APPS_HEALTHWINDOW: pace('Instances', '5', 'Seconds that an upgraded instance must stay healthy', 0, 86_400),
  APPS_REHEARSEUPGRADES: yesNo('Instances', 'no', 'Whether upgradeall rehearses upgrades first'),
  APPS_TRASHDAYS: integer('Instances', '7', 'Days that deleted instances are kept; 0: not at all', 0, 36_500),
  APPS_RESTOREPOINTDAYS: integer('Instances', '7', 'Days that an upgrade can be rolled back; 0: not at all', 0, 36_500),
  APPS_LOGMAXSIZE: pace('Instances', '10', 'Size in MB at which logs are rotated', 1, 100_000),
  APPS_LOGKEEP: pace('Instances', '5', 'Rotated logs to keep', 0, 1000),
  ...defaultLimits,
  APPS_CGROUPS: yesNo('Instances', 'yes', 'Whether limits use cgroups v2 where available'),
  APPS_HOOKTIMEOUT: pace('Instances', '300', 'Seconds that a hook may take', 1, 86_400),

  ...containersTable,

  ...documentsTable,

  ...proxyTable,

  ...monitoringTable,

  APPS_SAVE_DIR: {
    type: 'path',
    section: 'Backups',
    default: '$APPS_HOME/save',
    summary: 'Folder of manual backups',
  },
  APPS_SAVE_DIR_DEPTH: integer('Backups', '0', 'Days to keep local backups; 0: forever'),
  APPS_KEEP_LAST: keep('latest backups that'),
  APPS_KEEP_DAILY: keep('days whose last backups'),
  APPS_KEEP_WEEKLY: keep('weeks whose last backups'),
  APPS_KEEP_MONTHLY: keep('months whose last backups'),
  APPS_SAVE_MAXAGE: pace('Backups', '26', 'Maximum age in hours of nightly backups for checksaves', 1, 87_600),
  APPS_SAVEALL_DIR: {
    type: 'path',
    section: 'Backups',
    default: '$APPS_SAVE_DIR',
    summary: 'Folder of nightly backups',
  },
  APPS_SAVEALL_REMOVE_LOCAL: trueFalse('Backups', 'false', 'Remove local nightly backups once they are at the targets'),
  APPS_SAVEALL_PARALLEL: pace('Backups', '2', 'Instances that saveall backs up at the same time', 1, 64),
  APPS_BACKUP_RECIPIENTS: {
    type: 'list',
    section: 'Backups',
    summary: 'Public age keys that backups are encrypted for, separated by commas, or a file of them',
  },
  APPS_BACKUP_PASSPHRASE: secret(
    'Backups',
    'Passphrase that backups are encrypted with when there are no recipients, and opened with',
  ),
  APPS_BACKUP_IDENTITY: {
    type: 'path',
    section: 'Backups',
    summary: 'File of secret age keys that encrypted backups are opened with',
  },
  APPS_SUSPENDMAX: pace('Backups', '30', 'Maximum seconds that a backup may pause an instance', 1, 3600),
  APPS_WINDOW: {
    type: 'window',
    section: 'Backups',
    summary: 'Time window in which upgradeall and saveall may start work, e.g. 22:00-05:30; not set: always',
  },

  ...targetTable,

  APPS_MAILSERVER: text('E-mail', 'Mail server; not set: no mail is sent'),
  APPS_MAILPORT: {
    type: 'integer',
    section: 'E-mail',
    min: 1,
    max: 65_535,
    summary: 'Port of the mail server; 465 uses TLS from the start; not set: 587 with a user, 25 without',
  },
  APPS_MAILUSER: text('E-mail', 'User at the mail server'),
  APPS_MAILPASSWORD: secret('E-mail', 'Password at the mail server'),

  APPS_QUALITY_SERVER: text('Code quality', 'Package with a quality server of your own'),
  APPS_QUALITY_URL: {
    type: 'url',
    section: 'Code quality',
    default: 'https://sonarcloud.io',
    summary: 'Server of code-quality analyses; not used without a login or another address',
  },
  APPS_QUALITY_LOGIN: secret('Code quality', 'Login or token there'),
  APPS_QUALITY_PASSWORD: secret('Code quality', 'Password there; a token needs none'),
  APPS_QUALITY_ORG: text('Code quality', 'Organization there'),
  APPS_QUALITY_SCANNER: text(
    'Code quality',
    'Absolute path of the SonarQube scanner; not set: the one in the PATH, else @sonar/scan',
  ),
  APPS_QUALITY_TIMEOUT: pace('Code quality', '600', 'Seconds that each part of an analysis may take', 1, 86_400),

  APPS_MYSQL_HOST: host('MySQL, MariaDB'),
  APPS_MYSQL_SERVER: serverPackage('MySQL, MariaDB'),
  APPS_MYSQL_PORT: port('MySQL, MariaDB', '3306'),
  APPS_MYSQL_ADMINUSER: adminUser('MySQL, MariaDB', 'root'),
  APPS_MYSQL_ADMINPASSWORD: secret('Databases', 'MySQL, MariaDB: password of the administrator'),
  APPS_POSTGRESQL_HOST: host('PostgreSQL'),
  APPS_POSTGRESQL_SERVER: serverPackage('PostgreSQL'),
  APPS_POSTGRESQL_PORT: port('PostgreSQL', '5432'),
  APPS_POSTGRESQL_ADMINUSER: adminUser('PostgreSQL', 'postgres'),
  APPS_POSTGRESQL_ADMINPASSWORD: secret('Databases', 'PostgreSQL: password of the administrator'),
  APPS_ORACLE_HOST: host('Oracle'),
  APPS_ORACLE_SERVER: serverPackage('Oracle'),
  APPS_ORACLE_PORT: port('Oracle', '1521'),
  APPS_ORACLE_ADMINUSER: adminUser('Oracle', 'system'),
  APPS_ORACLE_ADMINPASSWORD: secret('Databases', 'Oracle: password of the administrator'),
  APPS_ORACLE_SERVICE: {
    ...text('Databases', 'Oracle: name of the service of the database; not set: ORACLE_SID, else FREEPDB1'),
    form: 'service',
  },
  APPS_MSSQL_HOST: host('SQL Server'),
  APPS_MSSQL_SERVER: serverPackage('SQL Server'),
  APPS_MSSQL_PORT: port('SQL Server', '1433'),
  APPS_MSSQL_ADMINUSER: adminUser('SQL Server', 'sa'),
  APPS_MSSQL_ADMINPASSWORD: secret('Databases', 'SQL Server: password of the administrator'),
  APPS_MSSQL_ENCRYPT: {
    type: 'choice',
    section: 'Databases',
    choices: ['yes', 'trust', 'no'],
    default: 'yes',
    summary: 'SQL Server: whether connections are encrypted; trust: accept any server certificate',
  },

  ORACLE_HOME: vendor('Home of the client'),
  ORACLE_SID: { ...vendor('Id of the database'), form: 'service' },
  ORACLE_PATH: vendor('Folder of scripts of the client'),
  TNS_ADMIN: vendor('Folder of the client’s configuration'),
  LD_LIBRARY_PATH: vendor('Folders of libraries'),
  NLS_LANG: vendor('Language and character set'),
} as const satisfies Readonly<Record<string, Variable>>

/** A rule of retention, see `retain`. */
function keep(what: string) {
  return integer('Backups', '0', `Number of ${what} are kept; 0: no such rule`, 0, 100_000)
}

function serverPackage(product: string) {
  return {
    type: 'text',
    section: 'Databases',
    summary: `${product}: package that creates databases`,
  } as const
}

function host(product: string) {
  return {
    type: 'text',
    form: 'host',
    section: 'Databases',
    summary: `${product}: server`,
    default: 'localhost',
  } as const
}

function port(product: string, ofNone: string) {
  return {
    type: 'integer',
    section: 'Databases',
    summary: `${product}: port`,
    default: ofNone,
    min: 1,
    max: 65_535,
  } as const
}

function adminUser(product: string, ofNone: string) {
  return { type: 'text', section: 'Databases', summary: `${product}: administrator`, default: ofNone } as const
}

function vendor(summary: string) {
  return {
    type: 'text',
    section: 'Vendors',
    summary: `Oracle client: ${summary}; instances, hooks and the client get it`,
    passedOn: true,
  } as const
}
