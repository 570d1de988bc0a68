import { expect, it } from 'vitest'
import { nextAddress } from './next-address.js'

const pages = 'https://manager.test/apps/ui/'

it.each([
  ['/apps/ui/instances/demo?tab=logs#x', `${pages}instances/demo?tab=logs#x`],
  ['/apps/ui/', pages],
])('nextAddress() leads to %s', (wanted, address) => {
  expect(nextAddress(wanted, pages)).toBe(address)
})

it.each([
  null,
  '',
  '//evil.test/apps/ui/',
  '/\\evil.test/apps/ui/',
  '\\\\evil.test/apps/ui/',
  'https://evil.test/apps/ui/',
  'https:evil.test',
  'javascript:alert(1)',
  ' //evil.test/apps/ui/',
  '/\t/evil.test/apps/ui/',
  '/apps/ui/../../api?action=delete&name=demo',
  '/apps/ui/%2e%2e/%2e%2e/api',
  '/apps/uix',
  '/apps/ui/sign-in?next=/apps/ui/',
  '/apps/ui/sign-in/',
  '/',
])('nextAddress() of %j leads to the pages alone', (wanted) => {
  expect(nextAddress(wanted, pages)).toBe(pages)
})
