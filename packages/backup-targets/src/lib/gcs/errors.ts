import { networkErrorCode } from '../http/network-error.js'
import { TargetError, type TargetErrorCode } from '../target-error.js'

/** From our own requests, and from those with which Google's client logs in. */
interface ServiceError extends Error {
  readonly response?: { readonly status?: number; readonly data?: unknown }
}

/** The API's description of an error. */
interface Detail {
  readonly reason?: string
  readonly message?: string
}

/** The API's own words, see "JSON API usage: error responses". */
const reasons: Readonly<Record<string, TargetErrorCode>> = {
  objectUnderActiveHold: 'ERR_TARGET_LOCKED',
  retentionPolicyNotMet: 'ERR_TARGET_LOCKED',
  quotaExceeded: 'ERR_TARGET_FULL',
  uploadTooLarge: 'ERR_TARGET_FULL',
  rateLimitExceeded: 'ERR_TARGET_THROTTLED',
  userRateLimitExceeded: 'ERR_TARGET_THROTTLED',
}

const statuses: Readonly<Record<number, TargetErrorCode>> = {
  401: 'ERR_TARGET_REFUSED',
  403: 'ERR_TARGET_REFUSED',
  404: 'ERR_TARGET_NOT_FOUND',
  408: 'ERR_TARGET_UNREACHABLE',
  // An upload that was forgotten.
  410: 'ERR_TARGET_NOT_FOUND',
  412: 'ERR_TARGET_EXISTS',
  413: 'ERR_TARGET_FULL',
  429: 'ERR_TARGET_THROTTLED',
}

/** @param what e.g. `Cannot store "a/b"` */
export function toTargetError(error: unknown, what: string): TargetError {
  if (TargetError.is(error)) return error
  const { response, message } = error as ServiceError
  const { reason = '', message: text = message } = detailOf(response?.data) ?? {}
  const status = response?.status ?? 0
  if (status === 404 && /bucket does not exist/i.test(text)) {
    return new TargetError('ERR_TARGET_SETTINGS', `${what}: ${text}`, { cause: error, help: 'Correct its name.' })
  }
  const code =
    reasons[reason] ??
    statuses[status] ??
    networkErrorCode(error) ??
    (isTrouble(status) ? 'ERR_TARGET_UNREACHABLE' : undefined) ??
    (isAboutCredentials(text) ? 'ERR_TARGET_SETTINGS' : 'ERR_TARGET_FAILED')
  return new TargetError(code, `${what}: ${text}`, { cause: error })
}

function detailOf(data: unknown): Detail | undefined {
  const { error } = (data ?? {}) as { readonly error?: Detail & { readonly errors?: readonly Detail[] } }
  return error?.errors?.[0] ?? error
}

/** The server is in trouble. */
function isTrouble(status: number): boolean {
  return status >= 500 && status !== 501
}

function isAboutCredentials(message: string): boolean {
  return /could not load the default credentials|DECODER routines|invalid_grant/i.test(message)
}
