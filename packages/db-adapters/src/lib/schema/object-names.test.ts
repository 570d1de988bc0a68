import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldName, objectName, uniqueNames } from './object-names.js'

describe('objectName()', () => {
  it.each([
    ['order_items', 'OrderItems'],
    ['OrderDetails', 'OrderDetails'],
    ['Order Details', 'OrderDetails'],
    ['ORDERS', 'Orders'],
    ['t_user2', 'TUser2'],
    ['2020_sales', 'Table2020Sales'],
    ['été', 'Ete'],
    ['客户', 'Table'],
    ['HTTPServer', 'HttpServer'],
  ])('%s → %s', (table, name) => expect(objectName(table)).toBe(name))
})

describe('fieldName()', () => {
  it.each([
    ['mov_title', 'mov_title'],
    ['OrderDate', 'order_date'],
    ['CustomerID', 'customer_id'],
    ['_hidden__x_', 'hidden_x'],
    ['address2', 'address2'],
    ['2nd', 'column_2_nd'],
    ['€', 'column_'.slice(0, -1)],
    ['prénom', 'prenom'],
  ])('%s → %s', (column, name) => expect(fieldName(column)).toBe(name))

  it('is always a name that a definition may have', () => {
    const character = fc.integer({ min: 1, max: 0x2fff }).map((code) => String.fromCodePoint(code))
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 100 }), (column) => {
        expect(fieldName(column)).toMatch(/^[a-z](?:_?[a-z0-9])*$/)
        expect(fieldName(column).length).toBeLessThanOrEqual(63)
        expect(objectName(column)).toMatch(/^[A-Z][A-Za-z0-9]{0,62}$/)
      }),
    )
  })
})

describe('uniqueNames()', () => {
  it('numbers the later ones and keeps their length', () => {
    const give = uniqueNames(['row_id'], '_')
    expect([give('row_id'), give('a'), give('A')]).toStrictEqual(['row_id_2', 'a', 'A_2'])
    const long = 'x'.repeat(63)
    expect([give(long), give(long)]).toStrictEqual([long, `${'x'.repeat(61)}_2`])
  })
})
