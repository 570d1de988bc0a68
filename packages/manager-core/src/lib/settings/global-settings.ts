import { isAbsolute, join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { Secret } from '../domain/secret.js'
import type { DatabaseServerSettings, GlobalSettings, MailSettings } from './settings.js'
import type { globalTable } from './tables/global.js'
import { targetsOf } from './target-settings.js'
import type { TargetVariables } from './target-variables.js'
import { limitsOf } from './limits.js'
import type { VariableValues } from './variable-values.js'

type Values = VariableValues<typeof globalTable>

/** @throws ManagerError ERR_SETTINGS for the first value that cannot be used. */
export function globalSettingsOf(
  values: Values,
  variables: TargetVariables,
  passedOn: Readonly<Record<string, string>>,
): GlobalSettings {
  const { value } = values
  const databases = value('APPS_DATABASES')
  const defaultDatabase = value('APPS_DEFAULTDATABASE')
  if (!databases.includes(defaultDatabase))
    throw new ManagerError(
      'ERR_SETTINGS',
      `APPS_DEFAULTDATABASE is "${defaultDatabase}" (${values.given('APPS_DEFAULTDATABASE')?.origin}), which is not one of APPS_DATABASES.`,
      { help: `APPS_DATABASES is ${databases.join(',')} (${values.given('APPS_DATABASES')?.origin}).` },
    )
  const externalApiKey = value('APPS_EXTERNAL_API_KEY')
  return {
    baseUrl: value('APPS_BASEURL'),
    instancesUrl: value('APPS_INSTANCESURL'),
    runtimePackages: value('APPS_RUNTIMES') ?? [],
    runtime: value('APPS_RUNTIME'),
    upgradeSource: upgradeSource(value('APPS_UPGRADEREGISTRY'), value('APPS_UPGRADEPIN')),
    email: value('APPS_EMAIL'),
    systemUser: value('APPS_USER'),
    systemGroup: value('APPS_GROUP'),
    userName: value('APPS_USERNAME'),
    password: value('APPS_PASSWORD'),
    realmName: value('APPS_REALMNAME'),
    listen: listen(values),
    trustedProxies: value('APPS_TRUSTEDPROXIES'),
    clientAbilities: value('APPS_CLIENTABILITIES'),
    logInAttempts: value('APPS_LOGINATTEMPTS'),
    workers: value('APPS_WORKERS'),
    terminal: value('APPS_TERMINAL')
      ? { idleMs: value('APPS_TERMINALIDLE') * 1000, maxMs: value('APPS_TERMINALMAX') * 1000 }
      : undefined,
    monitoring: {
      intervalMs: value('APPS_MONITORINTERVAL') * 1000,
      slowMs: value('APPS_MONITORSLOW'),
      alertAfter: value('APPS_MONITORAFTER'),
      keepDays: value('APPS_MONITORDAYS'),
      webhook: value('APPS_ALERTWEBHOOK'),
    },
    proxy: {
      enabled: value('APPS_PROXY'),
      type: value('APPS_HTTPSERVER'),
      folder: value('APPS_PROXYDIR'),
      mainFile: value('APPS_PROXYCONFIG'),
      command: value('APPS_PROXYCOMMAND'),
      httpPort: value('APPS_PROXYHTTP'),
      httpsPort: value('APPS_PROXYHTTPS'),
    },
    acme: value('APPS_ACME')
      ? {
          directory: value('APPS_ACMEDIRECTORY'),
          email: value('APPS_ACMEEMAIL') ?? value('APPS_EMAIL'),
          caFile: value('APPS_ACMECA'),
        }
      : undefined,
    allowRegister: value('APPS_ALLOWREGISTER'),
    allowDisplayRegister: value('APPS_ALLOWDISPLAYREGISTER'),
    allowDownload: value('APPS_ALLOWDOWNLOAD'),
    rootContext: value('APPS_ROOTCONTEXT'),
    defaultVersion: value('APPS_DEFAULTVERSION'),
    databases,
    defaultDatabase,
    maxInstances: value('APPS_MAXINSTANCES'),
    isolation: value('APPS_ISOLATION'),
    defaultProtected: value('APPS_DEFAULTPROTECTED'),
    defaultAutoSave: value('APPS_DEFAULTAUTOSAVE'),
    defaultAutoUpdate: value('APPS_DEFAULTAUTOUPDATE'),
    externalApiKey: externalApiKey.reveal() === 'none' ? undefined : externalApiKey,
    ports: value('APPS_PORTS'),
    startTimeoutMs: value('APPS_STARTTIMEOUT') * 1000,
    stopTimeoutMs: value('APPS_STOPTIMEOUT') * 1000,
    healthWindowMs: value('APPS_HEALTHWINDOW') * 1000,
    hookTimeoutMs: value('APPS_HOOKTIMEOUT') * 1000,
    sleepAfterMs: (value('APPS_SLEEP_AFTER') ?? 0) * 1000,
    suspendMaxMs: value('APPS_SUSPENDMAX') * 1000,
    trashDays: value('APPS_TRASHDAYS'),
    rehearseUpgrades: value('APPS_REHEARSEUPGRADES'),
    restorePointDays: value('APPS_RESTOREPOINTDAYS'),
    limits: limitsOf(value, 'APPS'),
    cgroups: value('APPS_CGROUPS'),
    containers: {
      socket: value('APPS_CONTAINER_SOCKET'),
      image: value('APPS_CONTAINER_IMAGE'),
      network: value('APPS_CONTAINER_NETWORK'),
    },
    swarm: {
      registry: value('APPS_SWARM_REGISTRY'),
      user: value('APPS_SWARM_REGISTRY_USER'),
      passwordFile: value('APPS_SWARM_REGISTRY_PASSWORD_FILE'),
    },
    documents: {
      address: value('APPS_DOCUMENTS'),
      accessKey: value('APPS_DOCUMENTS_ACCESS_KEY'),
      secretKey: value('APPS_DOCUMENTS_SECRET_KEY'),
    },
    log: { maxBytes: value('APPS_LOGMAXSIZE') * 2 ** 20, keep: value('APPS_LOGKEEP') },
    ssl: {
      mode: ({ true: 'on', false: 'off', force: 'force' } as const)[value('APPS_SSL')],
      serverCertificate: certificate(value('APPS_SERVER_CERT')),
      serverKey: certificate(value('APPS_SERVER_KEY')),
      serverCaCertificate: certificate(value('APPS_SERVER_CA_CERT')),
      clientCaCertificate: certificate(value('APPS_CLIENT_CA_CERT')),
      clientCaFolder: certificate(value('APPS_CLIENT_CA_PATH')),
    },
    saveFolder: value('APPS_SAVE_DIR'),
    saveDepthDays: value('APPS_SAVE_DIR_DEPTH'),
    keep: {
      last: value('APPS_KEEP_LAST'),
      daily: value('APPS_KEEP_DAILY'),
      weekly: value('APPS_KEEP_WEEKLY'),
      monthly: value('APPS_KEEP_MONTHLY'),
    },
    saveMaxAgeMs: value('APPS_SAVE_MAXAGE') * 3_600_000,
    saveAllFolder: value('APPS_SAVEALL_DIR'),
    saveAllRemoveLocal: value('APPS_SAVEALL_REMOVE_LOCAL'),
    backupEncryption: {
      recipients: value('APPS_BACKUP_RECIPIENTS'),
      passphrase: value('APPS_BACKUP_PASSPHRASE'),
      identityFile: value('APPS_BACKUP_IDENTITY'),
    },
    window: value('APPS_WINDOW'),
    targets: targetsOf(values, variables),
    targetBandwidth: kilobytes(value('APPS_TARGET_BANDWIDTH')),
    saveAllParallel: value('APPS_SAVEALL_PARALLEL'),
    mail: mail(values),
    quality: {
      server: value('APPS_QUALITY_SERVER'),
      url: value('APPS_QUALITY_URL'),
      login: value('APPS_QUALITY_LOGIN'),
      password: value('APPS_QUALITY_PASSWORD'),
      organization: value('APPS_QUALITY_ORG'),
      scanner: value('APPS_QUALITY_SCANNER'),
      timeoutMs: value('APPS_QUALITY_TIMEOUT') * 1000,
    },
    databaseServers: {
      mysql: databaseServer(values, 'MYSQL'),
      postgresql: databaseServer(values, 'POSTGRESQL'),
      oracle: {
        ...databaseServer(values, 'ORACLE'),
        service: value('APPS_ORACLE_SERVICE') ?? value('ORACLE_SID') ?? 'FREEPDB1',
        environment: oracleClient(values),
      },
      mssql: { ...databaseServer(values, 'MSSQL'), encryption: value('APPS_MSSQL_ENCRYPT') },
    },
    passedOn,
  }
}

function listen({ value, given }: Values): string | undefined {
  const text = value('APPS_LISTEN')
  const port = Number(/^(?:[\w.-]+|\[[\da-fA-F:]+\]):(\d{1,5})$/.exec(text ?? '')?.[1])
  if (text === undefined || (port >= 0 && port <= 65_535)) return text
  throw new ManagerError('ERR_SETTINGS', `APPS_LISTEN is "${text}" (${given('APPS_LISTEN')?.origin}).`, {
    help: 'Use an address and a port, e.g. 127.0.0.1:8000, 0.0.0.0:8000 or [::1]:8000.',
  })
}

function upgradeSource(registry: string | undefined, pin: string | undefined): GlobalSettings['upgradeSource'] {
  return registry === undefined ? undefined : { registry, pin: pin ?? '' }
}

function kilobytes(count: number | undefined): number | undefined {
  return count === undefined ? undefined : count * 1024
}

function certificate(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  return isAbsolute(name) ? name : join('/etc/ssl', name)
}

function databaseServer(
  { value }: Values,
  product: 'MYSQL' | 'POSTGRESQL' | 'ORACLE' | 'MSSQL',
): DatabaseServerSettings {
  const name = value(`APPS_${product}_SERVER`)
  return {
    ...(name !== undefined && { package: name }),
    host: value(`APPS_${product}_HOST`),
    port: value(`APPS_${product}_PORT`),
    adminUser: value(`APPS_${product}_ADMINUSER`),
    adminPassword: value(`APPS_${product}_ADMINPASSWORD`) ?? new Secret(''),
  }
}

function oracleClient({ value }: Values): Readonly<Record<string, string>> {
  const names = ['ORACLE_HOME', 'ORACLE_PATH', 'TNS_ADMIN', 'LD_LIBRARY_PATH', 'NLS_LANG'] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = value(name)
      return text === undefined ? [] : [[name, text]]
    }),
  )
}

function mail({ value }: Values): MailSettings | undefined {
  const server = value('APPS_MAILSERVER')
  if (server === undefined) return undefined
  const user = value('APPS_MAILUSER')
  const password = value('APPS_MAILPASSWORD')
  if (user === undefined && password !== undefined)
    throw new ManagerError('ERR_SETTINGS', 'APPS_MAILPASSWORD is set, but APPS_MAILUSER is not.')
  return { server, port: value('APPS_MAILPORT') ?? (user === undefined ? 25 : 587), user, password }
}
