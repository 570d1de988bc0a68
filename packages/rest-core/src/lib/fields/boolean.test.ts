import { expect, test } from 'vitest'
import { take } from './field-for-test.js'

test.each([[true], ['true'], ['1'], [1]])('boolean takes %j as true', (input) => {
  expect(take({ type: 'boolean' }, input)).toBe(true)
})

test.each([[false], ['false'], ['0'], [0], [''], [null], [undefined]])('boolean takes %j as false', (input) => {
  expect(take({ type: 'boolean' }, input)).toBe(false)
})

test.each([['yes'], [2], [[]], [{}], ['TRUE ']])('boolean refuses %j', (input) => {
  expect(take({ type: 'boolean' }, input)).toMatch(/^ERR_TYPE must be true or false, not /)
})
