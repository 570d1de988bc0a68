import type { Principal } from '@steward/rest-core'

/** Knows the users. `createUserDirectory` of `@steward/rest-core/system` is one. */
export interface Authenticator {
  /**
   * The user with this login when the password (perhaps empty) is right. Should take as long when there is no such user,
   * as `verifyPasswordHash(password, undefined)` does.
   */
  verifyPassword(login: string, password: string): Promise<Principal | undefined>
  /** The user as he or she is now; `undefined` when gone or not active. */
  principalOf(userId: string): Promise<Principal | undefined>
}
