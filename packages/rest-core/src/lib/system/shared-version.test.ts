import { beforeEach, expect, test } from 'vitest'
import { StoreError } from '../../errors.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import type { ObjectStore } from '../store.js'
import { createRevokedTokens } from './revoked-tokens.js'
import { createVersionWatch, prepareVersion } from './shared-version.js'
import { systemObjects } from './system-objects.js'

const model = createModel(systemObjects)
const system = systemPrincipal()

let store: ObjectStore
let time = 0
let drops = 0
let failures = 0

beforeEach(() => {
  store = createMemoryStore()
  time = drops = failures = 0
})

function watch(used: ObjectStore = store) {
  return createVersionWatch({
    model,
    store: used,
    onChange: () => drops++,
    onError: () => failures++,
    now: () => time,
  })
}

/** How often caches are dropped by a look after `change`, of another process. */
async function dropsBy(change: () => Promise<unknown>): Promise<number> {
  const other = watch()
  await other.look()
  const before = drops
  await change()
  time += 1001
  await other.look()
  return drops - before
}

test('every create, update and delete of a cached object is noticed by another process', async () => {
  const service = createBusinessObjects({ model, store })
  let id = ''
  for (const [name, values] of [
    ['User', { usr_login: 'ann' }],
    ['SystemParam', { sys_code: 'A', sys_value: '1' }],
    ['Group', { grp_name: 'G' }],
  ] as const) {
    expect(await dropsBy(async () => (id = (await service.create(system, name, values)).row_id))).toBe(1)
  }
  const grant = { grt_group_id: id, grt_object: 'Module', grt_rights: 'R' }
  expect(await dropsBy(async () => (id = (await service.create(system, 'Grant', grant)).row_id))).toBe(1)
  expect(await dropsBy(() => service.update(system, 'Grant', id, { grt_rights: 'CR' }))).toBe(1)
  expect(await dropsBy(() => service.delete(system, 'Grant', id))).toBe(1)
})

test('a revoked token is noticed by another process', async () => {
  const tokens = createRevokedTokens({ model, store })
  expect(await dropsBy(() => tokens.revoke('a', Date.now() + 60_000))).toBe(1)
})

test('raise() makes this process and all others forget', async () => {
  const one = watch()
  await one.look()
  const before = drops
  expect(await dropsBy(() => one.raise())).toBe(2)
  // One more for the first look of the other.
  expect(drops - before).toBe(3)
})

test('changes of other objects, and changes that are undone, drop nothing', async () => {
  const service = createBusinessObjects({ model, store })
  expect(await dropsBy(() => service.create(system, 'Module', { mdl_name: 'M' }))).toBe(0)
  const undone = service.transaction(async (inside) => {
    await inside.create(system, 'Group', { grp_name: 'G' })
    throw new Error('undo')
  })
  expect(await dropsBy(() => undone.catch(() => {}))).toBe(0)
})

test('many changes in one transaction raise the version once', async () => {
  const service = createBusinessObjects({ model, store })
  await prepareVersion(model, store)
  await service.transaction(async (inside) => {
    for (const name of ['A', 'B', 'C']) await inside.create(system, 'Group', { grp_name: name })
  })
  const lease = model.object('Lease')
  for await (const rows of store.search(lease, { select: lease.select(['lse_number']), order: lease.order }))
    expect(rows).toMatchObject([{ lse_number: 1 }])
})

test('look() reads in the background, and is waited for only after a quiet time', async () => {
  const other = watch()
  const first = other.look()
  expect(first).toBeInstanceOf(Promise)
  expect(other.look()).toBe(first)
  await first
  time = 499
  expect(other.look()).toBeUndefined()
  await createBusinessObjects({ model, store }).create(system, 'Group', { grp_name: 'G' })
  time = 501
  expect(other.look()).toBeUndefined()
  await expect.poll(() => drops).toBe(2)
  time = 2000
  expect(other.look()).toBeInstanceOf(Promise)
})

test('after a notice the next look() is waited for, also when a read was under way', async () => {
  let notice = () => {}
  let stopped = 0
  const service = createBusinessObjects({ model, store })
  const other = watch({
    ...store,
    listen(_, onNotice) {
      notice = onNotice
      return async () => void stopped++
    },
  })
  await other.look()
  notice()
  const reading = other.look()
  await service.create(system, 'Group', { grp_name: 'G' })
  notice()
  await reading
  const next = other.look()
  expect(next).toBeInstanceOf(Promise)
  await next
  expect(other.look()).toBeUndefined()
  expect(drops).toBe(2)
  await other.close()
  expect(stopped).toBe(1)
})

test('look() drops the caches while the database does not answer, and reports that once', async () => {
  let isAway = false
  const away: ObjectStore = {
    ...store,
    search(object, query) {
      if (isAway) throw new StoreError('unavailable', 'The database is away.')
      return store.search(object, query)
    },
  }
  const other = watch(away)
  await other.look()
  isAway = true
  for (time of [2000, 4000]) await other.look()
  expect([drops, failures]).toEqual([3, 1])
  isAway = false
  await other.look()
  time += 100
  expect(other.look()).toBeUndefined()
  expect(failures).toBe(1)
})
