import { expect, it } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import type { FieldValue } from '../fields/field-value.js'
import { createModel } from '../model/create-model.js'
import type { Access } from '../rights/access.js'
import { unchangedFields } from './unchanged.js'

const Item = defineObject({
  name: 'Item',
  timestamps: false,
  fields: {
    row_id: { type: 'id' },
    name: { type: 'string' },
    amount: { type: 'decimal' },
    data: { type: 'object' },
  },
})
const object = createModel([Item]).object('Item')
const access = { object, hides: () => false, may: () => true } as unknown as Access
const stored = { row_id: '1', name: 'one', amount: '1.5', data: { a: 1 } }

/** @param wrong fields that cannot be what was sent for them */
async function compared(body: Readonly<Record<string, FieldValue>>, ...wrong: readonly string[]) {
  const read: (readonly string[])[] = []
  const values = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'row_id' && !wrong.includes(name)))
  const messages = wrong.map((field) => ({ code: 'ERR_FORMAT' as const, field, text: '' }))
  const unchanged = await unchangedFields(access, body, values, messages, async ({ fields }) => {
    read.push(fields.slice(1).map(({ name }) => name))
    return stored
  })
  return { read: read.flat(), unchanged: [...unchanged] }
}

it('unchangedFields() compares records that are sent back whole', async () => {
  const { row_id: _, ...rest } = stored
  const all = ['name', 'amount', 'data']
  expect(await compared(rest)).toEqual({ read: all, unchanged: all })
  expect(await compared({ row_id: '1', name: 'one', amount: '2' })).toEqual({
    read: ['name', 'amount'],
    unchanged: ['name'],
  })
})

it('unchangedFields() of some fields reads what is wrong, empty or JSON, and nothing else', async () => {
  expect(await compared({ name: 'one', amount: '1.5' })).toEqual({ read: [], unchanged: [] })
  expect(await compared({ name: 'one', amount: '1.5' }, 'amount')).toEqual({ read: ['amount'], unchanged: ['amount'] })
  expect(await compared({ name: '' })).toEqual({ read: ['name'], unchanged: [] })
  expect(await compared({ data: { a: 1 } })).toEqual({ read: ['data'], unchanged: ['data'] })
})
