import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Action, ManagerContext } from '@steward/manager-core'
import type { Addressing } from '../addressing.js'
import { HttpError } from '../http-error.js'
import type { Principal } from './principal.js'

/** Who may do what over HTTP. */
export interface Access {
  /** @throws HttpError 401 with a challenge, 429 */
  authenticate(request: IncomingMessage): Promise<Principal>
  /**
   * Whether the principal has the ability of the action. Which instances it may touch, the manager itself looks at
   * (`Caller.instances`).
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

export function createAccess({ settings }: Pick<ManagerContext, 'settings'>, { isLoopback }: Addressing): Access {
  if (!isLoopback && settings.global.password === undefined) throw new Error('No password.')
  return {
    async authenticate(request) {
      const { userName, password, realmName } = settings.global
      const [, encoded = ''] = /^Basic ([\w+/=-]+)$/i.exec(request.headers.authorization ?? '') ?? []
      const given = Buffer.from(encoded, 'base64').toString()
      if (!isSame(given, `${userName}:${password?.reveal() ?? 'admin'}`))
        throw new HttpError(401, 'ERR_ACCESS', 'User or password is wrong.', {
          headers: { 'WWW-Authenticate': `Basic realm="${realmName.replaceAll(/["\\]/g, '')}", charset="UTF-8"` },
        })
      const abilities = new Set(['read', 'operate', 'admin', 'sensitive'] as const)
      return { actor: userName, by: 'password', abilities, address: request.socket.remoteAddress ?? '' }
    },
    authorize() {},
    guard() {},
  }
}

function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(a), hash(b))
}
