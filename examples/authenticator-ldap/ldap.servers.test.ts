import { createBusinessObjects, createMemoryStore, createModel, systemPrincipal } from '@steward/rest-core'
import { createUserDirectory, isDirectoryObject, systemObjects } from '@steward/rest-core/system'
import type { UserDirectory } from '@steward/rest-core/system'
import { testAuthenticator } from '@steward/rest-koa/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSlapd, type TestSlapd } from '../../tests/servers/slapd.js'
import { toolIsMissing } from '../../tests/servers/tools.js'
import { authenticator as plugin } from './src/index.js'

const missing = toolIsMissing('slapd')
const system = systemPrincipal()
const people = [
  { login: 'ann', password: 'first-password' },
  { login: 'bob', password: 'second-password' },
] as const

/** An application in which everybody of the directory has a user, and none a password. */
async function applicationUsers() {
  const model = createModel(systemObjects)
  const store = createMemoryStore()
  const users = createUserDirectory({ model, store })
  const service = createBusinessObjects({
    model,
    store,
    onChange: ({ object }) => isDirectoryObject(object) && users.clear(),
  })
  for (const { login } of people) await service.create(system, 'User', { usr_login: login })
  return { users, service }
}

const open = (options: Record<string, unknown>, users: UserDirectory) => plugin.open(options, { users })

it.each([
  [{}, 'url must be'],
  [{ url: 'https://directory.example.com' }, 'url must be'],
  [{ url: 'ldap://directory.example.com' }, 'baseDn must be'],
  [{ url: 'ldap://a', baseDn: 'dc=a', loginAttribute: 'uid)(' }, 'loginAttribute must be'],
  [{ url: 'ldap://a', baseDn: 'dc=a', bindDn: 'cn=reader' }, 'bindDn needs bindPassword'],
  [{ url: 'ldaps://a', baseDn: 'dc=a', startTls: true }, 'startTls goes with'],
  [{ url: 'ldaps://a', baseDn: 'dc=a', user: 'x' }, 'There is no option "user"'],
])('refuses the options %j', async (options, message) => {
  const { users } = await applicationUsers()
  expect(() => open(options, users)).toThrow(message)
})

it.runIf(missing)('against a real directory', ({ skip }) => skip(missing))

describe.skipIf(missing)('against OpenLDAP', () => {
  let directory: TestSlapd
  beforeAll(async () => {
    directory = await startSlapd(people)
  })
  afterAll(() => directory?.close())

  const options = () => ({
    url: directory.url,
    baseDn: directory.baseDn,
    bindDn: directory.readerDn,
    bindPassword: directory.readerPassword,
  })

  testAuthenticator('passwords of the directory', async () => {
    const { users, service } = await applicationUsers()
    return {
      authenticator: await open(options(), users),
      users: people,
      changePassword: (login, password) => directory.setPassword(login, password),
      disable: async (login) => void (await service.upsert(system, 'User', { usr_login: login, usr_active: false })),
    }
  })

  it('refuses a person who has no user in the application, or two entries in the directory', async () => {
    const { users } = await applicationUsers()
    const authenticator = await open(options(), users)
    await directory.add('eve', 'eves-password')
    expect(await authenticator.verifyPassword('eve', 'eves-password')).toBeUndefined()
    await directory.add('ann', 'annes-password', 'ou=guests')
    expect(await authenticator.verifyPassword('ann', 'annes-password')).toBeUndefined()
  })

  it('reports that the directory is unreachable, and lets local users in', async () => {
    const { users, service } = await applicationUsers()
    await service.create(system, 'User', { usr_login: 'admin', usr_password: 'local-password' })
    const away = await open({ ...options(), url: 'ldap://127.0.0.1:1' }, users)
    await expect(away.verifyPassword('bob', 'second-password')).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    expect(await away.verifyPassword('admin', 'local-password')).toMatchObject({ login: 'admin' })
    const wrong = await open({ ...options(), bindPassword: 'wrong' }, users)
    await expect(wrong.verifyPassword('bob', 'second-password')).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
  })
})
