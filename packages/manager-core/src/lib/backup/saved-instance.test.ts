import { expect, it } from 'vitest'
import { testInstance } from '../testing/made-up-operation.js'
import { savedInstance } from './saved-instance.js'

const {
  observed: _observed,
  operation: _operation,
  port: _port,
  ...plain
} = testInstance({
  id: 'ademo123',
  name: 'demo',
  ownerEmail: 'ann@example.org',
  firstname: 'Ann',
  company: 'Łódź & Sons',
})
const saved = (more: object) => savedInstance({ id: '20261127', instance: { ...plain, ...more } })

it('savedInstance() takes what the manager wrote as it is', () => {
  const { id, name, ownerEmail, company, runtime } = saved({})
  expect([id, name, ownerEmail, company, runtime]).toEqual([
    'ademo123',
    'demo',
    'ann@example.org',
    'Łódź & Sons',
    'process',
  ])
})

it('savedInstance() leaves control characters, other directions, long texts and unknown fields out', () => {
  const found = saved({
    firstname: 'Ann\u001b]0;evil\u0007\n',
    lastname: '\u202Eevil',
    company: 'x'.repeat(5000),
    version: '1.0\r\n',
    customUrl: 'https://x.example.org/\u2028',
    source: '\u001b[2J',
    port: 22,
    operation: 'x',
    host: '192.0.2.1',
  })
  expect(found).toMatchObject({ firstname: 'Ann]0;evil', lastname: 'evil', company: '', version: '1.0', source: '[2J' })
  expect(JSON.stringify(found)).not.toMatch(/\\u001b|[\p{Cc}\p{Cf}\p{Zl}]/u)
  expect(Object.keys(found)).not.toEqual(expect.arrayContaining(['port']))
  expect(found).not.toHaveProperty('host')
  for (const ownerEmail of ['ann@example.org\nBcc: all@example.org, x', '<ann@example.org>', 'ann', 'a b@x.org'])
    expect(saved({ ownerEmail }).ownerEmail, ownerEmail).toBe('')
})

it.each([
  ['id', '../../etc'],
  ['id', 7],
  ['name', 'a/../b'],
  ['name', null],
  ['database', 'dbase'],
  ['protected', 'no'],
  ['version', ['1.0']],
  ['ownerEmail', { evil: true }],
])('savedInstance() refuses %s: %j', (field, value) => {
  expect(() => saved({ [field]: value })).toThrow(
    expect.objectContaining({ code: 'ERR_BACKUP', message: expect.stringContaining(`"${field}"`) }),
  )
})
