import { describe, expect, test } from 'vitest'
import { fieldFor, take } from './field-for-test.js'

const values = ['A', { code: 'B', label: 'Bee' }, { code: 'C', enabled: false }, { code: 'D' }] as const

describe('enum', () => {
  const definition = { type: 'enum', values } as const

  test('takes enabled codes only, and names them', () => {
    expect(take(definition, 'B')).toBe('B')
    expect(take(definition, '')).toBe('')
    expect(take(definition, 'C')).toBe('ERR_ENUM must be one of A, B, D, not "C"')
    expect(take(definition, 'b')).toBe('ERR_ENUM must be one of A, B, D, not "b"')
  })

  test('parses any text, so that filters find codes that are gone', () => {
    const field = fieldFor(definition)
    expect(field.type.parse('gone', field)).toBe('gone')
  })

  test('names the first 30 codes of a long list', () => {
    const codes = Array.from({ length: 31 }, (_, i) => `c${i}`)
    expect(take({ type: 'enum', values: codes }, 'x')).toBe(
      `ERR_ENUM must be one of ${codes.slice(0, 30).join(', ')}, …, not "x"`,
    )
  })

  test('is shown by its label', () => {
    const field = fieldFor(definition)
    expect(field.type.format('B', field)).toBe('Bee')
    expect(field.type.format('gone', field)).toBe('gone')
  })

  test('has a column as long as its longest code', () => {
    expect(fieldFor(definition).columnType).toEqual({ kind: 'string', length: 100 })
    expect(fieldFor({ type: 'enum', values: ['x'.repeat(150)] }).columnType).toEqual({ kind: 'string', length: 150 })
  })
})

describe('multi-enum', () => {
  const definition = { type: 'multi-enum', values } as const

  test.each([
    [
      ['D', 'A', 'D'],
      ['A', 'D'],
    ],
    ['D;A', ['A', 'D']],
    [';A;D;', ['A', 'D']],
    ['A', ['A']],
    [[], []],
    ['', []],
    [null, []],
    [[''], []],
  ])('takes %j as %j', (input, value) => {
    expect(take(definition, input)).toEqual(value)
  })

  test('refuses codes that are not in the list or disabled', () => {
    expect(take(definition, ['A', 'C'])).toBe('ERR_ENUM must be one of A, B, D, not "C"')
    expect(take(definition, ['X'])).toBe('ERR_ENUM must be one of A, B, D, not "X"')
    expect(take(definition, [['A']])).toMatch(/^ERR_TYPE must be an array of codes/)
    expect(take(definition, { A: true })).toMatch(/^ERR_TYPE must be an array of codes/)
  })

  test('parses codes that no longer exist after the others', () => {
    const field = fieldFor(definition)
    expect(field.type.parse('gone;D;A', field)).toEqual(['A', 'D', 'gone'])
  })

  test('is shown by its labels', () => {
    const field = fieldFor(definition)
    expect(field.type.format(['A', 'B'], field)).toBe('A, Bee')
  })
})
