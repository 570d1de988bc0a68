import { expect, test } from 'vitest'
import { addressOf } from './address.js'

test.for([
  ['https://Sales.Example.com', { host: 'sales.example.com', path: '' }],
  ['http://example.com.:8080/crm/v1.2_x-y/', { host: 'example.com', path: '/crm/v1.2_x-y' }],
  ['https://xn--exmple-cua.com', { host: 'xn--exmple-cua.com', path: '' }],
  ['http://10.0.0.5/a', { host: '10.0.0.5', path: '/a' }],
  ['http://[::1]:8000', { host: '[::1]', path: '' }],
] as const)('addressOf() takes %s', ([url, address]) => {
  expect(addressOf(url)).toEqual(address)
})

test.for([
  // What URLs allow in hosts, and configuration files understand.
  ...['~', '*', '$', ';', '{', '}', '"', "'", '(', '!', '&', ',', '='].map((sign) => `https://a${sign}b.example.com`),
  ...['$', ';', "'", '(', '*', '%0a', '%20', '%2F', '|', '~'].map((sign) => `https://example.com/a${sign}b`),
  'https://-a.example.com',
  'https://example.com/.well-known/acme-challenge',
  'https://example.com/a//b',
  `https://${'a'.repeat(64)}.example.com`,
  `https://example.com/${'a'.repeat(300)}`,
  'nothing',
])('addressOf() refuses %s', (url) => {
  expect(addressOf(url)).toBe(undefined)
})
