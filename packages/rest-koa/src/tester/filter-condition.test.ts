import type { FieldMetadata } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { conditionOf, operatorsOf, readCondition } from './filter-condition.js'

const field = (type: number, ...codes: string[]) =>
  ({ type, listOfValues: codes.map((code) => ({ code, value: code, enabled: true })) }) as unknown as FieldMetadata

const text = field(3)
const price = field(2)
const day = field(4)
const moment = field(5)
const kind = field(7, 'fruit', 'tool')

it.each([
  [text, 'Nail', 'is', 'Nail'],
  [text, '*ai*', 'contains', 'ai'],
  [text, 'Na*', 'starts', 'Na'],
  [text, 'is null', 'empty', ''],
  [text, "not in ('a')", 'condition', "not in ('a')"],
  [price, '8;', 'from', '8'],
  [price, ';5', 'to', '5'],
  [price, '3;7', 'condition', '3;7'],
  [price, '> 7', 'condition', '> 7'],
  [day, '2024-01-31;', 'from', '2024-01-31'],
  [day, '[DATE:-3m];', 'condition', '[DATE:-3m];'],
  [moment, ';2024-01-31 10:00:00', 'to', '2024-01-31 10:00:00'],
  [kind, 'tool', 'is', 'tool'],
  [kind, 'spoon', 'condition', 'spoon'],
  [field(8), 'true', 'is', 'true'],
  [field(20), 'is not null', 'notEmpty', ''],
  [undefined, '8;', 'condition', '8;'],
] as const)('readCondition() of %o and %j is %s %j, and back', (of, condition, operator, value) => {
  expect(readCondition(of, condition)).toEqual({ operator, value })
  expect(conditionOf(operator, value)).toBe(condition)
})

it('the chosen operator stays while its value is not finished', () => {
  expect(readCondition(price, '-;', 'from')).toEqual({ operator: 'from', value: '-' })
  expect(readCondition(price, '-;')).toEqual({ operator: 'condition', value: '-;' })
  expect(readCondition(price, '', 'to')).toEqual({ operator: 'to', value: '' })
  expect(readCondition(text, 'a;b', 'is')).toEqual({ operator: 'is', value: 'a;b' })
  expect(readCondition(text, 'ab', 'contains')).toEqual({ operator: 'is', value: 'ab' })
  expect(readCondition(undefined, 'ab', 'contains')).toEqual({ operator: 'condition', value: 'ab' })
})

it('an operator without a value is no condition', () => {
  for (const operator of operatorsOf(price)) expect(conditionOf(operator, '')).toMatch(/^(?:|is (?:not )?null)$/)
  expect(readCondition(price, '')).toEqual({ operator: 'is', value: '' })
})
