import { networkErrorCode } from '../http/network-error.js'
import { TargetError, type TargetErrorCode, type TargetErrorOptions } from '../target-error.js'

/** The fields of the SDK's errors that are read here. */
interface ServiceError extends Error {
  readonly Code?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

/** What a call was about, for messages. */
export interface Subject {
  readonly bucket: string
  readonly key?: string | undefined
}

/** The stores' own words, see docs of Amazon S3 "Error responses", MinIO `cmd/api-errors.go`, Ceph `rgw_common.cc`. */
const codes: Readonly<Record<string, TargetErrorCode>> = {
  NoSuchKey: 'ERR_TARGET_NOT_FOUND',
  NotFound: 'ERR_TARGET_NOT_FOUND',
  NoSuchVersion: 'ERR_TARGET_NOT_FOUND',

  NoSuchBucket: 'ERR_TARGET_SETTINGS',
  InvalidBucketName: 'ERR_TARGET_SETTINGS',
  PermanentRedirect: 'ERR_TARGET_SETTINGS',
  AuthorizationHeaderMalformed: 'ERR_TARGET_SETTINGS',
  CredentialsProviderError: 'ERR_TARGET_SETTINGS',

  AccessDenied: 'ERR_TARGET_REFUSED',
  AccountProblem: 'ERR_TARGET_REFUSED',
  AllAccessDisabled: 'ERR_TARGET_REFUSED',
  ExpiredToken: 'ERR_TARGET_REFUSED',
  Forbidden: 'ERR_TARGET_REFUSED',
  InvalidAccessKeyId: 'ERR_TARGET_REFUSED',
  InvalidToken: 'ERR_TARGET_REFUSED',
  RequestTimeTooSkewed: 'ERR_TARGET_REFUSED',
  SignatureDoesNotMatch: 'ERR_TARGET_REFUSED',
  UserSuspended: 'ERR_TARGET_REFUSED',

  PreconditionFailed: 'ERR_TARGET_EXISTS',

  EntityTooLarge: 'ERR_TARGET_FULL',
  QuotaExceeded: 'ERR_TARGET_FULL',
  XMinioAdminBucketQuotaExceeded: 'ERR_TARGET_FULL',
  XMinioStorageFull: 'ERR_TARGET_FULL',

  ObjectLocked: 'ERR_TARGET_LOCKED',

  BadDigest: 'ERR_TARGET_DAMAGED',
  IncompleteBody: 'ERR_TARGET_DAMAGED',
  InvalidDigest: 'ERR_TARGET_DAMAGED',
  InvalidPart: 'ERR_TARGET_DAMAGED',
  XAmzContentSHA256Mismatch: 'ERR_TARGET_DAMAGED',

  BandwidthLimitExceeded: 'ERR_TARGET_THROTTLED',
  RequestLimitExceeded: 'ERR_TARGET_THROTTLED',
  SlowDown: 'ERR_TARGET_THROTTLED',
  Throttling: 'ERR_TARGET_THROTTLED',
  ThrottlingException: 'ERR_TARGET_THROTTLED',
  TooManyRequests: 'ERR_TARGET_THROTTLED',

  ConditionalRequestConflict: 'ERR_TARGET_FAILED',
  NoSuchUpload: 'ERR_TARGET_FAILED',
  OperationAborted: 'ERR_TARGET_FAILED',

  RequestTimeout: 'ERR_TARGET_UNREACHABLE',
  TimeoutError: 'ERR_TARGET_UNREACHABLE',
}

const statuses: Readonly<Record<number, TargetErrorCode>> = {
  401: 'ERR_TARGET_REFUSED',
  403: 'ERR_TARGET_REFUSED',
  404: 'ERR_TARGET_NOT_FOUND',
  412: 'ERR_TARGET_EXISTS',
  413: 'ERR_TARGET_FULL',
  429: 'ERR_TARGET_THROTTLED',
  507: 'ERR_TARGET_FULL',
}

const help: Readonly<Record<string, string>> = {
  AuthorizationHeaderMalformed: 'Set region to that of the bucket.',
  CredentialsProviderError: 'Set access_key and secret_key, or the environment’s AWS_ACCESS_KEY_ID or AWS_PROFILE.',
  InvalidAccessKeyId: 'The store does not know this access key.',
  NoSuchBucket: 'Create the bucket, or correct its name.',
  PermanentRedirect: 'Set region to that of the bucket.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  SignatureDoesNotMatch: 'The secret key is wrong, or the region.',
}

/** Errors that a new upload gets over. */
const retriable = new Set(['ConditionalRequestConflict', 'NoSuchUpload', 'OperationAborted'])

/** The store's own name of an error: `NoSuchKey`. */
export function nameOf(error: unknown): string {
  const { Code, code, name } = error as ServiceError
  return Code ?? (name === 'Error' ? (code ?? name) : name)
}

function statusOf(error: unknown): number | undefined {
  return (error as ServiceError).$metadata?.httpStatusCode
}

export function toTargetError(error: unknown, { bucket, key }: Subject): TargetError {
  if (TargetError.is(error)) return error
  const name = nameOf(error)
  const status = statusOf(error)
  const code = isAboutLock(error as Error)
    ? 'ERR_TARGET_LOCKED'
    : (codes[name] ?? networkErrorCode(error) ?? statuses[status ?? 0] ?? unknownCode(error, status))
  const options: { -readonly [Name in keyof TargetErrorOptions]: TargetErrorOptions[Name] } = { cause: error }
  if (help[name] !== undefined) options.help = help[name]
  const retryAfter = Number((error as ServiceError).$response?.headers?.['retry-after'])
  if (retryAfter > 0) options.retryAfterMs = retryAfter * 1000
  if (retriable.has(name)) options.transient = true
  const where = key === undefined ? `The bucket ${bucket}` : `${key} in the bucket ${bucket}`
  return new TargetError(code, `${where}: ${textOf(error as Error, name, status)}`, options)
}

/** Amazon's S3 and MinIO answer with AccessDenied. */
function isAboutLock({ message }: Error): boolean {
  return /protected by object lock|WORM protected/i.test(message)
}

function unknownCode(error: unknown, status: number | undefined): TargetErrorCode {
  if (status !== undefined && status >= 500 && status !== 501) return 'ERR_TARGET_UNREACHABLE'
  return /region is missing/i.test((error as Error).message) ? 'ERR_TARGET_SETTINGS' : 'ERR_TARGET_FAILED'
}

function textOf(error: Error, name: string, status: number | undefined): string {
  // Answers to HEAD have no text.
  const shown = name.startsWith('Unknown') && status !== undefined ? `HTTP ${status}` : name
  const isSaid = error.message !== '' && error.message !== 'UnknownError' && error.message !== name
  return isSaid ? `${shown} (${error.message})` : shown
}
