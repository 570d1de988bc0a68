import { allRights } from './create-rights.js'
import type { Principal } from './rights.js'

/**
 * Makes the principal of a user; what is not given is empty.
 *
 * @throws TypeError without rights: they are never all by mistake.
 */
export function createPrincipal(given: Partial<Principal> & Pick<Principal, 'login' | 'rights'>): Principal {
  if (!(given as Partial<Principal>).rights) {
    throw new TypeError(
      `The principal of "${given.login}" needs rights. Make them with createRights(model, grants, variables).`,
    )
  }
  return {
    userId: given.login,
    groups: [],
    firstname: '',
    lastname: '',
    email: '',
    lang: '',
    ...given,
  }
}

/** Makes a principal who may do everything, for code that acts on its own; never for the caller of a request. */
export function systemPrincipal(given: Partial<Omit<Principal, 'rights'>> = {}): Principal {
  return createPrincipal({ login: 'system', ...given, rights: allRights })
}

/** Whether what is kept to these groups is the principal's: one with all rights is in each. Undefined: it is kept to none. */
export function isInSome(
  { rights, groups }: Pick<Principal, 'rights' | 'groups'>,
  some: readonly string[] | undefined,
): boolean {
  return some === undefined || rights === allRights || some.some((group) => groups.includes(group))
}
