import { describe, expect, it } from 'vitest'
import { displayOf } from './introspect-display.js'
import type { ColumnInfo, TableInfo } from './table-info.js'
import type { ServedTable } from './served-table.js'

/** A served table of text columns; those that begin with `!` are unique, those with `#` its key, those with `-` numbers. */
function tableOf(...columns: readonly string[]): ServedTable {
  const names = columns.map((name) => name.replace(/^[!#-]/, ''))
  const fields = columns.map((given, at) => {
    const name = names[at] as string
    const type = given.startsWith('-')
      ? { kind: 'integer', digits: 10, unsigned: false }
      : { kind: 'string', length: 50 }
    return [name, { name, column: { name, type } as ColumnInfo }] as const
  })
  const unique = names.filter((_, at) => columns[at]?.startsWith('!'))
  const indexes = unique.map((name) => ({ name: `u_${name}`, columns: [name], unique: true, plain: true }))
  const key = names.filter((_, at) => columns[at]?.startsWith('#'))
  return { info: { indexes } as unknown as TableInfo, key, fields: new Map(fields) } as unknown as ServedTable
}

describe('displayOf()', () => {
  for (const [columns, shown] of [
    [['billing_address', 'billing_city', 'billing_postal_code', '-total'], []],
    [
      ['first_name', 'last_name', 'company', 'postal_code', 'email'],
      ['first_name', 'last_name'],
    ],
    [['last_name', 'first_name', 'name'], ['name']],
    [['country_code', 'state_code', 'city_name'], ['city_name']],
    [['zip_code', 'product_code'], ['product_code']],
    [['code', 'description'], ['code']],
    [['status_code', 'order_title'], ['order_title']],
    [['file_name', 'host_name', 'label'], ['label']],
    [['first_name', 'email'], ['email']],
    [['user_name', 'password_name', '!api_token'], ['user_name']],
    [['!uuid', '!email', '!title', 'name'], ['title']],
    [['#no', '!title', 'name'], ['title']],
    [['#code', 'name'], ['name']],
    [
      ['!email', 'last_name', 'first_name', 'company_name'],
      ['last_name', 'first_name'],
    ],
    [['#no', '!code', 'remark'], ['no']],
    [['!code', 'note', 'unit_name'], ['unit_name']],
    [['#token_hash', 'name'], ['name']],
    [['-name', 'remark'], []],
  ] as const) {
    it(`shows ${shown.join(' and ') || 'nothing'} of ${columns.join(', ')}`, () => {
      expect(displayOf(tableOf(...columns))).toEqual(shown)
    })
  }
})
