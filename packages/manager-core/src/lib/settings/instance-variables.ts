import type { InstanceSettings } from './settings.js'

/** Instance settings as variables, secrets in plain: for the settings file and for environments. */
export function instanceVariables(settings: InstanceSettings): Readonly<Record<string, string>> {
  const { databaseHost, databasePort, maxMemoryMb, others } = settings
  return {
    SERVICE_CONTEXT: settings.context,
    SERVICE_URL: settings.url,
    SERVICE_USER: settings.user,
    SERVICE_PASSWORD: settings.password.reveal(),
    SERVICE_ADMIN_USER: settings.adminUser,
    SERVICE_ADMIN_PASSWORD: settings.adminPassword.reveal(),
    SERVICE_DATABASE: settings.database,
    ...(databaseHost !== undefined && { SERVICE_DATABASE_HOST: databaseHost }),
    ...(databasePort !== undefined && { SERVICE_DATABASE_PORT: `${databasePort}` }),
    SERVICE_DATABASE_NAME: settings.databaseName,
    SERVICE_DATABASE_USER: settings.databaseUser,
    SERVICE_DATABASE_PASSWORD: settings.databasePassword.reveal(),
    ...(maxMemoryMb !== undefined && { SERVICE_TOMCATMAXMEM: `${maxMemoryMb}` }),
    SERVICE_AUTOUPGRADE: `${settings.autoUpgrade}`,
    ...others,
  }
}
