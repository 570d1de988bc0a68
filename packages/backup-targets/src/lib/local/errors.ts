import { TargetError, type TargetErrorCode } from '../target-error.js'

const codes: Readonly<Record<string, TargetErrorCode>> = {
  ENOSPC: 'ERR_TARGET_FULL',
  EDQUOT: 'ERR_TARGET_FULL',
  EFBIG: 'ERR_TARGET_FULL',
  EACCES: 'ERR_TARGET_REFUSED',
  EPERM: 'ERR_TARGET_REFUSED',
  EROFS: 'ERR_TARGET_REFUSED',
  ENOTDIR: 'ERR_TARGET_SETTINGS',
  EISDIR: 'ERR_TARGET_SETTINGS',
  ENAMETOOLONG: 'ERR_TARGET_SETTINGS',
  // Folders that are mounted from elsewhere fail with these.
  EIO: 'ERR_TARGET_UNREACHABLE',
  ESTALE: 'ERR_TARGET_UNREACHABLE',
  ETIMEDOUT: 'ERR_TARGET_UNREACHABLE',
  ENOTCONN: 'ERR_TARGET_UNREACHABLE',
  EHOSTDOWN: 'ERR_TARGET_UNREACHABLE',
}

/** What the file system said, as an error of a target. */
export function fileError(error: unknown, attempt: string): TargetError {
  if (TargetError.is(error)) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  return new TargetError(codes[code] ?? 'ERR_TARGET_FAILED', `${attempt}: ${message}`, { cause: error })
}

export function isCode(error: unknown, ...names: readonly string[]): boolean {
  return names.includes((error as NodeJS.ErrnoException).code ?? '')
}
