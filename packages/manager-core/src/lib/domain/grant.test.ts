import { expect, expectTypeOf, it } from 'vitest'
import type { CheckedCredential, createSessions, SignedIn } from '../access/sessions.js'
import { grantOf, type Token } from '../access/tokens.js'
import type { OperationFilter } from '../runs/find-operations.js'
import type { Caller } from './caller.js'
import { fullGrant, grantFrom, isInScope, storedGrant, type Grant, type Scope } from './grant.js'

const readMine: Grant = {
  abilities: new Set(['read']),
  scope: { all: false, instances: new Set(['imine']), hosts: new Set(['shop.example.com']) },
}

it('a grant that is stored and read is the same, and has the same text in any order', () => {
  for (const grant of [fullGrant, readMine, { ...fullGrant, scope: readMine.scope }])
    expect(grantFrom(JSON.parse(JSON.stringify(storedGrant(grant))))).toEqual(grant)
  const scope = { all: false, instances: new Set(['b', 'a']), hosts: new Set<string>() } as const
  const [one, other] = [
    { abilities: new Set(['read', 'admin'] as const), scope },
    { abilities: new Set(['admin', 'read'] as const), scope: { ...scope, instances: new Set(['a', 'b']) } },
  ]
  expect(JSON.stringify(storedGrant(one))).toBe(JSON.stringify(storedGrant(other)))
})

it('a token without instances in its scope has none, not all', () => {
  const token = { abilities: ['admin'], scope: { all: false, instances: [], hosts: [] } } as unknown as Token
  expect(isInScope(grantOf(token).scope, 'imine')).toBe(false)
  expect(isInScope(grantOf({ ...token, scope: { all: true } }).scope, 'imine')).toBe(true)
  expect(isInScope(readMine.scope, '')).toBe(false)
})

/** Never called: it must not compile where something is missing that would have meant everything. */
export function absentIsNotAll(sessions: ReturnType<typeof createSessions>, token: Token | undefined): unknown {
  // @ts-expect-error: a caller without a grant
  const caller: Caller = { actor: 'ann', surface: 'api' }
  // @ts-expect-error: abilities without a scope
  const noScope: Grant = { abilities: new Set(['read']) }
  // @ts-expect-error: a scope without abilities
  const noAbilities: Grant = { scope: { all: true } }
  // @ts-expect-error: neither all nor some
  const neither: Scope = {}
  // @ts-expect-error: not all, and no instances
  const noInstances: Scope = { all: false, hosts: new Set() }
  // @ts-expect-error: undefined is not a scope
  const undefinedScope: Grant = { abilities: new Set(['read']), scope: undefined }
  // @ts-expect-error: whose operations are meant
  const filter: OperationFilter = { limit: 1 }
  // @ts-expect-error: a token that is not there is not the password
  const credential: CheckedCredential = { by: 'token', token }
  // @ts-expect-error: nothing was checked
  sessions.open({ actor: 'ann', surface: 'api' }, { stays: false })
  // @ts-expect-error: the password of which settings
  sessions.open({ actor: 'ann', surface: 'api' }, { signedIn: { by: 'password' }, stays: false })
  return [caller, noScope, noAbilities, neither, noInstances, undefinedScope, filter, credential]
}

it('what a session was opened with is always known', () => {
  expectTypeOf<SignedIn['by']>().toEqualTypeOf<'password' | 'token'>()
  expectTypeOf<Extract<SignedIn, { by: 'token' }>['token']>().toEqualTypeOf<Token>()
  expectTypeOf<Caller['grant']>().toEqualTypeOf<Grant>()
})
