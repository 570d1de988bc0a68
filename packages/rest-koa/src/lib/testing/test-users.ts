import { systemPrincipal, hashPassword, verifyPasswordHash } from '@steward/rest-core'
import type { Principal } from '@steward/rest-core'
import type { Authenticator } from '../auth/authenticator.js'

export interface TestUsers extends Authenticator {
  /** Checks of passwords so far. */
  readonly checks: number
  add(login: string, password: string): Promise<void>
  remove(login: string): void
  /** Could be the authenticator's `securityStampOf`. */
  stampOf(principal: Principal): string | undefined
  /** The next checks of passwords wait until the promise resolves, or fail with it. */
  delay: Promise<unknown> | undefined
}

/** Users in memory, with real password hashes. */
export async function createTestUsers(passwords: Readonly<Record<string, string>>): Promise<TestUsers> {
  const users = new Map<string, { readonly principal: Principal; readonly hash: string }>()
  const stamps = new WeakMap<Principal, string>()
  let checks = 0
  const result: TestUsers = {
    get checks() {
      return checks
    },
    delay: undefined,
    async add(login, password) {
      const principal = systemPrincipal({
        login,
        userId: `id of ${login}`,
        firstname: 'First',
        lastname: 'Last',
        email: 'a@b.c',
        lang: 'fr',
      })
      const hash = await hashPassword(password, { logN: 4, r: 8, p: 1 })
      users.set(login, { principal, hash })
      stamps.set(principal, hash.slice(-22))
    },
    remove: (login) => void users.delete(login),
    stampOf: (principal) => stamps.get(principal),
    async verifyPassword(login, password) {
      checks++
      const user = users.get(login)
      await result.delay
      return user && (await verifyPasswordHash(password, user.hash)) ? user.principal : undefined
    },
    async principalOf(userId) {
      return [...users.values()].find(({ principal }) => principal.userId === userId)?.principal
    },
  }
  for (const [login, password] of Object.entries(passwords)) await result.add(login, password)
  return result
}
