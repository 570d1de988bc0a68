import { checkKey } from '../key.js'
import { TargetError } from '../target-error.js'
import type { TargetContext } from '../target-type.js'

/** The options, checked. */
export interface GcsSettings {
  readonly bucket: string
  /** Starts the names of all objects. */
  readonly prefix: string
  /** File with the key of a service account. Undefined: the usual credentials. */
  readonly keyFile: string | undefined
  /** Undefined: Google's. */
  readonly apiEndpoint: string | undefined
  /** Bytes of an upload kept in memory to be sent again; a multiple of 256 KiB. */
  readonly pieceBytes: number
  readonly idleMs: number
}

/** @throws TargetError ERR_TARGET_SETTINGS */
export function readSettings(options: Readonly<Record<string, string>>, context: TargetContext): GcsSettings {
  const { bucket = '', prefix = '', key_file: keyFile, api_endpoint: apiEndpoint } = options
  const { environment, idleMs } = context
  if (!/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket)) {
    throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(bucket)} is not a valid bucket name.`)
  }
  checkKey(`${prefix}x`)
  if (apiEndpoint !== undefined && !/^https?:\/\/[^@]+$/.test(apiEndpoint)) {
    throw new TargetError('ERR_TARGET_SETTINGS', 'api_endpoint must be an address as https://storage.example.org.')
  }
  return {
    bucket,
    prefix,
    keyFile: keyFile ?? ownCredentials(environment),
    apiEndpoint,
    pieceBytes: 8 * 1024 ** 2,
    idleMs,
  }
}

/** Those of the process itself, of any kind, are found by the client. */
function ownCredentials(environment: TargetContext['environment']): string | undefined {
  const file = environment['GOOGLE_APPLICATION_CREDENTIALS']
  return file === process.env['GOOGLE_APPLICATION_CREDENTIALS'] ? undefined : file || undefined
}
