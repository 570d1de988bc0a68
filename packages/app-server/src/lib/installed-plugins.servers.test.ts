import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRights, createPrincipal } from '@steward/rest-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installPacked } from '../../../../tests/programs/install-packed.js'
import { loadFieldTypes, openAuthenticator, openDocumentsPackage } from './plugins.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-app-'))
  installPacked(folder, ['field-type-iban', 'document-store-dedupe', 'authenticator-ldap'])
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true }))

it('a packed package with a field type is loaded into an empty application', async () => {
  expect(await loadFieldTypes(folder, ['@steward/example-field-type-iban'])).toMatchObject([{ name: 'x-iban' }])
})

it('a packed package with a document store is loaded into an empty application', async () => {
  const store = await openDocumentsPackage(folder, { package: '@steward/example-document-store-dedupe' }, folder)
  expect(store.put).toBeTypeOf('function')
})

it('a packed package with an authenticator is loaded into an empty application', async () => {
  const ann = createPrincipal({ login: 'ann', rights: allRights })
  const users = {
    principalOf: async () => ann,
    principalOfLogin: async () => ann,
    verifyPassword: async () => ann,
    securityStampOf: () => undefined,
  }
  const options = { url: 'ldap://127.0.0.1:1', baseDn: 'dc=example' }
  const authenticator = await openAuthenticator(
    folder,
    { package: '@steward/example-authenticator-ldap', options },
    { users },
  )
  // It cannot reach its server: the error is that of the server's own package, of which the plug-in has no copy.
  await expect(authenticator.verifyPassword('ann', 'secret')).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
})
