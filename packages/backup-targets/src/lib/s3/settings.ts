import { checkKey } from '../key.js'
import { TargetError } from '../target-error.js'
import type { TargetContext } from '../target-type.js'
import { maxPartMb, minPartMb } from './part-size.js'

/** The options, checked. */
export interface S3Settings {
  readonly bucket: string
  readonly prefix: string
  /** Undefined: Amazon's. */
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly profile: string | undefined
  /** Undefined: the usual chain. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
    | undefined
  readonly pathStyle: boolean
  readonly partBytes: number
  readonly lockDays: number | undefined
  readonly lockMode: 'COMPLIANCE' | 'GOVERNANCE'
  readonly idleMs: number
}

/** @throws TargetError ERR_TARGET_SETTINGS */
export function readSettings(given: Readonly<Record<string, string>>, context: TargetContext): S3Settings {
  const { environment, idleMs } = context
  const { bucket = '', prefix = '', lock_mode: lockMode = '' } = given
  const endpoint =
    given['endpoint'] ?? (environment['AWS_ENDPOINT_URL_S3'] || environment['AWS_ENDPOINT_URL'] || undefined)
  if (!/^[A-Za-z0-9][A-Za-z0-9._:-]{1,254}$/.test(bucket)) throw refused('bucket', bucket, 'the name of a bucket')
  checkKey(`${prefix}x`)
  if (lockMode !== 'compliance' && lockMode !== 'governance') {
    throw refused('lock_mode', lockMode, 'compliance or governance')
  }
  return {
    bucket,
    prefix,
    endpoint: endpoint === undefined ? undefined : checkEndpoint(endpoint),
    region:
      given['region'] ?? (environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || (endpoint && 'us-east-1')),
    profile: environment['AWS_PROFILE'] || undefined,
    credentials: credentialsOf(given, environment),
    pathStyle: given['path_style'] === undefined ? endpoint !== undefined : yesOrNo('path_style', given['path_style']),
    partBytes: wholeNumber('part_mb', given['part_mb'] ?? '', minPartMb, maxPartMb) * 1024 ** 2,
    lockDays: given['lock_days'] === undefined ? undefined : wholeNumber('lock_days', given['lock_days'], 1, 36_500),
    lockMode: lockMode === 'compliance' ? 'COMPLIANCE' : 'GOVERNANCE',
    idleMs,
  }
}

function checkEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.search !== '') {
    // Not the value: it may hold a password.
    throw new TargetError('ERR_TARGET_SETTINGS', 'endpoint must be an address as https://s3.example.org.')
  }
  return endpoint
}

function credentialsOf(
  given: Readonly<Record<string, string>>,
  environment: TargetContext['environment'],
): S3Settings['credentials'] {
  const { access_key: accessKey, secret_key: secretKey } = given
  if ((accessKey === undefined) !== (secretKey === undefined)) {
    throw new TargetError('ERR_TARGET_SETTINGS', 'access_key and secret_key are given both or not at all.')
  }
  if (accessKey !== undefined && secretKey !== undefined) {
    return { accessKeyId: accessKey, secretAccessKey: secretKey }
  }
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: sessionToken } = environment
  if (!id || !secret) return undefined
  return { accessKeyId: id, secretAccessKey: secret, ...(sessionToken && { sessionToken }) }
}

function yesOrNo(name: string, value: string): boolean {
  if (value !== 'yes' && value !== 'no') throw refused(name, value, 'yes or no')
  return value === 'yes'
}

function wholeNumber(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= min && number <= max) return number
  throw refused(name, value, `a whole number from ${min} to ${max}`)
}

function refused(name: string, value: string, wanted: string): TargetError {
  return new TargetError('ERR_TARGET_SETTINGS', `${name} must be ${wanted}, not ${JSON.stringify(value)}.`)
}
