import { allRights } from './create-rights.js'
import type { Principal } from './rights.js'

/** Makes a principal; what is not given is empty, rights are all rights. */
export function createPrincipal(given: Partial<Principal> & { readonly login: string }): Principal {
  return {
    userId: given.login,
    groups: [],
    rights: allRights,
    firstname: '',
    lastname: '',
    email: '',
    lang: '',
    ...given,
  }
}

/** Whether what is kept to these groups is the principal's: one with all rights is in each. Undefined: it is kept to none. */
export function isInSome(
  { rights, groups }: Pick<Principal, 'rights' | 'groups'>,
  some: readonly string[] | undefined,
): boolean {
  return some === undefined || rights === allRights || some.some((group) => groups.includes(group))
}
