import { expect, test } from 'vitest'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createRevokedTokens } from './revoked-tokens.js'
import { systemObjects } from './system-objects.js'

const model = createModel(systemObjects)

test('a revoked token stays revoked for every reader of the database', async () => {
  const store = createMemoryStore()
  const tokens = createRevokedTokens({ model, store })
  await tokens.revoke('a', Date.now() + 60_000)
  await tokens.revoke('a', Date.now() + 60_000)
  expect(await createRevokedTokens({ model, store }).isRevoked('a')).toBe(true)
  expect(await tokens.isRevoked('b')).toBe(false)
})

test('tokens that ended on any clock are forgotten by the next logout', async () => {
  const store = createMemoryStore()
  const tokens = createRevokedTokens({ model, store })
  await tokens.revoke('old', Date.now() - 90_000_000)
  await tokens.revoke('ended on a server whose clock is ahead', Date.now() - 3_600_000)
  await tokens.revoke('new', Date.now() + 60_000)
  expect(await store.count(model.object('RevokedToken'))).toBe(2)
  expect(await tokens.isRevoked('old')).toBe(false)
})
