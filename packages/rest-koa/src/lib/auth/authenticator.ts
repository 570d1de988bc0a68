import type { Principal } from '@steward/rest-core'
import type { UserDirectory } from '@steward/rest-core/system'

/** Knows the users. `createUserDirectory` of `@steward/rest-core/system` is one. */
export interface Authenticator {
  /**
   * The user with this login when the password (perhaps empty) is right. Should take as long when there is no such user,
   * as `verifyPasswordHash(password, undefined)` does.
   */
  verifyPassword(login: string, password: string): Promise<Principal | undefined>
  /** The user as he or she is now; `undefined` when gone or not active. */
  principalOf(userId: string): Promise<Principal | undefined>
  /**
   * A text that changes when the password of this principal's user does, e.g. a part of a hash of the stored hash, or the
   * time of the last change. It stands in the user's tokens, which their holders can read. Tokens with another stamp end,
   * and a password that was right is not checked again while the stamp is the same. Default: tokens outlive the password
   * they were given for, and passwords are checked again and again.
   */
  securityStampOf?(principal: Principal): string | undefined
  /**
   * Gives the user another password; the present one was right. Default: passwords cannot be changed by `/password`.
   *
   * @throws RestError ERR_VALIDATION, whose messages are about `newPassword`
   */
  changePassword?(principal: Principal, password: string): Promise<void>
  /** Ends connections. Called once, when nothing uses it any more. */
  close?(): Promise<void>
}

/** What a package exports as `authenticator`, for applications that name it in `app.yaml`. */
export interface AuthenticatorPlugin {
  /**
   * Opens it; what it needs is checked here.
   *
   * @throws Error whose message says which option is wrong, and what to do.
   */
  open(
    options: Readonly<Record<string, unknown>>,
    context: AuthenticatorContext,
  ): Authenticator | Promise<Authenticator>
}

export interface AuthenticatorContext {
  /** The users of the application: who signs in needs a user there, with his or her groups and rights. */
  readonly users: Pick<UserDirectory, 'verifyPassword' | 'principalOf' | 'principalOfLogin' | 'securityStampOf'>
}
