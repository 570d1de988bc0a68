import { isAbsolute, join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { DatabaseType } from '../domain/instance.js'
import { Secret } from '../domain/secret.js'
import type { DatabaseServerSettings, GlobalSettings, MailSettings } from './settings.js'
import type { globalTable } from './tables/global.js'
import { targetsOf } from './target-settings.js'
import type { TargetVariables } from './target-variables.js'
import { limitsOf } from './limits.js'
import { onDemand, problemsOf, type Parts, type Sources } from './on-demand.js'
import type { VariableValues } from './variable-values.js'

type Values = VariableValues<typeof globalTable>

export interface GlobalSource {
  readonly values: Sources<Values>
  readonly targets: TargetVariables
  readonly passedOn: Readonly<Record<string, string>>
  readonly wrongOthers: readonly ManagerError[]
}

/**
 * Settings of `config.sh`. What cannot be used is refused when it is read, see `onDemand`.
 *
 * @param before what could be used before the file was changed
 */
export function globalSettingsOf(source: GlobalSource, before?: Partial<GlobalSettings>): GlobalSettings {
  return onDemand(globalParts(source), source.values, before)
}

/** What cannot be used, each reason once. */
export function problemsOfGlobal(source: GlobalSource): readonly ManagerError[] {
  const { strict } = source.values
  return [...problemsOf(globalParts(source), strict), ...problemsOf(serverParts, strict)]
}

function globalParts({ values: sources, targets, passedOn, wrongOthers }: GlobalSource): Parts<GlobalSettings, Values> {
  return {
    baseUrl: ({ value }) => value('APPS_BASEURL'),
    instancesUrl: ({ value }) => value('APPS_INSTANCESURL'),
    runtimePackages: ({ value }) => value('APPS_RUNTIMES') ?? [],
    runtime: ({ value }) => value('APPS_RUNTIME'),
    upgradeSource: ({ value }) => upgradeSource(value('APPS_UPGRADEREGISTRY'), value('APPS_UPGRADEPIN')),
    email: ({ value }) => value('APPS_EMAIL'),
    systemUser: ({ value }) => value('APPS_USER'),
    systemGroup: ({ value }) => value('APPS_GROUP'),
    userName: ({ value }) => value('APPS_USERNAME'),
    password: ({ value }) => value('APPS_PASSWORD'),
    realmName: ({ value }) => value('APPS_REALMNAME'),
    listen,
    trustedProxies: ({ value }) => value('APPS_TRUSTEDPROXIES'),
    clientAbilities: ({ value }) => value('APPS_CLIENTABILITIES'),
    logInAttempts: ({ value }) => value('APPS_LOGINATTEMPTS'),
    workers: ({ value }) => value('APPS_WORKERS'),
    terminal: ({ value }) =>
      value('APPS_TERMINAL')
        ? { idleMs: value('APPS_TERMINALIDLE') * 1000, maxMs: value('APPS_TERMINALMAX') * 1000 }
        : undefined,
    monitoring: ({ value }) => ({
      intervalMs: value('APPS_MONITORINTERVAL') * 1000,
      slowMs: value('APPS_MONITORSLOW'),
      alertAfter: value('APPS_MONITORAFTER'),
      keepDays: value('APPS_MONITORDAYS'),
      webhook: value('APPS_ALERTWEBHOOK'),
    }),
    proxy: ({ value }) => ({
      enabled: value('APPS_PROXY'),
      type: value('APPS_HTTPSERVER'),
      folder: value('APPS_PROXYDIR'),
      mainFile: value('APPS_PROXYCONFIG'),
      command: value('APPS_PROXYCOMMAND'),
      httpPort: value('APPS_PROXYHTTP'),
      httpsPort: value('APPS_PROXYHTTPS'),
    }),
    acme: ({ value }) =>
      value('APPS_ACME')
        ? {
            directory: value('APPS_ACMEDIRECTORY'),
            email: value('APPS_ACMEEMAIL') ?? value('APPS_EMAIL'),
            caFile: value('APPS_ACMECA'),
          }
        : undefined,
    allowRegister: ({ value }) => value('APPS_ALLOWREGISTER'),
    allowDisplayRegister: ({ value }) => value('APPS_ALLOWDISPLAYREGISTER'),
    allowDownload: ({ value }) => value('APPS_ALLOWDOWNLOAD'),
    rootContext: ({ value }) => value('APPS_ROOTCONTEXT'),
    defaultVersion: ({ value }) => value('APPS_DEFAULTVERSION'),
    databases: ({ value }) => value('APPS_DATABASES'),
    defaultDatabase,
    maxInstances: ({ value }) => value('APPS_MAXINSTANCES'),
    isolation: ({ value }) => value('APPS_ISOLATION'),
    defaultProtected: ({ value }) => value('APPS_DEFAULTPROTECTED'),
    defaultAutoSave: ({ value }) => value('APPS_DEFAULTAUTOSAVE'),
    defaultAutoUpdate: ({ value }) => value('APPS_DEFAULTAUTOUPDATE'),
    externalApiKey: ({ value }) => {
      const key = value('APPS_EXTERNAL_API_KEY')
      return key.reveal() === 'none' ? undefined : key
    },
    ports: ({ value }) => value('APPS_PORTS'),
    startTimeoutMs: ({ value }) => value('APPS_STARTTIMEOUT') * 1000,
    stopTimeoutMs: ({ value }) => value('APPS_STOPTIMEOUT') * 1000,
    healthWindowMs: ({ value }) => value('APPS_HEALTHWINDOW') * 1000,
    hookTimeoutMs: ({ value }) => value('APPS_HOOKTIMEOUT') * 1000,
    sleepAfterMs: ({ value }) => (value('APPS_SLEEP_AFTER') ?? 0) * 1000,
    suspendMaxMs: ({ value }) => value('APPS_SUSPENDMAX') * 1000,
    trashDays: ({ value }) => value('APPS_TRASHDAYS'),
    rehearseUpgrades: ({ value }) => value('APPS_REHEARSEUPGRADES'),
    restorePointDays: ({ value }) => value('APPS_RESTOREPOINTDAYS'),
    limits: ({ value }) => limitsOf(value, 'APPS'),
    cgroups: ({ value }) => value('APPS_CGROUPS'),
    containers: ({ value }) => ({
      socket: value('APPS_CONTAINER_SOCKET'),
      image: value('APPS_CONTAINER_IMAGE'),
      network: value('APPS_CONTAINER_NETWORK'),
    }),
    swarm: ({ value }) => ({
      registry: value('APPS_SWARM_REGISTRY'),
      user: value('APPS_SWARM_REGISTRY_USER'),
      passwordFile: value('APPS_SWARM_REGISTRY_PASSWORD_FILE'),
    }),
    documents: ({ value }) => ({
      address: value('APPS_DOCUMENTS'),
      accessKey: value('APPS_DOCUMENTS_ACCESS_KEY'),
      secretKey: value('APPS_DOCUMENTS_SECRET_KEY'),
    }),
    log: ({ value }) => ({ maxBytes: value('APPS_LOGMAXSIZE') * 2 ** 20, keep: value('APPS_LOGKEEP') }),
    ssl: ({ value }) => ({
      mode: ({ true: 'on', false: 'off', force: 'force' } as const)[value('APPS_SSL')],
      serverCertificate: certificate(value('APPS_SERVER_CERT')),
      serverKey: certificate(value('APPS_SERVER_KEY')),
      serverCaCertificate: certificate(value('APPS_SERVER_CA_CERT')),
      clientCaCertificate: certificate(value('APPS_CLIENT_CA_CERT')),
      clientCaFolder: certificate(value('APPS_CLIENT_CA_PATH')),
    }),
    saveFolder: ({ value }) => value('APPS_SAVE_DIR'),
    saveDepthDays: ({ value }) => value('APPS_SAVE_DIR_DEPTH'),
    keep: ({ value }) => ({
      last: value('APPS_KEEP_LAST'),
      daily: value('APPS_KEEP_DAILY'),
      weekly: value('APPS_KEEP_WEEKLY'),
      monthly: value('APPS_KEEP_MONTHLY'),
    }),
    saveMaxAgeMs: ({ value }) => value('APPS_SAVE_MAXAGE') * 3_600_000,
    saveAllFolder: ({ value }) => value('APPS_SAVEALL_DIR'),
    saveAllRemoveLocal: ({ value }) => value('APPS_SAVEALL_REMOVE_LOCAL'),
    backupEncryption: ({ value }) => ({
      recipients: value('APPS_BACKUP_RECIPIENTS'),
      passphrase: value('APPS_BACKUP_PASSPHRASE'),
      identityFile: value('APPS_BACKUP_IDENTITY'),
    }),
    window: ({ value }) => value('APPS_WINDOW'),
    targets: (values) => targetsOf(values, targets),
    targetBandwidth: ({ value }) => kilobytes(value('APPS_TARGET_BANDWIDTH')),
    saveAllParallel: ({ value }) => value('APPS_SAVEALL_PARALLEL'),
    mail,
    quality: ({ value }) => ({
      server: value('APPS_QUALITY_SERVER'),
      url: value('APPS_QUALITY_URL'),
      login: value('APPS_QUALITY_LOGIN'),
      password: value('APPS_QUALITY_PASSWORD'),
      organization: value('APPS_QUALITY_ORG'),
      scanner: value('APPS_QUALITY_SCANNER'),
      timeoutMs: value('APPS_QUALITY_TIMEOUT') * 1000,
    }),
    databaseServers: (_values, before) => onDemand(serverParts, sources, before),
    passedOn: ({ refuse }) => {
      for (const error of wrongOthers) refuse(error)
      return passedOn
    },
  }
}

const serverParts: Parts<GlobalSettings['databaseServers'], Values> = {
  mysql: (values) => databaseServer(values, 'MYSQL'),
  postgresql: (values) => databaseServer(values, 'POSTGRESQL'),
  oracle: (values) => ({
    ...databaseServer(values, 'ORACLE'),
    service: values.value('APPS_ORACLE_SERVICE') ?? values.value('ORACLE_SID') ?? 'FREEPDB1',
    environment: oracleClient(values),
  }),
  mssql: (values) => ({ ...databaseServer(values, 'MSSQL'), encryption: values.value('APPS_MSSQL_ENCRYPT') }),
}

function defaultDatabase({ value, given, refuse }: Values): DatabaseType {
  const databases = value('APPS_DATABASES')
  const wanted = value('APPS_DEFAULTDATABASE')
  if (!databases.includes(wanted))
    refuse(
      new ManagerError(
        'ERR_SETTINGS',
        `APPS_DEFAULTDATABASE is "${wanted}" (${given('APPS_DEFAULTDATABASE')?.origin}), which is not one of APPS_DATABASES.`,
        { help: `APPS_DATABASES is ${databases.join(',')} (${given('APPS_DATABASES')?.origin}).` },
      ),
    )
  return wanted
}

function listen({ value, given, refuse }: Values): string | undefined {
  const text = value('APPS_LISTEN')
  const port = Number(/^(?:[\w.-]+|\[[\da-fA-F:]+\]):(\d{1,5})$/.exec(text ?? '')?.[1])
  if (text === undefined || (port >= 0 && port <= 65_535)) return text
  return refuse(
    new ManagerError('ERR_SETTINGS', `APPS_LISTEN is "${text}" (${given('APPS_LISTEN')?.origin}).`, {
      help: 'Use an address and a port, e.g. 127.0.0.1:8000, 0.0.0.0:8000 or [::1]:8000.',
    }),
  )
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

function mail({ value, refuse }: Values): MailSettings | undefined {
  const server = value('APPS_MAILSERVER')
  if (server === undefined) return undefined
  const user = value('APPS_MAILUSER')
  const password = value('APPS_MAILPASSWORD')
  if (user === undefined && password !== undefined)
    refuse(new ManagerError('ERR_SETTINGS', 'APPS_MAILPASSWORD is set, but APPS_MAILUSER is not.'))
  return { server, port: value('APPS_MAILPORT') ?? (user === undefined ? 25 : 587), user, password }
}
