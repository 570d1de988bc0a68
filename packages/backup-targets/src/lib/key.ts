import { TargetError } from './target-error.js'

const segment = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/

/**
 * Keys fit every store as they are: segments of letters, digits, `.`, `_`, `-`, that begin with a letter, digit or `_`,
 * with `/` between; at most 512 characters. Names that begin with `.` are for what targets keep beside (partial objects).
 *
 * @throws TargetError ERR_TARGET_SETTINGS
 */
export function checkKey(key: string): void {
  if (key.length <= 512 && key.split('/').every((part) => segment.test(part))) return
  const shown = key.length > 80 ? `${key.slice(0, 80)}…` : key
  throw new TargetError('ERR_TARGET_SETTINGS', `${JSON.stringify(shown)} is no key of an object.`, {
    help: 'A key has letters, digits, ".", "_", "-" and "/" between its parts, no part begins with ".".',
  })
}
