import { describe, expect, test } from 'vitest'
import { fieldFor, take } from './field-for-test.js'

describe('password', () => {
  test('keeps the plain text', () => {
    expect(take({ type: 'password' }, 'sécret')).toBe('sécret')
    expect(take({ type: 'password' }, null)).toBe('')
  })

  test('is never shown, not even when it is refused', () => {
    const field = fieldFor({ type: 'password', pattern: '.{8,}', length: 10 })
    expect(take(field.definition, 'hunter2')).toMatch(/^ERR_PATTERN /)
    expect(take(field.definition, 'hunter2')).not.toContain('hunter2')
    expect(take(field.definition, 'hunter2hunter2')).toBe('ERR_LENGTH must have at most 10 characters')
    expect(field.type.format('hunter2', field)).toBe('***')
  })

  test('has a column for its hash, whatever its length', () => {
    expect(fieldFor({ type: 'password', length: 10 }).columnType).toEqual({ kind: 'string', length: 255 })
  })
})

describe.each(['document', 'image'] as const)('%s', (type) => {
  test('takes url-safe ids', () => {
    expect(take({ type }, 'a1B2-_c.~')).toBe('a1B2-_c.~')
    expect(take({ type }, '')).toBe('')
    expect(take({ type }, null)).toBe('')
  })

  test.each([
    ['../etc/passwd'],
    ['.'],
    ['a/b'],
    ['a b'],
    ['x'.repeat(256)],
    [5],
    [{ name: 'a', content: '' }],
    [['a']],
  ])('refuses %j', (input) => {
    expect(take({ type }, input)).toMatch(/^ERR_TYPE must be the id of a document/)
  })
})
