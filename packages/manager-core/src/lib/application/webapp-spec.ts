import { existsSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import type { DatabaseType } from '../domain/instance.js'
import type { InstanceSpec } from '../runtime/runtime.js'
import type { TomcatDataSource } from '../runtime/tomcat/tomcat-spec.js'
import { instanceVariables } from '../settings/instance-variables.js'
import type { InstanceSettings, VersionSettings } from '../settings/settings.js'

export interface WebappOptions {
  /** Folder of the web application. */
  readonly app: string
  readonly data: string
  /** Name of its version. */
  readonly version: string
  readonly own: InstanceSettings
  readonly settings: VersionSettings
  /** Name of the database; for SQLite the absolute path of its file. */
  readonly databaseName: string
}

/** What is different from an application for Node: how a Java web application is run, and what it finds in its environment. */
export function webappSpec({
  app,
  data,
  version,
  own,
  settings,
  databaseName,
}: WebappOptions): Pick<InstanceSpec, 'command' | 'workingFolder' | 'takesSockets' | 'environment' | 'tomcat'> {
  const { jdk, tomcat: home, encoding } = settings
  return {
    command: [],
    workingFolder: data,
    takesSockets: true,
    environment: {
      ...instanceVariables(own),
      SERVICE_DATA: data,
      SERVICE_DATABASE_NAME: databaseName,
      SERVICE_DATABASE_URL: jdbcUrl(own, databaseName),
    },
    tomcat: {
      app,
      context: own.context,
      java: needJdk(version, jdk),
      home,
      encoding,
      minMemoryMb: own.minMemoryMb ?? settings.minMemoryMb,
      debugPort: debugPortOf(own.debugOrigin),
      dataSource: dataSourceOf(own.database),
    },
  }
}

/** @throws ManagerError ERR_SETTINGS when a version names none */
export function needJdk(version: string, jdk: string | undefined): string {
  if (jdk !== undefined) return jdk
  throw new ManagerError(
    'ERR_SETTINGS',
    `Version ${version} is a Java web application, but its settings name no JDK.`,
    {
      help: `Set the folder of a JDK or JRE in version-${version}.sh, e.g. APPS_JDK=/usr/lib/jvm/java-17-openjdk-amd64.`,
    },
  )
}

/** SERVICE_DEBUG_ORIGIN. @throws ManagerError ERR_SETTINGS for what others could reach */
/** @throws ManagerError ERR_SETTINGS */
export function debugPortOf(origin: string | undefined): number | undefined {
  if (origin === undefined || origin === '') return undefined
  const port = Number(/^(?:(?:127\.0\.0\.1|localhost):)?(\d{1,5})$/.exec(origin)?.[1])
  if (port > 0 && port < 65_536) return port
  throw new ManagerError(
    'ERR_SETTINGS',
    `SERVICE_DEBUG_ORIGIN is "${origin}", but debuggers listen on 127.0.0.1 only.`,
    {
      help: 'Set a local port, e.g. 8000. To reach it from another machine, use an SSH tunnel.',
    },
  )
}

function jdbcUrl({ database, databaseHost, databasePort, databaseSid }: InstanceSettings, name: string): string {
  const host = databaseHost?.includes(':') ? `[${databaseHost}]` : (databaseHost ?? 'localhost')
  const server = databasePort === undefined ? host : `${host}:${databasePort}`
  switch (database) {
    case 'sqlite':
      return `jdbc:sqlite:${name}`
    case 'postgresql':
      return `jdbc:postgresql://${server}/${name}`
    case 'mysql':
      return `jdbc:mariadb://${server}/${name}`
    case 'oracle':
      return `jdbc:oracle:thin:@//${server}/${databaseSid ?? ''}`
    case 'mssql':
      return `jdbc:sqlserver://${server};databaseName=${name}`
  }
}

/** Drivers of JDBC, and where Debian's packages put them. */
const drivers: Readonly<Record<DatabaseType, { readonly driverClass: string; readonly jars: readonly string[] }>> = {
  sqlite: { driverClass: 'org.sqlite.JDBC', jars: ['/usr/share/java/sqlite-jdbc.jar'] },
  postgresql: { driverClass: 'org.postgresql.Driver', jars: ['/usr/share/java/postgresql.jar'] },
  mysql: { driverClass: 'org.mariadb.jdbc.Driver', jars: ['/usr/share/java/mariadb-java-client.jar'] },
  oracle: { driverClass: 'oracle.jdbc.OracleDriver', jars: [] },
  mssql: { driverClass: 'com.microsoft.sqlserver.jdbc.SQLServerDriver', jars: [] },
}

function dataSourceOf(database: DatabaseType): TomcatDataSource {
  const { driverClass, jars } = drivers[database]
  return { driverClass, jar: jars.find((jar) => existsSync(jar)) }
}
