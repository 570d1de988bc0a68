import { networkErrorCode } from '../network-error.js'
import { TargetError, type TargetErrorCode } from '../target-error.js'

/** The fields of the client's errors that are read here: of its own, and of the HTTP client below. */
interface ServiceError extends Error {
  readonly code?: number | string
  readonly status?: number
  readonly errors?: readonly { readonly reason?: string; readonly message?: string }[]
  readonly response?: { readonly status?: number; readonly data?: unknown }
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
  // Of an upload that was forgotten.
  410: 'ERR_TARGET_UNREACHABLE',
  412: 'ERR_TARGET_EXISTS',
  413: 'ERR_TARGET_FULL',
  429: 'ERR_TARGET_THROTTLED',
}

/** @param what e.g. `Cannot store "a/b"` */
export function toTargetError(error: unknown, what: string): TargetError {
  if (error instanceof TargetError) return error
  const status = statusOf(error as ServiceError)
  const { message, code } = error as ServiceError
  const text = textOf(error as ServiceError)
  if (status === 404 && /bucket does not exist/i.test(text)) {
    return new TargetError('ERR_TARGET_SETTINGS', `${what}: ${text}`, { cause: error, help: 'Correct its name.' })
  }
  if (code === 'FILE_NO_UPLOAD' || code === 'CONTENT_DOWNLOAD_MISMATCH') {
    return new TargetError('ERR_TARGET_DAMAGED', `${what}: the store has other bytes than were sent.`, { cause: error })
  }
  const found =
    reasons[reasonOf(error as ServiceError) ?? ''] ??
    statuses[status ?? 0] ??
    networkErrorCode(error) ??
    (isTransient(status, message)
      ? 'ERR_TARGET_UNREACHABLE'
      : isAboutCredentials(text)
        ? 'ERR_TARGET_SETTINGS'
        : undefined)
  return new TargetError(found ?? 'ERR_TARGET_FAILED', `${what}: ${text}`, { cause: error })
}

export function statusOf({ code, status, response }: ServiceError): number | undefined {
  return [code, status, response?.status].map(Number).find((each) => each >= 100)
}

function reasonOf(error: ServiceError): string | undefined {
  return detailOf(error)?.reason
}

function textOf(error: ServiceError): string {
  return detailOf(error)?.message ?? error.message
}

/** The first error of the answer, which comes in one of three shapes. */
function detailOf({ errors, response }: ServiceError): NonNullable<ServiceError['errors']>[number] | undefined {
  const [first] = errors ?? []
  const data = (first as { error?: unknown } | undefined)?.error ?? (response?.data as { error?: unknown })?.error
  if (data === undefined) return first
  const { errors: inner = [], ...own } = data as { errors?: ServiceError['errors']; message?: string }
  return inner[0] ?? own
}

/** The client tries again by itself, and then says only that. */
function isTransient(status: number | undefined, message: string): boolean {
  if (status !== undefined && status >= 500 && status !== 501) return true
  return /^Retry (limit|total time limit) exceeded|^Invalid response|ETIMEDOUT|ECONN|socket hang up/.test(message)
}

function isAboutCredentials(message: string): boolean {
  return /could not load the default credentials|DECODER routines|invalid_grant/i.test(message)
}
