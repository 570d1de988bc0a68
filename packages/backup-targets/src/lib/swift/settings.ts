import { TargetError } from '../target-error.js'
import type { TargetContext } from '../target-type.js'
import type { LoginSettings } from './login.js'

export interface SwiftSettings {
  readonly login: LoginSettings
  readonly container: string
  /** The account that has the container, when the container was given by its address; else the log-in names it. */
  readonly storageUrl: string | undefined
  /** What names of objects begin with. */
  readonly prefix: string
  readonly partBytes: number
  readonly idleMs: number
}

type Options = Readonly<Record<string, string>>

/** Largest that one object may be; Swift's default (`max_file_size`). */
export const maxPartBytes = 5 * 2 ** 30

/** @throws TargetError ERR_TARGET_SETTINGS */
export function readSettings(options: Options, { idleMs }: TargetContext): SwiftSettings {
  const { container = '', prefix = '' } = options
  const place = /^https?:/i.test(container) ? fromAddress(container) : { container, storageUrl: undefined }
  if (!isContainerName(place.container)) {
    throw settingsError(`The container ${JSON.stringify(container)} is no name and no address of one.`)
  }
  return {
    ...place,
    login: readLogin(options),
    prefix: prefix.replace(/^\/+/, ''),
    partBytes: readPartBytes(options),
    idleMs,
  }
}

/** `https://store.example/v1/AUTH_account/container` */
function fromAddress(address: string): { readonly container: string; readonly storageUrl: string | undefined } {
  const url = parseUrl(address, 'container')
  const [, path = '', container = ''] = /^(.*)\/([^/]+)\/?$/.exec(url.pathname) ?? []
  return { container: decode(container), storageUrl: path === '' ? '' : `${url.origin}${path}` }
}

function isContainerName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && Buffer.byteLength(name) <= 200
}

function readLogin(options: Options): LoginSettings {
  const { auth_version: version = '', application_credential_id: id, application_credential_secret: secret } = options
  if (!['', '1', '2', '3'].includes(version)) {
    throw settingsError(`The auth_version ${JSON.stringify(version)} is none of 1, 2 and 3.`)
  }
  const wanted = id === undefined ? ['auth_url', 'username', 'password'] : ['auth_url', 'application_credential_secret']
  const missing = wanted.filter((name) => !options[name])
  if (missing.length > 0) throw settingsError(`Missing: ${missing.join(', ')}.`)
  return {
    url: parseUrl(options.auth_url ?? '', 'auth_url'),
    version: version === '' ? undefined : (Number(version) as 1 | 2 | 3),
    tenant: options.tenant_name,
    user: options.username ?? '',
    password: options.password ?? '',
    domain: options.domain ?? 'Default',
    tenantDomain: options.tenant_domain ?? options.domain ?? 'Default',
    region: options.region,
    applicationCredential: id === undefined || secret === undefined ? undefined : { id, secret },
  }
}

function readPartBytes({ part_mb: megabytes = '64' }: Options): number {
  const bytes = Number(megabytes) * 2 ** 20
  if (/^\d+(\.\d+)?$/.test(megabytes) && bytes >= 2 ** 16 && bytes <= maxPartBytes) return Math.round(bytes)
  throw settingsError(`part_mb is ${JSON.stringify(megabytes)}, it must be a number from 0.0625 to 5120.`)
}

function parseUrl(text: string, option: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // It may have a password in it.
    throw settingsError(`The ${option} is no address that begins with https:// or http://.`)
  }
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  return url
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function settingsError(message: string): TargetError {
  return new TargetError('ERR_TARGET_SETTINGS', `Swift: ${message}`)
}
