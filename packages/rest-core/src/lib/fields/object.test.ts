import { expect, test } from 'vitest'
import { take } from './field-for-test.js'

const definition = { type: 'object' } as const

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

test.each([[{ a: [1, 'x', null, true] }], ['text'], [0], [false], [{}], [[]]])('object takes %j as it is', (input) => {
  expect(take(definition, input)).toEqual(input)
})

test.each([[null], [undefined], ['']])('object takes %j as empty', (input) => {
  expect(take(definition, input)).toBeNull()
})

test('object takes 64 levels and refuses more, however many', () => {
  expect(take(definition, nested(64))).toEqual(nested(64))
  expect(take(definition, nested(65))).toBe('ERR_TYPE must not be nested deeper than 64 levels')
  expect(take(definition, nested(100_000))).toBe('ERR_TYPE must not be nested deeper than 64 levels')
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  expect(take(definition, cyclic)).toBe('ERR_TYPE must not be nested deeper than 64 levels')
})

test('object keeps __proto__ and constructor as ordinary keys', () => {
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
  const value = take(definition, JSON.parse(text))
  expect(JSON.stringify(value)).toBe(text)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test('object refuses what no database or no JSON can hold', () => {
  expect(take(definition, { a: 'x\0' })).toBe('ERR_TYPE must not contain the NUL character')
  expect(take(definition, { 'x\0': 1 })).toBe('ERR_TYPE must not contain the NUL character')
  expect(take(definition, ['\udc00'])).toMatch(/^ERR_TYPE must be well-formed Unicode/)
  expect(take(definition, [Number.NaN])).toBe('ERR_TYPE must be a JSON value, not NaN')
  expect(take(definition, { at: new Date(0) })).toBe('ERR_TYPE must be a JSON value, not an instance of a class')
  expect(take(definition, 10n)).toBe('ERR_TYPE must be a JSON value, not 10')
})
