// @ts-check
import { TargetError } from '@steward/backup-targets'

/** @typedef {import('@steward/backup-targets').TargetErrorCode} TargetErrorCode */

/** @type {Readonly<Record<number, TargetErrorCode>>} */
const codes = {
  401: 'ERR_TARGET_REFUSED',
  403: 'ERR_TARGET_REFUSED',
  404: 'ERR_TARGET_NOT_FOUND',
  // Answers a PUT or a MOVE whose folder is missing.
  409: 'ERR_TARGET_NOT_FOUND',
  // Answers a MOVE that must not overwrite.
  412: 'ERR_TARGET_EXISTS',
  413: 'ERR_TARGET_FULL',
  423: 'ERR_TARGET_LOCKED',
  429: 'ERR_TARGET_THROTTLED',
  503: 'ERR_TARGET_THROTTLED',
  507: 'ERR_TARGET_FULL',
}

/**
 * All that can go wrong becomes a TargetError here, in one place around every call: its code says what it is, and whether
 * trying again may help.
 *
 * @param {unknown} error
 * @param {string} attempt what was tried, for the message
 * @returns {TargetError}
 */
export function webdavError(error, attempt) {
  if (TargetError.is(error)) return error
  const {
    status,
    code = '',
    message,
    response,
  } = /** @type {import('webdav').WebDAVClientError & { code?: string }} */ (error)
  const options = { cause: error, retryAfterMs: retryAfter(response?.headers.get('retry-after')) }
  if (status !== undefined) {
    const other = status >= 500 ? 'ERR_TARGET_UNREACHABLE' : 'ERR_TARGET_FAILED'
    return new TargetError(codes[status] ?? other, `${attempt}: the server answered ${status}.`, options)
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return new TargetError('ERR_TARGET_IDENTITY', `${attempt}: the certificate is not trusted (${code}).`, options)
  return new TargetError('ERR_TARGET_UNREACHABLE', `${attempt}: ${message}`, options)
}

/**
 * Seconds, or a date.
 *
 * @param {string | null | undefined} header
 */
function retryAfter(header) {
  if (!header) return undefined
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** @param {unknown} error */
export function isNotFound(error) {
  return /** @type {{ status?: number }} */ (error).status === 404
}
