import { RestError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { WriteContext } from '../service/hooks.js'
import { mayDoEverything, system } from './administrators.js'

/** Invisible: format and control characters, fillers, variation selectors. */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/**
 * Keeps logins apart that look the same to people: blanks around them go, invisible characters and other forms of letters
 * (fullwidth, ligatures) are refused, and none may differ from another one only by case or the dot of an i. Not covered:
 * letters of different scripts that look alike.
 *
 * A user who is not an administrator does not change the login of a user: row filters go by it.
 */
export async function checkLogin(
  { principal, values, service }: WriteContext,
  before: string | undefined,
): Promise<void> {
  if (typeof values['usr_login'] !== 'string') return
  const login = (values['usr_login'] = values['usr_login'].trim())
  if (login === before) return
  if (before !== undefined && !mayDoEverything(principal))
    throw new RestError('ERR_RIGHT', 'Only administrators may change the login of a user.')
  if (invisible.test(login) || login.normalize('NFKC') !== login) {
    const text =
      'Field "usr_login" must not contain invisible characters, or letters in special forms such as fullwidth.'
    throw RestError.validation([{ code: 'ERR_PATTERN', field: 'usr_login', text }])
  }
  const folded = foldLogin(login)
  if (reserved.has(folded)) {
    const text = `Login "${login}" is reserved for the server: records that it creates carry it.`
    throw RestError.validation([{ code: 'ERR_PATTERN', field: 'usr_login', text }])
  }
  const filter: Filter = { op: 'like', field: 'usr_login', pattern: patternOf(folded) }
  for await (const users of await service.search(system, 'User', { filter, fields: ['usr_login'] })) {
    const twin = users.map((user) => user['usr_login'] as string).find((other) => foldLogin(other) === folded)
    // The same login is a duplicate, which is reported elsewhere.
    if (twin === undefined || twin === login || twin === before) continue
    const text = `Login "${login}" is too similar to "${twin}", which another user has.`
    throw RestError.conflict([{ code: 'ERR_USERKEY', field: 'usr_login', text }])
  }
}

/** What the server writes down as the author of its own changes. */
const reserved: ReadonlySet<string> = new Set(['system', 'io', 'webhooks'])

/** Equal for logins that look the same. */
export function foldLogin(login: string): string {
  const cased = login.normalize('NFKC').toUpperCase().toLowerCase()
  return cased.replaceAll('i\u0307', 'i').normalize('NFKC')
}

/** Finds all logins that fold to this text, and others: only what folds to itself, but for the case of A–Z, is said. */
function patternOf(folded: string): string {
  return folded.replace(/[^a-hj-rt-z0-9.@-]+/g, '%')
}
