import { Secret } from '../domain/secret.js'
import { limitsOf } from './limits.js'
import type { InstanceSettings } from './settings.js'
import type { instanceTable } from './tables/instance.js'
import type { VariableValues } from './variable-values.js'

export function instanceSettingsOf(
  { value }: VariableValues<typeof instanceTable>,
  others: Readonly<Record<string, string>>,
): InstanceSettings {
  const sleepAfter = value('SERVICE_SLEEP_AFTER')
  const [placement, replicas] = [value('SERVICE_PLACEMENT'), value('SERVICE_REPLICAS')]
  return {
    context: value('SERVICE_CONTEXT'),
    url: value('SERVICE_URL'),
    user: value('SERVICE_USER'),
    password: value('SERVICE_PASSWORD'),
    adminUser: value('SERVICE_ADMIN_USER'),
    adminPassword: value('SERVICE_ADMIN_PASSWORD'),
    database: value('SERVICE_DATABASE'),
    databaseHost: value('SERVICE_DATABASE_HOST'),
    databasePort: value('SERVICE_DATABASE_PORT'),
    databaseName: value('SERVICE_DATABASE_NAME'),
    databaseUser: value('SERVICE_DATABASE_USER') ?? '',
    databasePassword: value('SERVICE_DATABASE_PASSWORD') ?? new Secret(''),
    databaseSid: value('SERVICE_ORACLE_SID'),
    documents: value('SERVICE_DOCUMENTS'),
    minMemoryMb: value('SERVICE_TOMCATMINMEM'),
    maxMemoryMb: value('SERVICE_TOMCATMAXMEM'),
    limits: limitsOf(value, 'SERVICE'),
    ...(placement !== undefined && { placement }),
    ...(replicas > 1 && { replicas }),
    sleepAfterMs: sleepAfter === undefined ? undefined : sleepAfter * 1000,
    ...(value('SERVICE_NEUTRALISED') && { neutralised: true }),
    ...(value('SERVICE_DEBUG') && { debug: true }),
    debugOrigin: value('SERVICE_DEBUG_ORIGIN'),
    quality: {
      project: value('SERVICE_QUALITY_PROJECT'),
      url: value('SERVICE_QUALITY_URL'),
      login: value('SERVICE_QUALITY_LOGIN'),
      password: value('SERVICE_QUALITY_PASSWORD'),
      organization: value('SERVICE_QUALITY_ORG'),
    },
    remoteGit: {
      user: value('SERVICE_REMOTE_GIT_USERNAME'),
      password: value('SERVICE_REMOTE_GIT_PASSWORD'),
    },
    others,
  }
}
