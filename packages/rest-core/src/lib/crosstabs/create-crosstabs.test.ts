import { describe, expect, test } from 'vitest'
import type { DefinitionError } from '../../errors.js'
import { createModel } from '../model/create-model.js'
import type { CrosstabDefinition } from './crosstab.js'

function modelWith(crosstabs: Record<string, CrosstabDefinition>) {
  return createModel([
    { name: 'Shop', fields: { sho_city: { type: 'string', key: true, label: 'City' } } },
    {
      name: 'Sale',
      fields: {
        sal_shop: { type: 'reference', object: 'Shop', display: ['sho_city'] },
        sal_day: { type: 'date', label: 'Day' },
        sal_amount: { type: 'decimal', precision: 10, scale: 2, label: 'Amount' },
        sal_tags: { type: 'multi-enum', values: ['a', 'b'] },
        sal_pin: { type: 'password' },
        value: { type: 'string' },
      },
      crosstabs,
    },
  ])
}

function problemsOf(definition: CrosstabDefinition, name = 'table'): readonly string[] {
  try {
    modelWith({ [name]: definition })
    return []
  } catch (error) {
    return (error as DefinitionError).messages.map((text) => text.replace('Sale.crosstabs.table: ', ''))
  }
}

describe('createCrosstabs()', () => {
  test('fills in names, labels and the number of records', () => {
    const { crosstabs } = modelWith({
      table: { lines: ['sal_shop__sho_city'], columns: [{ field: 'sal_day', by: 'month' }] },
    }).object('Sale')
    expect(crosstabs.get('table')).toMatchObject({
      label: 'table',
      lines: [{ name: 'sal_shop__sho_city', label: 'City', by: undefined }],
      columns: [{ name: 'sal_day_month', label: 'Day (month)', by: 'month' }],
      values: [{ name: 'count', function: 'count', field: undefined }],
    })
  })

  test.each<[string, CrosstabDefinition, readonly string[]]>([
    ['no lines', { lines: [] }, ['it has no lines']],
    ['no values', { lines: ['sal_day'], values: [] }, ['it has no values; leave "values" out to count records']],
    ['an unknown field', { lines: ['sal_other'] }, ['there is no field "sal_other"']],
    ['a hidden field', { lines: ['sal_pin'] }, ['field "sal_pin" is hidden']],
    ['a list', { lines: ['sal_tags'] }, ['records cannot be grouped by "sal_tags" of type multi-enum']],
    [
      'a part of what is no date',
      { lines: [{ field: 'sal_shop__sho_city', by: 'year' }] },
      ['"sal_shop__sho_city" of type string has no year'],
    ],
    [
      'an unknown part',
      { lines: [{ field: 'sal_day', by: 'week' as never }] },
      ['"sal_day" is grouped by "week"; it must be one of year, quarter, month, day'],
    ],
    [
      'an unknown function',
      { lines: ['sal_day'], values: [{ function: 'median' as never, field: 'sal_amount' }] },
      ['function "median" of a value must be one of count, sum, avg, min, max'],
    ],
    ['a sum of nothing', { lines: ['sal_day'], values: [{ function: 'sum' }] }, ['sum needs a field']],
    [
      'a sum of dates',
      { lines: ['sal_day'], values: [{ function: 'sum', field: 'sal_day' }] },
      ['sum does not work on "sal_day" of type date'],
    ],
    [
      'the least text',
      { lines: ['sal_day'], values: [{ function: 'min', field: 'sal_shop__sho_city' }] },
      ['min does not work on "sal_shop__sho_city" of type string'],
    ],
    [
      'one name for two things',
      { lines: ['sal_day'], columns: ['sal_day'], values: [{ function: 'count' }, { function: 'count' }] },
      [
        '"sal_day" is the name of more than one line, column or value',
        '"count" is the name of more than one line, column or value',
      ],
    ],
    [
      'a field called as the value of a cell',
      { lines: ['value'] },
      ['"value" is the name of more than one line, column or value'],
    ],
    [
      'a name that is none',
      { lines: ['sal_day'], values: [{ function: 'count', name: 'a b' }] },
      ['the name "a b" of a value must have letters, digits and "_" and start with a letter'],
    ],
  ])('refuses %s', (_, definition, problems) => {
    expect(problemsOf(definition)).toStrictEqual(problems)
  })

  test('refuses a name that could not stand in an address', () => {
    expect(problemsOf({ lines: ['sal_day'] }, 'a/b')[0]).toContain('Sale.crosstabs.a/b: a name has letters')
  })

  test('takes dates for min and max, and any field for count', () => {
    const definition: CrosstabDefinition = {
      lines: [
        { field: 'sal_day', by: 'year' },
        { field: 'sal_day', by: 'month' },
      ],
      values: [
        { function: 'min', field: 'sal_day' },
        { function: 'max', field: 'sal_day' },
        { function: 'count', field: 'sal_tags' },
        { function: 'avg', field: 'sal_amount', name: 'mean' },
      ],
    }
    expect(problemsOf(definition)).toStrictEqual([])
  })
})
