import type { Secret } from '../domain/secret.js'
import type { TargetSettings } from '../targets/targets.js'
import type { globalTable } from './tables/global.js'
import type { VariableValues } from './variable-values.js'

type Values = VariableValues<typeof globalTable>
type Options = Readonly<Record<string, string | Secret | undefined>>

/** The targets that are set, in the order of the requirements. Source: requirements, "Backup destinations". */
export function targetsOf({ value }: Values): readonly TargetSettings[] {
  const swift = {
    auth_url: value('APPS_SWIFT_AUTH_URL'),
    tenant_name: value('APPS_SWIFT_TENANT_NAME'),
    username: value('APPS_SWIFT_USERNAME'),
    password: value('APPS_SWIFT_PASSWORD'),
  }
  return [
    ...target('scp', 'scp', 'server', {
      server: value('APPS_SCP_SERVER'),
      user: value('APPS_SCP_USER'),
      path: value('APPS_SCP_PATH'),
    }),
    ...target('ftp', 'ftp', 'server', {
      server: value('APPS_FTP_SERVER'),
      user: value('APPS_FTP_USER'),
      password: value('APPS_FTP_PASSWORD'),
      path: value('APPS_FTP_PATH'),
    }),
    ...target('swift', 'swift', 'container', {
      ...swift,
      container: value('APPS_SWIFT_CONTAINER'),
      prefix: value('APPS_SWIFT_PREFIX'),
    }),
    ...target('swift-alt', 'swift', 'container', {
      ...swift,
      container: value('APPS_SWIFT_CONTAINER_ALT'),
      prefix: value('APPS_SWIFT_PREFIX_ALT'),
    }),
    ...target('s3', 's3', 'bucket', { bucket: value('APPS_S3_BUCKET') }),
    ...target('gcs', 'gcs', 'bucket', { bucket: value('APPS_GCS_BUCKET') }),
  ]
}

/** None when the option is not set that says whether it is used. */
function target(name: string, type: string, main: string, options: Options): readonly TargetSettings[] {
  if (options[main] === undefined) return []
  const given = Object.entries(options).filter((entry): entry is [string, string | Secret] => entry[1] !== undefined)
  return [{ name, type, options: Object.fromEntries(given) }]
}
