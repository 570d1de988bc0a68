import { coerce, compare } from 'semver'
import { ManagerError } from '../../errors.js'

const pattern = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$/

/** @throws ManagerError ERR_USAGE. Not specified; chosen so that it may be part of file names: `version-<version>.sh`. */
export function checkVersionName(version: string): void {
  if (pattern.test(version)) return
  const shown = version.length > 40 ? `${version.slice(0, 40)}…` : version
  throw new ManagerError('ERR_USAGE', `"${shown}" is not a valid version name.`, {
    help: 'Use 1 to 40 letters, digits and . _ + -, with a letter or digit first, e.g. 1.0.',
  })
}

/**
 * Negative when `a` is the older one. `1` is `1.0.0`, and `v5.1-p2` is `5.1.0-p2`; names without numbers come before
 * all others, in the order of their letters.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => coerce(text, { includePrerelease: true }))
  if (left && right) return compare(left, right) || byName(a, b)
  if (!left && !right) return byName(a, b)
  return left ? 1 : -1
}

/** Whether two names say the same version: `1`, `1.0` and `1.0.0`. */
export function isSameVersion(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => coerce(text, { includePrerelease: true }))
  return left && right ? compare(left, right) === 0 : a === b
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
