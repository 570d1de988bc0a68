import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Authenticator } from '../auth/authenticator.js'

export interface AuthenticatorUnderTest {
  readonly authenticator: Authenticator
  /** Two users who may sign in, with different passwords. */
  readonly users: readonly [LoginAndPassword, LoginAndPassword]
  /** Gives a user another password where passwords are kept. Default: what follows from that is not tried. */
  changePassword?(login: string, password: string): Promise<void>
  /** Takes away that a user may sign in. Default: what follows from that is not tried. */
  disable?(login: string): Promise<void>
  dispose?(): void | Promise<void>
}

interface LoginAndPassword {
  readonly login: string
  readonly password: string
}

/** What could end or widen a query, a filter or a path in which a login stands. */
const hostile = [
  '',
  ' ',
  '*',
  'a*',
  '*)(uid=*',
  ')(|(cn=*',
  "' or '1'='1",
  '" or ""="',
  '../admin',
  '\0',
  'a\0b',
  '\r\nX: y',
  '\uD800',
  '\u{1F600}',
  'x'.repeat(100_000),
]

/**
 * Defines the tests of the `Authenticator` contract for one implementation, in a group called `name`.
 *
 * @example
 * testAuthenticator('ldap', async () => ({ authenticator, users: [ann, bob] }))
 */
export function testAuthenticator(
  name: string,
  open: () => AuthenticatorUnderTest | Promise<AuthenticatorUnderTest>,
): void {
  describe(name, { timeout: 60_000 }, () => {
    let used: AuthenticatorUnderTest
    let authenticator: Authenticator
    beforeAll(async () => {
      used = await open()
      authenticator = used.authenticator
    })
    afterAll(() => used?.dispose?.())

    test('the right password gives the user, with a login and an id', async () => {
      for (const { login, password } of used.users) {
        const principal = await authenticator.verifyPassword(login, password)
        expect(principal?.login).toBe(login)
        expect(principal?.userId).toEqual(expect.stringMatching(/./))
      }
    })

    test('the password of another user, parts of the right one, and none authenticate no user', async () => {
      const [{ login, password }, other] = used.users
      const { length } = password
      const wrong = [other.password, '', password.slice(0, length - 1), `${password} `, `${password}\0`, '*']
      for (const each of wrong) expect(await authenticator.verifyPassword(login, each), each).toBeUndefined()
    })

    test('odd logins and passwords authenticate no user, without an error', async () => {
      const [{ login, password }] = used.users
      for (const odd of hostile) {
        expect(await authenticator.verifyPassword(odd, password), JSON.stringify(odd).slice(0, 40)).toBeUndefined()
        expect(await authenticator.verifyPassword(login, odd), JSON.stringify(odd).slice(0, 40)).toBeUndefined()
      }
    })

    test('principalOf() gives the same user by id, and no user for an unknown id', async () => {
      const [{ login, password }] = used.users
      const principal = await authenticator.verifyPassword(login, password)
      const again = await authenticator.principalOf(principal?.userId ?? '')
      expect([again?.login, again?.userId]).toEqual([login, principal?.userId])
      for (const odd of ['nobody', ...hostile]) expect(await authenticator.principalOf(odd)).toBeUndefined()
    })

    test('many at once get each their own answer', async () => {
      const [one, two] = used.users
      const calls = Array.from({ length: 12 }, (_, at) =>
        at % 3 === 0 ? { ...one, password: 'wrong' } : at % 3 === 1 ? one : two,
      )
      const found = await Promise.all(calls.map(({ login, password }) => authenticator.verifyPassword(login, password)))
      expect(found.map((principal) => principal?.login)).toEqual(
        calls.map(({ login, password }) => (password === 'wrong' ? undefined : login)),
      )
    })

    test('the stamp of a user stays while the password does, and differs from that of others', async (context) => {
      const [one, two] = await Promise.all(
        used.users.map(({ login, password }) => authenticator.verifyPassword(login, password)),
      )
      if (!one || !two) throw new Error('The users cannot sign in.')
      const stamp = authenticator.securityStampOf?.(one)
      if (stamp === undefined) return context.skip('it has no stamps: tokens outlive passwords')
      const [{ login, password }] = used.users
      const again = await authenticator.verifyPassword(login, password)
      expect(again && authenticator.securityStampOf?.(again)).toBe(stamp)
      expect(authenticator.securityStampOf?.(two)).not.toBe(stamp)
      expect(stamp).not.toContain(password)
    })

    test('another password holds at once, and the stamp changes with it', async (context) => {
      if (!used.changePassword) return context.skip('no way to change passwords is given')
      const [{ login, password }] = used.users
      const before = await authenticator.verifyPassword(login, password)
      await used.changePassword(login, 'Another-password-4711')
      expect(await authenticator.verifyPassword(login, password)).toBeUndefined()
      const after = await authenticator.verifyPassword(login, 'Another-password-4711')
      expect(after?.userId).toBe(before?.userId)
      if (before && after && authenticator.securityStampOf)
        expect(authenticator.securityStampOf(after)).not.toBe(authenticator.securityStampOf(before))
    })

    test('a user who may no longer sign in is not found, by password and by id', async (context) => {
      if (!used.disable) return context.skip('no way to disable users is given')
      const [, { login, password }] = used.users
      const principal = await authenticator.verifyPassword(login, password)
      await used.disable(login)
      expect(await authenticator.verifyPassword(login, password)).toBeUndefined()
      expect(await authenticator.principalOf(principal?.userId ?? '')).toBeUndefined()
    })
  })
}
