import { TargetError } from './target-error.js'

const segment = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,159}$/

/**
 * Keys fit every store as they are: segments of letters, digits, `.`, `_`, `-`, that begin with a letter, digit or `_`,
 * with `/` between; at most 512 characters, 160 of each segment. Names that begin with `.` are for what targets keep
 * beside (partial objects).
 *
 * @throws TargetError ERR_TARGET_SETTINGS
 */
export function checkKey(key: string): void {
  if (isKey(key)) return
  const shown = key.length > 80 ? `${key.slice(0, 80)}…` : key
  throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(shown)} is no key of an object.`, {
    help: 'A key has letters, digits, ".", "_", "-" and "/" between its parts, no part begins with ".".',
  })
}

/** What others have put into the store may have other names; lists leave those out. */
export function isKey(key: string): boolean {
  return key.length <= 512 && key.split('/').every((part) => segment.test(part))
}

/** The `upload` of a put, or a random one. @throws TargetError ERR_TARGET_SETTINGS */
export function uploadId(upload: string | undefined): string {
  if (upload === undefined) return crypto.randomUUID().replaceAll('-', '')
  if (/^[A-Za-z0-9]{8,64}$/.test(upload)) return upload
  throw new TargetError('ERR_TARGET_SETTINGS', 'The name of an upload has 8 to 64 letters and digits.')
}
