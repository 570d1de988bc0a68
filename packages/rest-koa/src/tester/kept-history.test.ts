import { expect, it } from 'vitest'
import { emptyDraft } from './draft.js'
import { holdsSecret } from './kept-history.js'

it('holdsSecret() knows passwords by the names of what is sent', () => {
  const create = { ...emptyDraft, operation: 'create', object: 'Product' } as const
  expect(holdsSecret({ ...create, body: '{"prd_name":"Nail"}' })).toBe(false)
  expect(holdsSecret({ ...create, body: '{"usr_password":"x"}' })).toBe(true)
  expect(holdsSecret({ ...create, object: 'User', body: '{' })).toBe(true)
  const action = { ...create, operation: 'action', action: 'reset' } as const
  expect(holdsSecret({ ...action, parameters: { by: '1' } })).toBe(false)
  expect(holdsSecret({ ...action, parameters: { newPassword: 'x' } })).toBe(true)
})
