import { randomId } from './names.js'
import { Secret } from './secret.js'

/** 24 lower-case alphanumerics, 123 bits: fit for URLs, files of any client and shells without quoting. */
export function newPassword(): Secret {
  return new Secret(randomId(24))
}
