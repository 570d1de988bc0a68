import { hash, timingSafeEqual } from 'node:crypto'
import type { Principal } from '@steward/rest-core'
import { systemPrincipal } from '@steward/rest-core'
import { createAuthentication } from '@steward/rest-koa'
import type { Authentication, TrustProxy } from '@steward/rest-koa'

export interface ServiceAccount {
  readonly user: string
  readonly password: string
}

/**
 * Authentication of the one user of `/io`, who may do everything: basic, with wrong passwords slowed down as for log-in.
 * Source: docs/spec/wire-decisions.md, "Application server".
 */
export function createServiceAuthentication(
  { user, password }: ServiceAccount,
  { realm, headerName, trustProxy }: { realm: string; headerName?: string | undefined; trustProxy: TrustProxy },
): Authentication {
  const principal: Principal = systemPrincipal({ login: user })
  const expected = digest(user, password)
  return createAuthentication({
    authenticator: {
      async verifyPassword(login, given) {
        return timingSafeEqual(digest(login, given), expected) ? principal : undefined
      },
      async principalOf(userId) {
        return userId === principal.userId ? principal : undefined
      },
    },
    realm,
    trustProxy,
    ...(headerName !== undefined && { headerName }),
  })
}

/** Always the same length, so that a comparison takes the same time whatever was sent. */
function digest(user: string, password: string): Buffer {
  return hash('sha256', JSON.stringify([user, password]), 'buffer')
}
