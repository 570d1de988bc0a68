import type { Secret } from '../domain/secret.js'
import type { InstanceSettings } from './settings.js'

/**
 * Instance settings as variables, secrets in plain: for the settings file and for environments. What is not set is not
 * there.
 */
export function instanceVariables(settings: InstanceSettings): Readonly<Record<string, string>> {
  const { limits, quality, remoteGit } = settings
  return present({
    SERVICE_CONTEXT: settings.context,
    SERVICE_URL: settings.url,
    SERVICE_USER: settings.user,
    SERVICE_PASSWORD: settings.password,
    SERVICE_ADMIN_USER: settings.adminUser,
    SERVICE_ADMIN_PASSWORD: settings.adminPassword,
    SERVICE_DATABASE: settings.database,
    SERVICE_DATABASE_HOST: settings.databaseHost,
    SERVICE_DATABASE_PORT: settings.databasePort,
    SERVICE_DATABASE_NAME: settings.databaseName,
    SERVICE_DATABASE_USER: settings.databaseUser,
    SERVICE_DATABASE_PASSWORD: settings.databasePassword,
    SERVICE_ORACLE_SID: settings.databaseSid,
    SERVICE_DOCUMENTS: settings.documents,
    SERVICE_TOMCATMINMEM: settings.minMemoryMb,
    SERVICE_TOMCATMAXMEM: settings.maxMemoryMb,
    SERVICE_LIMIT_MEMORY: limits?.memory,
    SERVICE_LIMIT_CPU: limits?.cpu,
    SERVICE_LIMIT_PROCESSES: limits?.processes,
    SERVICE_LIMIT_FILES: limits?.files,
    SERVICE_NEUTRALISED: settings.neutralised || undefined,
    SERVICE_PLACEMENT: settings.placement,
    SERVICE_REPLICAS: settings.replicas,
    SERVICE_SLEEP_AFTER: settings.sleepAfterMs === undefined ? undefined : settings.sleepAfterMs / 1000,
    SERVICE_DEBUG: settings.debug || undefined,
    SERVICE_DEBUG_ORIGIN: settings.debugOrigin,
    SERVICE_QUALITY_PROJECT: quality?.project,
    SERVICE_QUALITY_URL: quality?.url,
    SERVICE_QUALITY_LOGIN: quality?.login,
    SERVICE_QUALITY_PASSWORD: quality?.password,
    SERVICE_QUALITY_ORG: quality?.organization,
    SERVICE_REMOTE_GIT_USERNAME: remoteGit?.user,
    SERVICE_REMOTE_GIT_PASSWORD: remoteGit?.password,
    ...settings.others,
  })
}

function present(values: Readonly<Record<string, string | number | boolean | Secret | undefined>>) {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined) return []
      return [[name, typeof value === 'object' ? value.reveal() : String(value)]]
    }),
  )
}
