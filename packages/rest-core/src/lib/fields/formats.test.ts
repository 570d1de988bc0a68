import { describe, expect, test } from 'vitest'
import type { TextField } from '../definition/definition.js'
import { take } from './field-for-test.js'

const cases: Partial<Record<TextField['type'], { good: string[]; bad: string[] }>> = {
  url: {
    good: [
      'https://example.com',
      'http://localhost:8080/a?b=c#d',
      'HTTPS://EXAMPLE.COM/',
      'ftp://files.example.com/x',
      'mailto:a@example.com',
      'tel:+33123456789',
      'https://müller.example/ä',
    ],
    bad: [
      'example.com',
      '/path',
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'https://a b.example/',
      'https://',
      'http://[::1',
      'https://example.com/\u0001',
    ],
  },
  email: {
    good: [
      'name@example.com',
      'first.last+tag@sub.example.org',
      'user@localhost',
      "o'neil@example.ie",
      'ü@münchen.example',
    ],
    bad: [
      'name',
      '@example.com',
      'name@',
      'a b@example.com',
      'a@b@example.com',
      '.a@example.com',
      'a.@example.com',
      'a..b@example.com',
      'a@-b.example',
      'a@b..example',
      'Name <a@example.com>',
      `${'x'.repeat(65)}@example.com`,
    ],
  },
  phone: {
    good: ['+33 1 23 45 67 89', '(555) 123-4567', '555.123.4567 ext. 12', '112', '+1-555-123-4567 x5'],
    bad: ['12', 'call me', '+', '1'.repeat(21), '555 12a', '++1 555'],
  },
  color: {
    good: ['#fff', '#FFF8', '#1e90ff', '#1e90ff80'],
    bad: ['red', '#12', '#12345', '1e90ff', '#ggg', '#1234567'],
  },
  regexp: { good: ['^[a-z]+$', String.raw`\d{2}`, '[a-z&&[aeiou]]'], bad: ['(', '[a', '*'] },
}

describe.each(Object.entries(cases))('%s', (type, { good, bad }) => {
  test.each(good)('takes %j', (text) => {
    expect(take({ type: type as TextField['type'] }, text)).toBe(text)
  })
  test.each(bad)('refuses %j', (text) => {
    expect(take({ type: type as TextField['type'] }, text)).toMatch(/^ERR_PATTERN must be /)
  })
})

test('an address with another scheme is refused with the list of those that are taken', () => {
  expect(take({ type: 'url' }, 'javascript:alert(1)')).toBe(
    'ERR_PATTERN must be an address that starts with one of http: https: ftp: ftps: sftp: mailto: tel:, not "javascript:"',
  )
})

test('long hostile texts are refused without backtracking', () => {
  const length = 100_000
  const hostile: Partial<Record<TextField['type'], string[]>> = {
    url: [`https://${'a'.repeat(length)} `, `${'a'.repeat(length)}:`],
    email: [`${'a.'.repeat(length)}@`, `a@${'a-'.repeat(length)}`, `a@${'a.'.repeat(length)}`],
    phone: ['1 '.repeat(length), `${' '.repeat(length)}x`],
    color: [`#${'a'.repeat(length)}`],
  }
  for (const [type, texts] of Object.entries(hostile)) {
    for (const text of texts)
      expect(take({ type: type as TextField['type'], length: 10 * length }, text)).toMatch(/^ERR_PATTERN /)
  }
})
