import type { Principal } from '@steward/rest-core'
import type { Context } from 'koa'
import type { ClientAddress } from '../http/client-address.js'
import type { Authenticator } from './authenticator.js'
import type { LoginAndPassword } from './credentials.js'
import { createPasswordQueue } from './password-queue.js'
import type { PasswordQueueOptions } from './password-queue.js'
import { createThrottle } from './throttle.js'
import type { ThrottleOptions } from './throttle.js'

export interface PasswordCheckOptions {
  readonly authenticator: Authenticator
  readonly client: ClientAddress
  /** An empty password may be right. */
  readonly passwordless: boolean
  readonly throttle: ThrottleOptions | undefined
  readonly queue: PasswordQueueOptions | undefined
}

export type PasswordCheck = (context: Context, credentials: LoginAndPassword) => Promise<Principal | undefined>

/**
 * The user with a login and password, if the password is right: guessing is slowed down, and not too many are checked at
 * once.
 *
 * @throws RestError ERR_TOO_MANY, ERR_UNAVAILABLE
 */
export function createPasswordCheck({
  authenticator,
  client,
  passwordless,
  throttle,
  queue,
}: PasswordCheckOptions): PasswordCheck {
  const { attempt } = createThrottle(throttle)
  const inTurn = createPasswordQueue(queue)

  return async function checkPassword({ req }, { login, password }) {
    const attempted = await attempt(login, client.of(req))
    if (password === '' && !passwordless) return undefined
    let principal
    try {
      principal = await inTurn(() => authenticator.verifyPassword(login, password))
    } catch (error) {
      await attempted.undone()
      throw error
    }
    if (principal) await attempted.succeeded()
    return principal
  }
}
