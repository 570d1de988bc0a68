import { expect, test } from 'vitest'
import { checkUrl } from './check-url.js'

test.for([
  ['https://Sales.Example.com/', 'https://sales.example.com'],
  ['http://example.com:8080/crm//', 'http://example.com:8080/crm'],
  [' https://ex\u00e4mple.com ', 'https://xn--exmple-cua.com'],
  ['https://example.com:443', 'https://example.com'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
] as const)('checkUrl() keeps %s as %s', ([given, kept]) => {
  expect(checkUrl(given)).toBe(kept)
})

test.for([
  'sales',
  'ftp://example.com',
  'javascript:alert(1)',
  'https://',
  '//example.com',
  'https://example.com/?a=b',
  'https://example.com/#top',
])('checkUrl() refuses %s', (url) => {
  expect(() => checkUrl(url)).toThrow(`"${url}" cannot be a custom URL.`)
})

test('checkUrl() refuses what is too long, and does not repeat all of it or a password', () => {
  const messageOf = (url: string) => {
    try {
      return checkUrl(url)
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(messageOf(`https://example.com/${'x'.repeat(3000)}`).length).toBeLessThan(150)
  expect(messageOf('https://me:hush@example.com')).toBe(
    'A custom URL must not contain a user or password, because everyone can see it.',
  )
})
