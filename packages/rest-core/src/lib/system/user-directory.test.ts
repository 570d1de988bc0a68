import { setImmediate } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { useCheapPasswords } from '../../../../../tests/cheap-passwords.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import { hashPassword } from '../security/password.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { createAdministrator, resetAdministrator } from './administrator.js'
import { systemObjects } from './system-objects.js'
import { createUserDirectory, isDirectoryObject } from './user-directory.js'

const system = systemPrincipal()
const model = createModel(systemObjects)
const store = createMemoryStore()
const directory = createUserDirectory({ model, store })
const service = createBusinessObjects({
  model,
  store,
  onChange: ({ object }) => isDirectoryObject(object) && directory.clear(),
})
let generatedPassword = ''
let userId = ''
let groupId = ''

useCheapPasswords()

beforeAll(async () => {
  generatedPassword = (await createAdministrator(service))?.generatedPassword ?? ''
  groupId = (await service.create(system, 'Group', { grp_name: 'CLERK' })).row_id
  userId = (await service.create(system, 'User', { usr_login: 'ann', usr_password: 'passport', usr_first_name: 'Ann' }))
    .row_id
  await service.create(system, 'Responsibility', { rsp_login_id: userId, rsp_group_id: groupId })
})

test('the first administrator has a made-up password and may do everything', async () => {
  expect(generatedPassword).toHaveLength(16)
  const admin = await directory.verifyPassword('admin', generatedPassword)
  expect(admin).toMatchObject({ login: 'admin', groups: ['ADMIN'] })
  expect(admin?.rights.object('SystemParam')?.letters.has('D')).toBe(true)
})

test('of two servers that start at once, one makes the administrator', async () => {
  const empty = createBusinessObjects({ model, store: createMemoryStore() })
  const made = await Promise.all([createAdministrator(empty), createAdministrator(empty)])
  expect(made.filter(Boolean)).toHaveLength(1)
})

test.each([
  ['ann', 'wrong'],
  ['nobody', 'passport'],
  ['', 'passport'],
  ['a\0', 'passport'],
])('verifyPassword(%j, %j) finds no user', async (login, password) => {
  expect(await directory.verifyPassword(login, password)).toBeUndefined()
})

test('rights follow grants at once', async () => {
  expect((await directory.principalOf(userId))?.rights.object('SystemParam')).toBeUndefined()
  await service.create(system, 'Grant', {
    grt_group_id: groupId,
    grt_object: 'SystemParam',
    grt_rights: 'RU',
    grt_hidden_fields: 'sys_type',
  })
  const rights = (await directory.verifyPassword('ann', 'passport'))?.rights.object('SystemParam')
  expect([...(rights?.letters.keys() ?? [])]).toEqual(['R', 'U'])
  expect(rights?.hidden).toEqual(new Set(['sys_type']))
})

test.each([
  [{ grt_object: 'Nothing' }, 'There is no object "Nothing"'],
  [{ grt_object: 'User', grt_filter: 'nothing = 1' }, 'has no field "nothing"'],
  [{ grt_object: 'User', grt_filter: 'usr_login = = 1' }, 'cannot be read at position 13'],
  [{ grt_object: 'User', grt_hidden_fields: 'usr_login, nothing' }, 'has no field "nothing"'],
  [{ grt_object: 'User', grt_rights: 'XYZ' }, 'grt_rights'],
])('a grant of %j is refused', async (values, text) => {
  await expect(service.create(system, 'Grant', { grt_group_id: groupId, ...values })).rejects.toThrow(text)
})

test('a grant with a wrong filter or hidden field is refused with a message about that field', async () => {
  for (const [field, value] of [
    ['grt_filter', 'usr_login = = 1'],
    ['grt_filter', 'usr_logn = 1'],
    ['grt_filter', 'usr_active = maybe'],
    ['grt_hidden_fields', 'usr_login, nothing'],
  ] as const)
    await expect(
      service.create(system, 'Grant', { grt_group_id: groupId, grt_object: 'User', [field]: value }),
    ).rejects.toMatchObject({ code: 'ERR_VALIDATION', status: 400, messages: [{ field }] })
})

test('a user who is switched off loses access immediately', async () => {
  await service.update(system, 'User', userId, { usr_active: false })
  expect(await directory.verifyPassword('ann', 'passport')).toBeUndefined()
  expect(await directory.principalOf(userId)).toBeUndefined()
  await service.update(system, 'User', userId, { usr_active: true })
  expect(await directory.principalOfLogin('ann')).toMatchObject({ login: 'ann', groups: ['CLERK'], firstname: 'Ann' })
})

test('the security stamp changes with the password only', async () => {
  const stamp = async () => directory.securityStampOf((await directory.principalOf(userId)) as Principal)
  const before = await stamp()
  expect(before).toMatch(/^[\w-]{22}$/)
  await service.update(system, 'User', userId, { usr_first_name: 'Anne' })
  expect(await stamp()).toBe(before)
  await service.update(system, 'User', userId, { usr_password: 'passport' })
  expect(await stamp()).not.toBe(before)
  expect(directory.securityStampOf(system)).toBeUndefined()
})

test('a password that another server has changed holds at once, with its own stamp', async () => {
  const elsewhere = createBusinessObjects({ model, store })
  const before = (await directory.verifyPassword('ann', 'passport')) as Principal
  await elsewhere.update(system, 'User', userId, { usr_password: 'new passport' })
  expect(await directory.verifyPassword('ann', 'passport')).toBeUndefined()
  const now = (await directory.verifyPassword('ann', 'new passport')) as Principal
  expect(directory.securityStampOf(now)).not.toBe(directory.securityStampOf(before))
  expect(await directory.principalOf(userId)).toBe(now)
})

test('a password that is changed while it is checked is wrong', async () => {
  const user = model.object('User')
  const usr_password = await hashPassword('passport')
  const check = directory.verifyPassword('ann', 'new passport')
  await setImmediate()
  await store.update(user, userId, { usr_password }, { select: user.selection })
  directory.clear()
  expect(await check).toBeUndefined()
  expect(await directory.verifyPassword('ann', 'passport')).toMatchObject({ login: 'ann' })
})

test('resetAdministrator() lets a locked-out administrator in again', async () => {
  const links = await service.search(system, 'Responsibility', { filters: { rsp_login_id__usr_login: 'admin' } })
  // The service leaves the last one in place.
  for await (const [link] of links) await store.delete(model.object('Responsibility'), link?.row_id ?? '')
  const { generatedPassword: renewed } = await resetAdministrator(service)
  expect(await directory.verifyPassword('admin', generatedPassword)).toBeUndefined()
  expect(await directory.verifyPassword('admin', renewed ?? '')).toMatchObject({ groups: ['ADMIN'] })
})

test('users without a password sign in where it is allowed, but never administrators', async () => {
  const open = createUserDirectory({ model, store, passwordless: true })
  const { row_id: id } = await service.create(system, 'User', { usr_login: 'open' })
  expect(await open.verifyPassword('open', '')).toMatchObject({ login: 'open' })
  expect(await open.verifyPassword('open', 'x')).toBeUndefined()
  expect(await open.verifyPassword('nobody', '')).toBeUndefined()
  expect(await open.verifyPassword('ann', '')).toBeUndefined()
  expect(await directory.verifyPassword('open', '')).toBeUndefined()

  const before = open.securityStampOf((await open.principalOf(id)) as Principal)
  const groups = await service.search(system, 'Group', { filters: { grp_name: 'ADMIN' } })
  for await (const [group] of groups)
    await service.create(system, 'Responsibility', { rsp_login_id: id, rsp_group_id: group?.row_id })
  open.clear()
  expect(await open.verifyPassword('open', '')).toBeUndefined()
  expect(open.securityStampOf((await open.principalOf(id)) as Principal)).not.toBe(before)
})
