import { expect, test } from 'vitest'
import { take } from './field-for-test.js'

test.each([
  ['48.8566;2.3522', '48.8566;2.3522'],
  [' 48.850 ; -2.0 ', '48.85;-2'],
  ['-90;180', '-90;180'],
  ['0;-0.0', '0;0'],
  ['', ''],
  [null, ''],
])('geocoords takes %j as %j', (input, value) => {
  expect(take({ type: 'geocoords' }, input)).toBe(value)
})

test.each(['48.8', '91;0', '0;180.000001', '-90.1;0', 'a;b', '1;2;3', ';', '1;', '1,5;2', '0.1234567890123;0'])(
  'geocoords refuses %j',
  (input) => {
    expect(take({ type: 'geocoords' }, input)).toMatch(/^ERR_TYPE must be coordinates such as 48\.8566;2\.3522/)
  },
)

test.each([[48.8], [[48, 2]], [{ lat: 1 }]])('geocoords refuses %j', (input) => {
  expect(take({ type: 'geocoords' }, input)).toMatch(/^ERR_TYPE must be coordinates /)
})
