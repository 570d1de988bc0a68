import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FieldDefinition } from '../definition/definition.js'
import { compareValues } from '../filter/compare.js'
import { fieldFor, take } from './field-for-test.js'

describe('date', () => {
  test.each([
    ['2024-02-29', '2024-02-29'],
    [' 2024-02-29 ', '2024-02-29'],
    ['2024-02-29T23:30:00Z', '2024-02-29'],
    ['2024-02-29T23:30:00-01:00', '2024-03-01'],
    ['2024-02-29 10:00:00', '2024-02-29'],
    ['0001-01-01', '0001-01-01'],
    ['9999-12-31', '9999-12-31'],
    ['', ''],
    [null, ''],
  ])('takes %j as %j', (input, value) => {
    expect(take({ type: 'date' }, input)).toBe(value)
  })

  test.each([
    '2023-02-29',
    '2100-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-04-31',
    '2024-1-1',
    '0000-01-01',
    '24-01-01',
    '01/02/2024',
    'today',
    '2024-01-01x',
    '10000-01-01',
    '9999-12-31T23:30:00-01:00',
    '0001-01-01T00:30:00+01:00',
  ])('refuses %j', (input) => {
    expect(take({ type: 'date' }, input)).toBe(`ERR_TYPE must be a date such as 2024-02-29, not "${input}"`)
  })

  test.each([[20_240_229], [true], [{}], [[]]])('refuses %j', (input) => {
    expect(take({ type: 'date' }, input)).toMatch(/^ERR_TYPE must be a date /)
  })
})

describe('datetime without a time zone', () => {
  const local = { type: 'datetime', zone: 'none' } as const

  test.each([
    ['2024-02-29T13:45:10', '2024-02-29 13:45:10'],
    ['2024-02-29', '2024-02-29 00:00:00'],
    ['', ''],
  ])('keeps %j as %j', (input, value) => {
    expect(take(local, input)).toBe(value)
  })

  test.each(['2024-02-29T13:45:10Z', '2024-02-29 13:45:10+02:00', '2024-02-29 13:45:10-0000'])(
    'refuses %j',
    (input) => {
      expect(take(local, input)).toMatch(/^ERR_TYPE must be a date and time without a time zone, such as /)
    },
  )
})

describe('datetime', () => {
  test.each([
    ['2024-02-29 13:45:10', '2024-02-29 13:45:10'],
    ['2024-02-29T13:45:10Z', '2024-02-29 13:45:10'],
    ['2024-02-29t13:45:10z', '2024-02-29 13:45:10'],
    ['2024-02-29T13:45:10.999Z', '2024-02-29 13:45:10'],
    ['2024-02-29T13:45:10,999999999', '2024-02-29 13:45:10'],
    ['2024-02-29T13:45', '2024-02-29 13:45:00'],
    ['2024-02-29', '2024-02-29 00:00:00'],
    ['2024-02-29T23:45:00-00:30', '2024-03-01 00:15:00'],
    ['2024-03-01T00:15:00+0530', '2024-02-29 18:45:00'],
    ['2024-03-01T00:15:00+05', '2024-02-29 19:15:00'],
    ['0099-01-01T00:00:00+01:00', '0098-12-31 23:00:00'],
    ['', ''],
  ])('takes %j as %j', (input, value) => {
    expect(take({ type: 'datetime' }, input)).toBe(value)
  })

  test.each([
    '2024-02-29 24:00:00',
    '2024-02-29 10:60:00',
    '2024-02-29 10:00:60',
    '2024-02-29T10',
    '2024-02-29T10:00:00+25:00',
    '2024-02-29T10:00:00+01:60',
    '2023-02-29 10:00:00',
    '2024-02-29  10:00',
    '10:00:00',
  ])('refuses %j', (input) => {
    expect(take({ type: 'datetime' }, input)).toMatch(/^ERR_TYPE must be a date and time such as /)
  })

  test('takes every moment that JavaScript writes', () => {
    const moments = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moments, (moment) => {
        const iso = moment.toISOString()
        expect(take({ type: 'datetime' }, iso)).toBe(iso.slice(0, 19).replace('T', ' '))
      }),
    )
  })

  test('turns every offset into UTC as JavaScript does', () => {
    const moments = fc.date({
      min: new Date('1000-01-01T00:00:00Z'),
      max: new Date('9000-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(
        moments,
        fc.integer({ min: -23, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        (moment, hours, minutes) => {
          const two = (number: number): string => String(Math.abs(number)).padStart(2, '0')
          const text = `${moment.toISOString().slice(0, 19)}${hours < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
          expect(take({ type: 'datetime' }, text)).toBe(new Date(text).toISOString().slice(0, 19).replace('T', ' '))
        },
      ),
    )
  })
})

describe('time', () => {
  test.each([
    ['13:45:10', '13:45:10'],
    ['13:45', '13:45:00'],
    ['13:45:10.5Z', '13:45:10'],
    ['00:30:00+01:00', '23:30:00'],
    ['23:30:00-01:00', '00:30:00'],
    ['', ''],
  ])('takes %j as %j', (input, value) => {
    expect(take({ type: 'time' }, input)).toBe(value)
  })

  test.each(['24:00', '12:60', '1:00', 'noon', '2024-01-01', '12:00:00 PM'])('refuses %j', (input) => {
    expect(take({ type: 'time' }, input)).toBe(`ERR_TYPE must be a time such as 13:45:00, not "${input}"`)
  })
})

describe('fractions of a second', () => {
  test.each([
    [0, '2024-02-29 13:45:00.789', '2024-02-29 13:45:00'],
    [3, '2024-02-29T13:45:00.789123Z', '2024-02-29 13:45:00.789'],
    [6, '2024-02-29 13:45:00.120000', '2024-02-29 13:45:00.12'],
    [6, '2024-02-29 13:45:00.000000', '2024-02-29 13:45:00'],
    [6, '2024-02-29T23:45:00.5+01:00', '2024-02-29 22:45:00.5'],
  ])('of %i digits: %s is %s', (precision, input, value) => {
    expect(take({ type: 'datetime', precision }, input)).toBe(value)
  })

  test('times have them, too', () => {
    expect(take({ type: 'time', precision: 6 }, '13:45:00.123456')).toBe('13:45:00.123456')
    expect(take({ type: 'time' }, '13:45:00.123456')).toBe('13:45:00')
  })

  test('the JSON Schema takes them', () => {
    const field = fieldFor({ type: 'datetime', precision: 3 })
    const pattern = new RegExp(field.type.jsonSchema(field)['pattern'] as string)
    expect(pattern.test('2024-02-29 13:45:00.123')).toBe(true)
    expect(pattern.test('2024-02-29 13:45:00.1234')).toBe(false)
  })
})

describe('extended dates and times', () => {
  const cases = {
    date: ['infinity', '-infinity', '12024-01-01', '0044-03-15 BC', '2024-00-00', '2024-02-29'],
    datetime: ['infinity', '12024-01-01 10:00:00.5', '0044-03-15 12:00:00 BC', '2024-02-29 10:00:00'],
    time: ['24:00:00', '838:59:59', '-01:30:00.25', '13:45:00'],
  } as const

  test.each(Object.entries(cases))('%s takes them in the form in which they are answered', (type, values) => {
    const definition = { type, extended: true, ...(type === 'date' ? {} : { precision: 6 }) } as FieldDefinition
    const field = fieldFor(definition)
    const pattern = new RegExp(field.type.jsonSchema(field)['pattern'] as string)
    for (const value of values) {
      expect(take(definition, value), value).toBe(value)
      expect(pattern.test(value), value).toBe(true)
    }
  })

  test('other fields refuse them, and extended ones what is in no form', () => {
    for (const [type, [value]] of Object.entries(cases))
      expect(take({ type } as FieldDefinition, value)).toMatch(/^ERR_TYPE must be a /)
    for (const value of ['infinite', '2024-13-01', '2024-01-01 BC x', '1-1-1'])
      expect(take({ type: 'date', extended: true }, value), value).toMatch(/^ERR_TYPE must be a date/)
    expect(take({ type: 'time', extended: true }, '10:60:00')).toMatch(/^ERR_TYPE/)
    expect(take({ type: 'datetime', extended: true }, '0044-03-15T12:00:00+01 BC')).toMatch(/^ERR_TYPE/)
  })

  test('compareValues() follows time, not texts', () => {
    const sorted = {
      date: ['-infinity', '0045-01-01 BC', '0044-03-15 BC', '0044-04-01 BC', '0001-01-01', '12024-01-01', 'infinity'],
      time: ['-100:00:00', '-01:30:00', '-00:00:01', '00:00:00', '09:00:00', '09:00:00.5', '24:00:00', '100:00:00'],
    }
    for (const [type, values] of Object.entries(sorted)) {
      const field = fieldFor({ type, extended: true } as FieldDefinition)
      expect(values.toReversed().toSorted((a, b) => compareValues(a, b, field))).toStrictEqual(values)
    }
  })
})
