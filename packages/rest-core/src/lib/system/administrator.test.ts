import { beforeEach, expect, test } from 'vitest'
import { useCheapPasswords } from '../../../../../tests/cheap-passwords.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import type { BusinessObjects } from '../service/business-objects.js'
import { verifyPasswordHash } from '../security/password.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { createAdministrator, findAdministrator, resetAdministrator } from './administrator.js'
import { systemObjects } from './system-objects.js'
import { createUserDirectory } from './user-directory.js'

const self = systemPrincipal()
const model = createModel(systemObjects)
let service: BusinessObjects
let isAdmin: (login: string) => Promise<boolean>
let hashOf: (login: string) => Promise<unknown>

useCheapPasswords()

beforeEach(() => {
  const store = createMemoryStore()
  service = createBusinessObjects({ model, store })
  isAdmin = async (login) => {
    const principal = await createUserDirectory({ model, store }).principalOfLogin(login)
    return principal?.groups.includes('ADMIN') ?? false
  }
  hashOf = async (login) => {
    const user = model.object('User')
    const select = user.select(['usr_login', 'usr_password'])
    for await (const users of store.search(user, { select, order: user.order }))
      return users.find((record) => record['usr_login'] === login)?.['usr_password']
    return undefined
  }
})

/** What a set-up of an application makes. Without a password, as hashing one takes long. */
async function makeUser(login: string, { group, active = true }: { group?: string; active?: boolean } = {}) {
  const user = await service.create(self, 'User', { usr_login: login, usr_active: active })
  if (group === undefined) return
  const { row_id } = await service.create(self, 'Group', { grp_name: group })
  await service.create(self, 'Responsibility', { rsp_login_id: user.row_id, rsp_group_id: row_id })
}

test('an administrator is made beside users who are none', async () => {
  await makeUser('ann', { group: 'CLERK' })
  const made = await createAdministrator(service)
  expect(made).toEqual({ login: 'admin', generatedPassword: expect.stringMatching(/^[\w-]{16}$/) })
  const hash = (await hashOf('admin')) as string
  expect(await verifyPasswordHash(made?.generatedPassword ?? '', hash)).toBe(true)
  expect(await createAdministrator(service)).toBeUndefined()
  expect([await isAdmin('admin'), await findAdministrator(service)]).toEqual([true, 'admin'])
})

test('none is made beside an active one, but when it is asked for', async () => {
  await makeUser('ann', { group: 'ADMIN' })
  expect(await createAdministrator(service)).toBeUndefined()
  expect(await findAdministrator(service)).toBe('ann')
  await createAdministrator(service, { password: 'asked-word' })
  await createAdministrator(service, { login: 'bob', password: 'asked-word' })
  for (const login of ['ann', 'admin', 'bob']) expect(await isAdmin(login), login).toBe(true)
})

test('a user that is there keeps password and groups while there is an administrator', async () => {
  await makeUser('ann', { group: 'ADMIN' })
  await makeUser('bob', { group: 'CLERK' })
  for (const login of ['ann', 'bob'])
    expect(await createAdministrator(service, { login, password: 'asked-word' })).toBeUndefined()
  expect([await hashOf('ann'), await hashOf('bob'), await isAdmin('bob')]).toEqual(['', '', false])
})

test('the user that is asked for replaces the one of a set-up', async () => {
  await makeUser('admin', { group: 'ADMIN' })
  await makeUser('bob', { active: false })
  expect(await createAdministrator(service, { login: 'admin', fresh: true })).toBeUndefined()
  await createAdministrator(service, { password: 'asked-word', fresh: true })
  expect(await verifyPasswordHash('asked-word', (await hashOf('admin')) as string)).toBe(true)
  await createAdministrator(service, { login: 'bob', fresh: true })
  expect(await isAdmin('bob')).toBe(true)
})

test('an administrator that was switched off is so again only when it is asked for', async () => {
  await makeUser('admin', { group: 'ADMIN', active: false })
  expect(await createAdministrator(service)).toBeUndefined()
  expect(await findAdministrator(service)).toBeUndefined()
  await createAdministrator(service, { password: 'asked-word' })
  expect(await isAdmin('admin')).toBe(true)
})

test.each([
  ['is not there', async () => {}],
  ['is switched off', () => makeUser('admin', { group: 'ADMIN', active: false })],
  ['is in no group', () => makeUser('admin')],
  ['is in another group', () => makeUser('admin', { group: 'CLERK' })],
])('resetAdministrator() makes an administrator of a user who %s', async (state, prepare) => {
  await prepare()
  const before = await hashOf('admin')
  expect((await resetAdministrator(service)).isNew).toBe(state === 'is not there')
  expect(await hashOf('admin')).not.toBe(before)
  expect(await isAdmin('admin')).toBe(true)
})
