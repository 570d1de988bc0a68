import type { IncomingMessage } from 'node:http'
import { createTokens, grantOf, whyNot, withParts, type Action } from '@steward/manager-core'
import type { ManagerContext } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import type { Addressing } from '../addressing.js'
import { HttpError } from '../http-error.js'
import { credentialsOf } from './credentials.js'
import { guard } from './guard.js'
import { createPasswordCheck } from './password.js'
import type { Principal } from './principal.js'

/** Who may do what over HTTP. */
export interface Access {
  /** @throws HttpError 401 with a challenge, 429 */
  authenticate(request: IncomingMessage): Promise<Principal>
  /**
   * Whether the principal has the ability of the action, and the action is for its scope. Which instances it may touch,
   * the manager itself looks at (`Caller.instances`).
   *
   * @throws HttpError 403
   */
  authorize(principal: Principal, action: Action): void
  /**
   * The guard of wire-decisions for GET actions that change something: other sites must not make a browser do them.
   *
   * @throws HttpError 403 that says why
   */
  guard(request: IncomingMessage, principal: Principal): void
}

/** @throws ManagerError ERR_SETTINGS when others could come in with the default password */
export function createAccess(
  context: Pick<ManagerContext, 'settings' | 'registry' | 'clock'>,
  { isLoopback }: Addressing,
): Access {
  const { settings } = context
  const isPassword = createPasswordCheck(context)
  if (!isLoopback && settings.global.password === undefined)
    throw new ManagerError('ERR_SETTINGS', 'The server would be reachable from other machines without a password.', {
      help: 'Set APPS_PASSWORD in config.sh, or listen on 127.0.0.1.',
      command: 'config APPS_PASSWORD APPS_LISTEN',
    })
  const tokens = createTokens(context)

  return {
    async authenticate(request) {
      const address = request.socket.remoteAddress ?? ''
      const { token, user, password } = credentialsOf(request.headers.authorization)
      if (token !== undefined) {
        const found = tokens.use(token)
        if (found) return { actor: `token ${found.name}`, by: 'token', address, ...grantOf(found) }
        throw unauthorized('The token is not known, or has expired.')
      }
      if (user === undefined || !isPassword(user, password ?? ''))
        throw unauthorized(user === undefined ? 'User and password are needed.' : 'User or password is wrong.')
      return { actor: user, by: 'password', abilities: withParts(['admin', 'sensitive']), address }
    },
    authorize(principal, action) {
      const reason = whyNot(action, principal)
      if (reason !== undefined) throw new HttpError(403, 'ERR_ACCESS', reason)
    },
    guard: (request) => guard(request.headers),
  }

  function unauthorized(message: string): HttpError {
    const realm = settings.global.realmName.replaceAll(/[^\x20-\x7E]|["\\]/g, '')
    return new HttpError(401, 'ERR_ACCESS', message, {
      headers: { 'WWW-Authenticate': `Basic realm="${realm}", charset="UTF-8"` },
    })
  }
}
