import { expect, test } from 'vitest'
import { allRights } from './create-rights.js'
import { createPrincipal, systemPrincipal } from './principal.js'

test('createPrincipal() without rights throws', () => {
  // @ts-expect-error rights are missing
  expect(() => createPrincipal({ login: 'ann' })).toThrow(TypeError)
  // @ts-expect-error rights are not known
  expect(() => createPrincipal({ login: 'ann', rights: undefined })).toThrow('The principal of "ann" needs rights.')
})

test('systemPrincipal() may do everything, whatever is given', () => {
  const rights = { object: () => undefined }
  // @ts-expect-error rights cannot be given
  expect(systemPrincipal({ login: 'nightly', rights })).toMatchObject({
    userId: 'nightly',
    login: 'nightly',
    groups: [],
    rights: allRights,
  })
  expect(systemPrincipal().login).toBe('system')
})
