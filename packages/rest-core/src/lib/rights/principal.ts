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
