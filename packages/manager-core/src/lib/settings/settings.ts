import type { ManagerError } from '../../errors.js'
import type { Ability } from '../domain/ability.js'
import type { DatabaseType } from '../domain/instance.js'
import type { Limits } from '../domain/limits.js'
import type { Secret } from '../domain/secret.js'

/**
 * Settings of `config.sh`, typed and checked. Source: docs/spec/instances-manager.md, "Global settings". Names in
 * comments are variables.
 */
export interface GlobalSettings {
  /** APPS_BASEURL, without a last slash. */
  readonly baseUrl: string
  /** Chosen: APPS_INSTANCESURL, without a last slash: prefix of standard addresses. Default: `baseUrl`. */
  readonly instancesUrl: string
  /** Chosen: APPS_UPGRADEREGISTRY and APPS_UPGRADEPIN; undefined: the manager never upgrades itself. */
  readonly upgradeSource: UpgradeSource | undefined
  /** APPS_ROOTCONTEXT */
  readonly rootContext: boolean
  /** APPS_DEFAULTVERSION; undefined: the newest. */
  readonly defaultVersion: string | undefined
  /** Chosen: APPS_RUNTIMES: packages that bring runtimes. */
  readonly runtimePackages: readonly string[]
  /** Chosen: APPS_RUNTIME: of new instances; a version may have another. */
  readonly runtime: string
  /** APPS_DATABASES */
  readonly databases: readonly DatabaseType[]
  /** APPS_DEFAULTDATABASE */
  readonly defaultDatabase: DatabaseType
  /** APPS_MAXINSTANCES; 0: no limit. */
  readonly maxInstances: number
  /** Whether a new instance gets a system account of its own, see `isolationOf`. */
  readonly isolation: 'auto' | 'yes' | 'no'
  /** APPS_PORTS, `10000-19999`. Not specified; chosen because every instance needs a port of its own. */
  readonly ports: { readonly from: number; readonly to: number }
  /** APPS_DEFAULTPROTECTED, APPS_DEFAULTAUTOSAVE, APPS_DEFAULTAUTOUPDATE */
  readonly defaultProtected: boolean
  readonly defaultAutoSave: boolean
  readonly defaultAutoUpdate: boolean
  /** APPS_EXTERNAL_API_KEY */
  readonly externalApiKey: Secret | undefined
  /** APPS_EMAIL */
  readonly email: string | undefined
  /** APPS_USER, APPS_GROUP */
  readonly systemUser: string | undefined
  readonly systemGroup: string | undefined
  /** APPS_HTTPSERVER; chosen: APPS_PROXY … */
  readonly proxy: ProxySettings
  /** APPS_SSL …; paths are absolute. */
  readonly ssl: SslSettings
  /** Chosen: APPS_ACME …; undefined: certificates are not issued. */
  readonly acme: AcmeSettings | undefined
  /** APPS_USERNAME, APPS_PASSWORD, APPS_REALMNAME: of the API and the pages. */
  readonly userName: string
  readonly password: Secret | undefined
  readonly realmName: string
  /** Chosen: APPS_LISTEN: `<address>:<port>`; undefined: loopback, and the port of `baseUrl`. */
  readonly listen: string | undefined
  /** Chosen: APPS_TRUSTEDPROXIES: addresses or networks (`10.0.0.0/8`). */
  readonly trustedProxies: readonly string[]
  /** Chosen: APPS_CLIENTABILITIES: abilities of callers with a certificate of the client CA. */
  readonly clientAbilities: readonly Ability[]
  /** Chosen: APPS_LOGINATTEMPTS; 0: no limit. */
  readonly logInAttempts: number
  /** Chosen: APPS_WORKERS */
  readonly workers: number
  /** Chosen: APPS_TERMINAL, APPS_TERMINALIDLE, APPS_TERMINALMAX; undefined: there is none. */
  readonly terminal: { readonly idleMs: number; readonly maxMs: number } | undefined
  /** Chosen: APPS_MONITORINTERVAL … */
  readonly monitoring: MonitoringSettings
  /** APPS_ALLOWREGISTER, APPS_ALLOWDISPLAYREGISTER, APPS_ALLOWDOWNLOAD */
  readonly allowRegister: boolean
  readonly allowDisplayRegister: boolean
  readonly allowDownload: boolean
  /** APPS_SAVE_DIR, APPS_SAVEALL_DIR: absolute. */
  readonly saveFolder: string
  readonly saveAllFolder: string
  /** APPS_SAVE_DIR_DEPTH in days; 0: kept for ever. */
  readonly saveDepthDays: number
  /** Chosen: APPS_KEEP_LAST, APPS_KEEP_DAILY …: see `retain`; 0: no such rule. */
  readonly keep: { readonly last: number; readonly daily: number; readonly weekly: number; readonly monthly: number }
  /** Chosen: APPS_SAVE_MAXAGE: how old the last automatic save may be (hours, default 26). */
  readonly saveMaxAgeMs: number
  /** APPS_SAVEALL_REMOVE_LOCAL */
  readonly saveAllRemoveLocal: boolean
  /** Chosen: APPS_BACKUP_RECIPIENTS (keys, or a file of them), APPS_BACKUP_PASSPHRASE, APPS_BACKUP_IDENTITY. */
  readonly backupEncryption: BackupEncryptionSettings
  /** APPS_SCP_SERVER …, APPS_TARGETS; where backups are copied to. */
  readonly targets: readonly TargetSettings[]
  /** Chosen: APPS_TARGET_BANDWIDTH (KB per second) in bytes per second; undefined: no limit. */
  readonly targetBandwidth: number | undefined
  /** Chosen: APPS_SAVEALL_PARALLEL: how many instances `saveall` saves at the same time (default 2). */
  readonly saveAllParallel: number
  /** APPS_MYSQL_HOST … */
  readonly databaseServers: Readonly<Record<'mysql' | 'postgresql', DatabaseServerSettings>> & {
    readonly oracle: OracleServerSettings
    readonly mssql: MssqlServerSettings
  }
  /** APPS_MAILSERVER …; undefined: no mail is sent. */
  readonly mail: MailSettings | undefined
  /** APPS_QUALITY_URL … */
  readonly quality: QualitySettings & {
    /** Chosen: APPS_QUALITY_SERVER, a package; undefined: none. */
    readonly server: string | undefined
    readonly url: string
    /** Chosen: APPS_QUALITY_SCANNER, absolute path; undefined: the first one that is found. */
    readonly scanner: string | undefined
    /** Chosen: APPS_QUALITY_TIMEOUT (s, default 600). */
    readonly timeoutMs: number
  }
  /** Chosen: APPS_HOOKTIMEOUT (s, default 300), APPS_STARTTIMEOUT (s, 60), APPS_STOPTIMEOUT (s, 30). */
  readonly hookTimeoutMs: number
  readonly startTimeoutMs: number
  readonly stopTimeoutMs: number
  /** Chosen: APPS_HEALTHWINDOW: how long an upgraded instance must stay healthy (s, default 5). */
  readonly healthWindowMs: number
  /** Chosen: APPS_SLEEP_AFTER: how long an instance is idle until it is put to sleep (s, default 0: never). */
  readonly sleepAfterMs: number
  /** Chosen: APPS_SUSPENDMAX: how long a save may pause an instance (s, default 30). */
  readonly suspendMaxMs: number
  /** Chosen: APPS_TRASHDAYS: days for which deleted instances can be restored (default 7; 0: not at all). */
  readonly trashDays: number
  /** Chosen: APPS_REHEARSEUPGRADES: `upgradeall` rehearses before (default no). */
  readonly rehearseUpgrades: boolean
  /** Chosen: APPS_RESTOREPOINTDAYS: how long an upgrade can be rolled back (default 7; 0: not at all). */
  readonly restorePointDays: number
  /** Chosen: APPS_LIMIT_MEMORY, APPS_LIMIT_CPU, APPS_LIMIT_PROCESSES, APPS_LIMIT_FILES: of each instance. */
  readonly limits: Limits
  /** Chosen: APPS_CGROUPS: limits hold by cgroups where they can be used. */
  readonly cgroups: boolean
  /** Chosen: APPS_CONTAINER_SOCKET, APPS_CONTAINER_IMAGE, APPS_CONTAINER_NETWORK: of the runtime "container". */
  readonly containers: { readonly socket: string; readonly image: string | undefined; readonly network: string }
  /**
   * APPS_SWARM_REGISTRY: where nodes of the runtime "swarm" get images from; undefined: there is one node.
   * APPS_SWARM_REGISTRY_USER, APPS_SWARM_REGISTRY_PASSWORD_FILE: undefined, where it has no password.
   */
  readonly swarm: {
    readonly registry: string | undefined
    readonly user: string | undefined
    readonly passwordFile: string | undefined
  }
  /** Chosen: APPS_DOCUMENTS, APPS_DOCUMENTS_ACCESS_KEY, APPS_DOCUMENTS_SECRET_KEY. */
  readonly documents: DocumentsSettings
  /** Chosen: APPS_LOGMAXSIZE (MB, default 10), APPS_LOGKEEP (default 5). */
  readonly log: { readonly maxBytes: number; readonly keep: number }
  /** Chosen: APPS_WINDOW `HH:MM-HH:MM` local time in which upgradeall and saveall start work; undefined: always. */
  readonly window: { readonly from: string; readonly to: string } | undefined
  /** Variables that are nothing to the manager: instances and hooks get them. */
  readonly passedOn: Readonly<Record<string, string>>
}

export interface BackupEncryptionSettings {
  /** `age1…`, or one path of a file of them. */
  readonly recipients?: readonly string[] | undefined
  readonly passphrase?: Secret | undefined
  /** Absolute. */
  readonly identityFile?: string | undefined
}

export interface DocumentsSettings {
  /** Address of the bucket for documents of new instances; undefined: they are in folders. */
  readonly address: string | undefined
  readonly accessKey: string | undefined
  readonly secretKey: Secret | undefined
}

export interface DatabaseServerSettings {
  readonly host: string
  readonly port: number
  readonly adminUser: string
  readonly adminPassword: Secret
  /** APPS_POSTGRESQL_SERVER …: the package that makes databases there; undefined: the manager does. */
  readonly package?: string
}

export interface OracleServerSettings extends DatabaseServerSettings {
  /** APPS_ORACLE_SERVICE, ORACLE_SID */
  readonly service: string
  /** ORACLE_HOME, TNS_ADMIN … as far as they are set. */
  readonly environment: Readonly<Record<string, string>>
}

export interface MssqlServerSettings extends DatabaseServerSettings {
  /** APPS_MSSQL_ENCRYPT */
  readonly encryption: 'yes' | 'trust' | 'no'
}

/** Settings of the reverse proxy. */
export interface ProxySettings {
  /** APPS_PROXY: instances are published. */
  readonly enabled: boolean
  /** APPS_HTTPSERVER: `nginx`, `httpd`, or a package. */
  readonly type: string
  /** APPS_PROXYDIR: absolute. */
  readonly folder: string
  /** APPS_PROXYCONFIG, APPS_PROXYCOMMAND: absolute. */
  readonly mainFile: string | undefined
  readonly command: string | undefined
  /** APPS_PROXYHTTP, APPS_PROXYHTTPS */
  readonly httpPort: number
  readonly httpsPort: number
}

/** Settings of certificates that are issued over ACME (RFC 8555). */
export interface AcmeSettings {
  readonly directory: string
  readonly email: string | undefined
  /** Absolute path of the certificate that the directory is trusted by; undefined: the system's. */
  readonly caFile: string | undefined
}

/** Settings of the checks that the server makes. */
export interface MonitoringSettings {
  /** 0: none are made. */
  readonly intervalMs: number
  /** An answer after this long is a warning. */
  readonly slowMs: number
  /** Checks in a row that must fail before people are notified. */
  readonly alertAfter: number
  readonly keepDays: number
  /** Alerts are posted there as JSON. It may hold a token. */
  readonly webhook: Secret | undefined
}

/** Files of certificates may be missing: it is the reverse proxy that needs them. */
export interface SslSettings {
  /** `force`: nothing but HTTPS. */
  readonly mode: 'on' | 'off' | 'force'
  readonly serverCertificate: string | undefined
  readonly serverKey: string | undefined
  readonly serverCaCertificate: string | undefined
  readonly clientCaCertificate: string | undefined
  readonly clientCaFolder: string | undefined
}

/** Settings of code-quality analyses. */
export interface QualitySettings {
  readonly url?: string | undefined
  /** A login, or a token when there is no password. */
  readonly login?: Secret | undefined
  readonly password?: Secret | undefined
  readonly organization?: string | undefined
}

export interface MailSettings {
  readonly server: string
  readonly port: number
  readonly user: string | undefined
  readonly password: Secret | undefined
}

/** Settings of `version-<v>.sh`. Source: docs/spec/instances-manager.md, "Version-level settings". */
export interface VersionSettings {
  /** Chosen: APPS_TEMPLATE: `default`, `folder:<path>`, `git:<url>#<ref>`, `npm:<name>@<range>`. */
  readonly template: string | undefined
  /** Chosen: APPS_RUNTIME; undefined: that of the manager. */
  readonly runtime: string | undefined
  /** APPS_AUTOUPGRADE; forced to false below version 4.0 of versions that run on Java, see `versionSettingsOf`. */
  readonly autoUpgrade: boolean
  /** APPS_JDK: of versions that run on Java. */
  readonly jdk: string | undefined
  /** Chosen: APPS_TOMCAT: folder of the Tomcat that serves them. */
  readonly tomcat: string
  /** APPS_ENCONDING, spelled so. */
  readonly encoding: string
  /** APPS_TOMCATMINMEM, APPS_TOMCATMAXMEM; undefined: not set. The latter becomes the limit of the instance's heap. */
  readonly minMemoryMb: number | undefined
  readonly maxMemoryMb: number | undefined
  /** Chosen: APPS_LIMIT_MEMORY …; what is not set here is that of the manager. */
  readonly limits: Limits
  readonly passedOn: Readonly<Record<string, string>>
}

/**
 * Settings of an instance, `instances/<id>/settings.sh`, mode 0600. Source: docs/spec/instances-manager.md,
 * "Instance-level settings".
 */
export interface InstanceSettings {
  /** SERVICE_CONTEXT: `/` or `/<name>`. */
  readonly context: string
  /** SERVICE_URL: its I/O endpoint. */
  readonly url: string
  /** SERVICE_USER, SERVICE_PASSWORD */
  readonly user: string
  readonly password: Secret
  /** SERVICE_ADMIN_USER, SERVICE_ADMIN_PASSWORD: of the administrator that the first start makes. */
  readonly adminUser: string
  readonly adminPassword: Secret
  /** SERVICE_DATABASE */
  readonly database: DatabaseType
  /** SERVICE_DATABASE_HOST, SERVICE_DATABASE_PORT; undefined for the embedded one. */
  readonly databaseHost: string | undefined
  readonly databasePort: number | undefined
  /** SERVICE_DATABASE_NAME (of SQLite the file's path below the instance's folder), SERVICE_DATABASE_USER, SERVICE_DATABASE_PASSWORD */
  readonly databaseName: string
  readonly databaseUser: string
  readonly databasePassword: Secret
  /** SERVICE_PLACEMENT and SERVICE_REPLICAS, of the runtime "swarm". */
  readonly placement?: string | undefined
  readonly replicas?: number
  /** SERVICE_DOCUMENTS: the bucket of its documents; undefined: its folder. */
  readonly documents?: string | undefined
  /** SERVICE_ORACLE_SID */
  readonly databaseSid?: string | undefined
  /** SERVICE_TOMCATMINMEM, SERVICE_TOMCATMAXMEM */
  readonly minMemoryMb?: number | undefined
  readonly maxMemoryMb: number | undefined
  /** SERVICE_LIMIT_MEMORY …; what is not set here is that of the version. */
  readonly limits?: Limits
  /** SERVICE_NEUTRALISED: a copy that sends nothing out. Default false. */
  readonly neutralised?: boolean
  /** SERVICE_SLEEP_AFTER; undefined: that of the manager. */
  readonly sleepAfterMs?: number | undefined
  /** SERVICE_DEBUG: each start opens the debugger. Default false. */
  readonly debug?: boolean
  /** SERVICE_DEBUG_ORIGIN */
  readonly debugOrigin?: string | undefined
  /** SERVICE_QUALITY_PROJECT …; what is not set here is that of the manager. */
  readonly quality?: QualitySettings & { readonly project?: string | undefined }
  /** SERVICE_REMOTE_GIT_USERNAME, SERVICE_REMOTE_GIT_PASSWORD */
  readonly remoteGit?: { readonly user?: string | undefined; readonly password?: Secret | undefined }
  /** Variables that are nothing to the manager; kept when the file is written again. */
  readonly others: Readonly<Record<string, string>>
}

/**
 * Read when needed: what an operator changes holds from then on. All throw ManagerError ERR_SETTINGS naming the file and
 * line when something else than settings is there, or a value that is not allowed.
 */
export interface Settings {
  /**
   * A value that cannot be used spoils what needs it and nothing else: it is refused when it is read. Processes that knew
   * a good one keep it, those who only look (`withDefaults`) have the default, as has what says how long or how often
   * something is done.
   *
   * @throws ManagerError ERR_HOME when there is no `config.sh`; ERR_SETTINGS when lines of it cannot be read
   */
  readonly global: GlobalSettings
  /** What of `config.sh` cannot be used now. @throws ManagerError ERR_HOME */
  problems(): readonly ManagerError[]
  /** A version without a file has the defaults. */
  version(version: string): Promise<VersionSettings>
  /** @throws ManagerError ERR_NOT_FOUND when there is no file. */
  instance(folder: string): Promise<InstanceSettings>
  /** Atomically, mode 0600; comments and order of the file stay. `folder` is the instance's home. */
  writeInstance(folder: string, settings: InstanceSettings): Promise<void>
  /**
   * All variables with value, default and origin, for `config`; secrets as `***`. Wrong values are reported as hints.
   *
   * @param of absent: those of the manager
   */
  describe(of?: { readonly version: string } | { readonly folder: string }): readonly SettingDescription[]
  /**
   * What hooks find in their environment: the caller's, and all variables of the manager but secrets, which a hook that
   * needs them reads from `$APPS_HOME/config.sh`.
   */
  environment(): Readonly<Record<string, string>>
}

export interface SettingDescription {
  readonly name: string
  /** Heading: `General`, `Databases` … */
  readonly section: string
  /** Text as written; secrets `***`; undefined: neither set nor a default. */
  readonly value: string | undefined
  readonly default: string | undefined
  /** `default`, `environment`, or file and line: `config.sh:12`. */
  readonly origin: string
  readonly summary: string
  /** For a value that looks wrong: `Did you mean APPS_EMAIL?` */
  readonly hint?: string
}

/** Where from the manager may upgrade itself, and to what. */
export interface UpgradeSource {
  /** APPS_UPGRADEREGISTRY */
  readonly registry: string
  /** APPS_UPGRADEPIN: `1.2.0 sha512-…`. */
  readonly pin: string
}

/** A target as it is set in `config.sh`. */
export interface TargetSettings {
  /** `scp`, `ftp`, `swift`, `swift-alt`, `s3`, `gcs`, or one of APPS_TARGETS. */
  readonly name: string
  /** Type of `@steward/backup-targets`, or the npm package of a plug-in. */
  readonly type: string
  /** By the names of the type's options. */
  readonly options: Readonly<Record<string, string | Secret>>
}
