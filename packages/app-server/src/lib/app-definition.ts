import { isIP } from 'node:net'
import { join } from 'node:path'
import { loadCheckedFile } from '@steward/rest-core'
import type { Level } from '@steward/rest-koa'
import { appSchema } from './app-schema.js'
import type { PackageUse } from './plugins.js'
import { SettingsError } from './settings.js'
import type { Settings } from './settings.js'

/** What `app.yaml` says. */
export interface AppDefinition {
  /** Name in addresses, e.g. `catalog`. */
  readonly name: string
  readonly title?: string
  readonly version: string
  /** Compatibility level of the service; default the latest. */
  readonly level?: Level
  /** URL of the database; a relative SQLite file lies below the application's folder. Default `sqlite:data/<name>.db`. */
  readonly database?: string
  /**
   * On SQLite: `full`, every acknowledged write is on the disk, also after a power failure; `normal`, a power failure may
   * lose the last ones. Servers of databases have settings of their own. Default `normal`.
   */
  readonly synchronous?: 'normal' | 'full'
  /**
   * Where documents are kept: a folder, a bucket (`s3://bucket/prefix?endpoint=…&region=…`), or a package that exports a
   * `DocumentStorePlugin`. Default `data/documents`.
   */
  readonly documents?: string | PackageUse
  /** Package that exports an `AuthenticatorPlugin`, which then checks passwords. Default: those of the users. */
  readonly authenticator?: PackageUse
  /** Packages that export field types. Default none. */
  readonly fieldTypes?: readonly string[]
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 8080. */
  readonly port?: number
  /** Processes that serve; `auto`: one per CPU core. Default 1. */
  readonly workers?: number | 'auto'
  /** Login of the user under which calls without credentials run; absent: they are refused. */
  readonly publicUser?: string
  /** Origins of other sites whose pages may call the service; default none. */
  readonly cors?: { readonly origins: readonly string[]; readonly credentials?: boolean }
  /** Address ranges that may call the service, e.g. `10.0.0.0/8`; default all. */
  readonly allowedOrigins?: readonly string[]
  /** Address ranges of proxies in front; their X-Forwarded-… headers are believed. Default none. */
  readonly trustedProxies?: readonly string[]
  readonly log?: { readonly format?: 'json' | 'combined' | 'none'; readonly level?: string }
  /** `<Name>` of the header `X-<Name>-Authorization`. Default `Steward`. */
  readonly authorizationHeader?: string
  /** Users without a password sign in with their login alone, but for administrators. Default false. */
  readonly passwordless?: boolean
  /** Fewest characters of a new password. Default 8. */
  readonly minPasswordLength?: number
  /** Minutes that a token lasts. Default 480. */
  readonly tokenMinutes?: number
  /** Seconds for which browsers shall use https only; for services that are reached by https. Default none. */
  readonly strictTransportSeconds?: number
  /** Most bytes of a request body. Default 10 MiB. */
  readonly maxBodyBytes?: number
  /** Seconds after which the database gives up a statement, 0: never. Default 30 on SQLite, else 60. */
  readonly statementTimeoutSeconds?: number
  /** Seconds that a client may take to read all records of a search, or a publication; 0: no limit. Default 600. */
  readonly streamTimeoutSeconds?: number
  /** Seconds that a batch may keep others from writing on SQLite; 0: no limit. Default 4. */
  readonly batchSeconds?: number
  /** `/io`: most bytes of a payload (default 1 GiB), and whether `url` may be an address of a private network (default no). */
  readonly io?: { readonly maxBytes?: number; readonly privateUrls?: boolean }
  /** Days after which events (7) and deliveries of webhooks (30) are deleted; webhooks may call private networks (false). */
  readonly events?: {
    readonly keepDays?: number
    readonly keepDeliveriesDays?: number
    readonly allowPrivateWebhooks?: boolean
  }
  /** Days after which entries of the audit trail are deleted. Default never. */
  readonly audit?: { readonly keepDays?: number }
  /** Most requests of one user (without one: of one address) in that many seconds. Default none. */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number }
  /** Compresses answers of the REST service for clients that take it. Default true. */
  readonly compression?: boolean
  /** Whether people see records on pages at `/`; `yes` and `no` are taken, too. Default true. */
  readonly pages?: boolean | 'yes' | 'no'
  /** Module whose default export fills a new application, run once. */
  readonly setup?: string
  /** Other values per environment (`STEWARD_ENV`, else `NODE_ENV`). */
  readonly environments?: Readonly<Record<string, Partial<Omit<AppDefinition, 'name' | 'version' | 'environments'>>>>
}

/** Made by the build. */
const validator = new URL('./app-schema.validate.js', import.meta.url)

/**
 * Reads `app.yaml` of a folder, with the values of the environment put over the common ones.
 *
 * @throws DefinitionError with file and line; SettingsError for an environment that is not there.
 */
export async function loadAppDefinition(
  folder: string,
  {
    environment,
    nodeEnvironment,
    documents,
    trustedProxies,
  }: Pick<Settings, 'environment' | 'nodeEnvironment' | 'documents' | 'trustedProxies'>,
): Promise<AppDefinition> {
  const file = join(folder, 'app.yaml')
  const { environments = {}, ...common } = (await loadCheckedFile(file, appSchema, validator)) as AppDefinition
  if (environment !== undefined && !Object.hasOwn(environments, environment)) {
    const known = Object.keys(environments).join(', ') || 'none'
    throw new SettingsError(`${file} has no environment "${environment}"; it has ${known}.`)
  }
  const said = { ...common, ...environments[environment ?? nodeEnvironment ?? ''] }
  const definition = {
    ...(trustedProxies && { trustedProxies }),
    ...said,
    ...(documents !== undefined && { documents }),
    ...(said.level !== undefined && { level: Number(said.level).toFixed(1) as Level }),
  }
  for (const name of ['allowedOrigins', 'trustedProxies'] as const) {
    const wrong = definition[name]?.find((range) => !isAddressRange(range, name === 'trustedProxies'))
    if (wrong === undefined) continue
    const place = said[name] === undefined ? 'STEWARD_TRUSTED_PROXIES' : `${file}: ${name}`
    throw new SettingsError(`${place}: "${wrong}" is not an address or a range such as 10.0.0.0/8.`)
  }
  return definition
}

const namedRanges = ['loopback', 'linklocal', 'uniquelocal']

function isAddressRange(text: string, namesAllowed: boolean): boolean {
  if (namesAllowed && namedRanges.includes(text)) return true
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}
