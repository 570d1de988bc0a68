import { expect, test } from 'vitest'
import { ManagerError } from '../../errors.js'
import type { Action } from '../action.js'
import type { Input } from '../domain/input.js'
import { checkInput } from './check-input.js'

const action: Action = {
  name: 'try',
  group: 'Manager',
  summary: 'Try',
  parameters: [
    { name: 'name', type: 'new-name', required: true, summary: 'Name of it' },
    { name: 'rest', type: 'text', variadic: true, summary: 'All others' },
  ],
  options: [
    { name: 'count', type: 'integer', min: 1, max: 5, summary: 'How many' },
    { name: 'database', type: 'choice', choices: ['sqlite', 'mysql'], summary: 'Which' },
    { name: 'auto_save', type: 'yes-no', summary: 'Whether' },
    { name: 'force', type: 'flag', summary: 'Anyway' },
    { name: 'rules', type: 'file', nonEmpty: true, summary: 'File of rules' },
    { name: 'password', type: 'choice', choices: ['a'], secret: true, summary: 'Secret' },
  ],
  ability: 'read',
  mutating: false,
  examples: [],
  view: { type: 'text' },
  handler: async () => ({ message: '' }),
}

function failure(input: Record<string, Input>): ManagerError {
  try {
    checkInput(action, input)
  } catch (error) {
    if (ManagerError.is(error)) return error
    throw error
  }
  throw new Error('It was accepted.')
}

test('texts become what handlers take, and what is empty is absent', () => {
  const input = { name: 'demo', rest: ['a', 'b'], count: '3', database: 'MySQL', auto_save: 'Yes', force: true }
  expect(checkInput(action, input)).toEqual({ ...input, count: 3, database: 'mysql', auto_save: true })
  expect(checkInput(action, { name: 'demo', rest: [], count: '', database: undefined })).toEqual({ name: 'demo' })
  expect(checkInput(action, { name: 'demo', rest: 'a' })).toEqual({ name: 'demo', rest: ['a'] })
})

test.each([
  ['yes', true],
  ['TRUE', true],
  ['on', true],
  ['1', true],
  ['no', false],
  ['False', false],
  ['off', false],
  ['0', false],
  [false, false],
])('yes or no may be spelt %j', (text, expected) => {
  expect(checkInput(action, { name: 'demo', auto_save: text }).auto_save).toBe(expected)
})

test.each([
  [{}, 'try needs a <name>: name of it'],
  [{ name: '' }, 'try needs a <name>: name of it'],
  [{ name: 'demo', colour: 'red' }, 'try takes no "colour".'],
  [{ name: 'demo', toString: 'x' }, 'try takes no "toString".'],
  [{ name: 'demo', count: '6' }, 'count takes a whole number from 1 up to 5, not "6".'],
  [{ name: 'demo', count: '1e0' }, 'count takes a whole number from 1 up to 5, not "1e0".'],
  [{ name: 'demo', count: 1.5 }, 'count takes a whole number from 1 up to 5, not "1.5".'],
  [
    { name: 'demo', count: '99999999999999999999' },
    'count takes a whole number from 1 up to 5, not "99999999999999999999".',
  ],
  [{ name: 'demo', database: 'oracle' }, 'database takes one of sqlite, mysql, not "oracle".'],
  [{ name: 'demo', auto_save: 'perhaps' }, 'auto_save takes yes or no, not "perhaps".'],
  [{ name: 'demo', auto_save: 'constructor' }, 'auto_save takes yes or no, not "constructor".'],
  [{ name: 'demo', database: ['sqlite', 'mysql'] }, 'database takes one value, not "sqlite mysql".'],
  [{ name: 'demo', rest: ['a\0b'] }, 'rest takes text of at most 10000 characters, not "a\0b".'],
  [{ name: 'demo', rules: '' }, 'rules is empty: file of rules'],
  [{ name: 'demo', password: 'hunter2' }, 'password takes one of a.'],
] as [Record<string, Input>, string][])('%j is refused', (input, message) => {
  expect(failure(input)).toMatchObject({ code: 'ERR_USAGE', message, command: 'try --help' })
})

test.each(['..', 'ab', 'a b', 'dé', 'a/b', '../../etc', 'x'.repeat(300), 'a\nb', '-rf', '%2e%2e'])(
  'a new instance cannot be called %j',
  (name) => {
    const error = failure({ name })
    expect(error.code).toBe('ERR_NAME')
    expect(error.message.length).toBeLessThan(100)
  },
)

test('what was probably meant is said', () => {
  expect(failure({ name: 'demo', autosave: 'yes' }).help).toBe('Did you mean "auto_save"?')
  expect(failure({ name: 'demo', colour: 'red' }).help).toBeUndefined()
})
