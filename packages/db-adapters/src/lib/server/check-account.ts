import { DatabaseServerError } from './database-server.js'
import type { DatabaseAccount } from './database-server.js'

/** Most characters. */
export interface LongestNames {
  readonly name: number
  readonly user: number
}

/**
 * Names go into statements; with these characters they need no quoting anywhere.
 *
 * @throws DatabaseServerError ERR_FAILED
 */
export function checkAccount({ name, user }: DatabaseAccount, most: LongestNames): void {
  check('database', name, most.name)
  check('user', user, most.user)
}

function check(what: string, name: string, most: number): void {
  if (/^[a-z][a-z0-9_]*$/.test(name) && name.length <= most) return
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name
  throw new DatabaseServerError(
    'ERR_FAILED',
    `"${shown}" is not a valid ${what} name. Use 1 to ${most} of a-z, 0-9 and _, with a letter first.`,
  )
}

/** @throws DatabaseServerError ERR_FAILED */
export function checkPassword({ user, password }: DatabaseAccount): void {
  if (password !== '') return
  throw new DatabaseServerError('ERR_FAILED', `The user "${user}" cannot be made without a password.`)
}
