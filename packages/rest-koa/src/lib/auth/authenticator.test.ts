import { createBusinessObjects, createMemoryStore, createModel, systemPrincipal } from '@steward/rest-core'
import { createUserDirectory, isDirectoryObject, systemObjects } from '@steward/rest-core/system'
import { useCheapPasswords } from '../../../../../tests/cheap-passwords.js'
import { testAuthenticator } from '../testing/test-authenticator.js'

useCheapPasswords()

testAuthenticator('users of an application', async () => {
  const model = createModel(systemObjects)
  const store = createMemoryStore()
  const directory = createUserDirectory({ model, store })
  const service = createBusinessObjects({
    model,
    store,
    onChange: ({ object }) => isDirectoryObject(object) && directory.clear(),
  })
  const system = systemPrincipal()
  const users = [
    { login: 'ann', password: 'first-password' },
    { login: 'bob', password: 'second-password' },
  ] as const
  for (const { login, password } of users)
    await service.create(system, 'User', { usr_login: login, usr_password: password })
  const change = (usr_login: string, values: object) => service.upsert(system, 'User', { usr_login, ...values })
  return {
    authenticator: directory,
    users,
    changePassword: async (login, password) => void (await change(login, { usr_password: password })),
    disable: async (login) => void (await change(login, { usr_active: false })),
  }
})
