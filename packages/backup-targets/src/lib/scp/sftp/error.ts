import { TargetError, type TargetErrorCode } from '../../target-error.js'

/** Codes of SSH_FXP_STATUS that are told apart; those from 11 on are of later versions, which some servers send. */
export const status = {
  ok: 0,
  endOfFile: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  connectionLost: 7,
  unsupported: 8,
  fileExists: 11,
  noSpace: 14,
  quotaExceeded: 15,
} as const

const codes: Readonly<Record<number, TargetErrorCode>> = {
  [status.noSuchFile]: 'ERR_TARGET_NOT_FOUND',
  [status.permissionDenied]: 'ERR_TARGET_REFUSED',
  [status.connectionLost]: 'ERR_TARGET_UNREACHABLE',
  [status.fileExists]: 'ERR_TARGET_EXISTS',
  [status.noSpace]: 'ERR_TARGET_FULL',
  [status.quotaExceeded]: 'ERR_TARGET_FULL',
}

/** What the server answered instead of what it was asked for. */
export class SftpError extends Error {
  readonly status: number

  constructor(code: number, message: string) {
    super(message || `status ${code}`)
    this.name = 'SftpError'
    this.status = code
  }
}

export function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof SftpError && statuses.includes(error.status)
}

/** An answer of the server as an error of a target. Others are passed on. */
export function targetErrorOf(error: unknown, attempt: string): unknown {
  if (!(error instanceof SftpError)) return error
  const code = codes[error.status] ?? 'ERR_TARGET_FAILED'
  return new TargetError(code, `${attempt}: the server says "${error.message}".`, { cause: error })
}
