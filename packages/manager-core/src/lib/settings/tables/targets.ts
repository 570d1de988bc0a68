import type { Variable } from '../variable.js'
import { secret, text } from './rows.js'

const section = 'Remote stores'

/**
 * Variables of the stores that backups are copied to. Source: docs/spec/instances-manager.md, "Global settings". What
 * follows the name of the store is the name of an option of its type, see `targetsOf`.
 */
export const targetTable = {
  APPS_SCP_SERVER: text(section, 'SCP: server'),
  APPS_SCP_PORT: port('SCP: port'),
  APPS_SCP_USER: text(section, 'SCP: user, who logs in with a key'),
  APPS_SCP_PATH: text(section, 'SCP: folder'),
  APPS_SCP_KEY: path('SCP: file of the private key; not set: what ssh finds'),
  APPS_SCP_KNOWN_HOSTS: path('SCP: file of host keys; not set: those of the user'),

  APPS_FTP_SERVER: text(section, 'FTP: server'),
  APPS_FTP_PORT: port('FTP: port'),
  APPS_FTP_USER: text(section, 'FTP: user'),
  APPS_FTP_PASSWORD: secret(section, 'FTP: password'),
  APPS_FTP_PATH: text(section, 'FTP: folder'),
  APPS_FTP_TLS: {
    type: 'choice',
    section,
    choices: ['explicit', 'implicit', 'none'],
    summary: 'FTP: how it is encrypted; not set: explicit',
  },
  APPS_FTP_CA: path('FTP: certificate of the authority of the server'),

  APPS_SWIFT_CONTAINER: storeA('CONTAINER', 'Swift: container or its address'),
  APPS_SWIFT_PREFIX: storeA('PREFIX', 'Swift: prefix of file names'),
  APPS_SWIFT_CONTAINER_ALT: storeA('CONTAINER_ALT', 'Swift: second container'),
  APPS_SWIFT_PREFIX_ALT: storeA('PREFIX_ALT', 'Swift: prefix of file names in the second container'),
  APPS_SWIFT_AUTH_URL: { ...storeA('AUTH_URL', 'Swift: address of the log-in'), type: 'url' },
  APPS_SWIFT_AUTH_VERSION: {
    type: 'choice',
    section,
    choices: ['1', '2', '3'],
    summary: 'Swift: version of the log-in; not set: detected from its address',
  },
  APPS_SWIFT_TENANT_NAME: storeA('TENANT_NAME', 'Swift: tenant or project'),
  APPS_SWIFT_DOMAIN: text(section, 'Swift: domain of user and project'),
  APPS_SWIFT_REGION: text(section, 'Swift: region'),
  APPS_SWIFT_USERNAME: storeA('USERNAME', 'Swift: user'),
  APPS_SWIFT_PASSWORD: { ...storeA('PASSWORD', 'Swift: password'), type: 'secret' },

  APPS_S3_BUCKET: { ...text(section, 'S3: bucket'), aliases: ['APPS_STORE_B_BUCKET'] },
  APPS_S3_PREFIX: text(section, 'S3: prefix of file names'),
  APPS_S3_ENDPOINT: { type: 'url', section, summary: 'S3: address of a store that is not Amazon' },
  APPS_S3_REGION: text(section, 'S3: region'),
  APPS_S3_ACCESS_KEY: secret(section, 'S3: id of the key; not set: credentials of the environment'),
  APPS_S3_SECRET_KEY: secret(section, 'S3: the key'),
  APPS_S3_LOCK_DAYS: {
    type: 'integer',
    section,
    min: 1,
    max: 36_500,
    summary: 'S3: days during which copies cannot be deleted',
  },

  APPS_GCS_BUCKET: { ...text(section, 'Google Cloud Storage: bucket'), aliases: ['APPS_STORE_C_BUCKET'] },
  APPS_GCS_PREFIX: text(section, 'Google Cloud Storage: prefix of file names'),
  APPS_GCS_KEY_FILE: path('Google Cloud Storage: file of a key; not set: credentials of the environment'),

  APPS_TARGETS: {
    type: 'targets',
    section,
    summary: 'Names of more stores, each with APPS_TARGET_<NAME>_TYPE and its options',
  },
  APPS_TARGET_BANDWIDTH: {
    type: 'integer',
    section,
    min: 1,
    max: 100_000_000,
    summary: 'Maximum KB per second of all transfers of a command; not set: no limit',
  },
} as const satisfies Readonly<Record<string, Variable>>

function path(summary: string) {
  return { type: 'path', section, summary } as const
}

function port(summary: string) {
  return { type: 'integer', section, min: 1, max: 65_535, summary } as const
}

/** Object store A of docs/spec/instances-manager.md, "Global settings"; its neutral name is taken, too. */
function storeA(name: string, summary: string) {
  return { type: 'text', section, summary, aliases: [`APPS_STORE_A_${name}`] } as const
}
