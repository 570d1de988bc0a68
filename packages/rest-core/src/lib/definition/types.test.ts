import { expect, expectTypeOf, test } from 'vitest'
import type { FieldValue } from '../fields/field-value.js'
import { createModel } from '../model/create-model.js'
import type { BusinessRecord } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from '../service/business-objects.js'
import { defineObject } from './define-object.js'
import type { FiltersOf, InputOf, ObjectDefinition, RecordOf, UpdateOf } from './definition.js'

const Order = defineObject({
  name: 'Order',
  order: ['-ord_day', 'ord_customer_id__cus_name', 'created_dt'],
  fields: {
    ord_no: { type: 'string', length: 10, key: true },
    ord_day: { type: 'date', required: true, default: '[DATE]' },
    ord_state: { type: 'enum', values: ['open', { code: 'paid', label: 'Paid' }], required: true },
    ord_tags: { type: 'multi-enum', values: ['gift', 'express'] },
    ord_sum: { type: 'decimal', precision: 12, readOnly: true },
    ord_bill: { type: 'document' },
    ord_note: { type: 'text', hidden: true },
    ord_customer_id: { type: 'reference', object: 'Customer', display: ['cus_name'] },
  },
  states: { field: 'ord_state', transitions: [{ from: 'open', to: 'paid' }] },
  hooks: {
    preSave({ values, operation }) {
      expectTypeOf(operation).toEqualTypeOf<'create' | 'update'>()
      values.ord_sum = 1
      // @ts-expect-error: not a code of the list
      values.ord_state = 'lost'
      // @ts-expect-error: no such field
      values.ord_smu = 1
    },
    async postSave({ record, old }) {
      expectTypeOf(record.ord_state).toEqualTypeOf<'open' | 'paid' | ''>()
      expectTypeOf(record.ord_customer_id__cus_name).toEqualTypeOf<FieldValue>()
      expectTypeOf((await old())?.updated_by).toEqualTypeOf<string | undefined>()
    },
    isDeleteEnable: ({ record }) => record.ord_state === 'open',
  },
  actions: {
    pay: {
      parameters: {
        day: { type: 'date' },
        times: { type: 'integer' },
        how: { type: 'enum', values: ['cash', 'card'] },
      },
      run: ({ record, parameters }) => {
        expectTypeOf(record.ord_state).toEqualTypeOf<'open' | 'paid' | ''>()
        expectTypeOf(parameters).toEqualTypeOf<{
          readonly day: string
          readonly times: number | string | null
          readonly how: 'cash' | 'card' | ''
        }>()
        // @ts-expect-error: no such parameter
        return [parameters.day, parameters.dya]
      },
    },
    payAll: {
      scope: 'global',
      run: ({ record }) => expectTypeOf(record).toEqualTypeOf<undefined>(),
    },
    look: { scope: 'both', run: ({ record }) => record?.ord_no ?? '' },
  },
})

test('an object with typed hooks and actions is an object like any other', () => {
  expect(createModel([Order, { name: 'Customer', fields: { cus_name: { type: 'string' } } }]).objects.size).toBe(2)
})

test('records, inputs and filters follow from a definition', () => {
  expectTypeOf<RecordOf<typeof Order>>().toEqualTypeOf<{
    row_id: string
    ord_no: string
    ord_day: string
    ord_state: 'open' | 'paid' | ''
    ord_tags: ('gift' | 'express')[]
    ord_sum: number | string | null
    ord_bill: string
    ord_customer_id: string
    ord_customer_id__cus_name: unknown
  }>()
  const input: InputOf<typeof Order> = { ord_no: '1', ord_bill: { name: 'a.pdf', content: 'AA==' }, ord_tags: ['gift'] }
  // @ts-expect-error: the key is required
  const keyless: InputOf<typeof Order> = {}
  // @ts-expect-error: read-only
  const readOnly: InputOf<typeof Order> = { ord_no: '1', ord_sum: 1 }
  // @ts-expect-error: not a code of the list
  const update: UpdateOf<typeof Order> = { ord_state: 'lost' }
  const filters: FiltersOf<typeof Order> = { ord_day: '2024-01-01;', ord_customer_id__cus_name: ['A*', 'B*'] }
  // @ts-expect-error: no such field
  const wrong: FiltersOf<typeof Order> = { ord_nope: 'x' }
  expect([input, keyless, readOnly, update, filters, wrong]).toHaveLength(6)
})

test('keys and names that are not known do not compile', () => {
  const fields = { thi_name: { type: 'string' }, thi_kind: { type: 'enum', values: ['a'] } } as const
  const run = () => null
  const wrong: ObjectDefinition[] = [
    // @ts-expect-error: an object has no "lable"
    defineObject({ name: 'Thing', lable: 'x', fields }),
    // @ts-expect-error: a field has no "requird"
    defineObject({ name: 'Thing', fields: { a: { type: 'string', requird: true } } }),
    // @ts-expect-error: a string has no "precision"
    defineObject({ name: 'Thing', fields: { a: { type: 'string', precision: 2 } } }),
    // @ts-expect-error: no field "zzz"
    defineObject({ name: 'Thing', fields, order: ['-zzz'] }),
    // @ts-expect-error: no field "zzz"
    defineObject({ name: 'Thing', fields, states: { field: 'zzz', transitions: [] } }),
    // @ts-expect-error: not an enum field
    defineObject({ name: 'Thing', fields, states: { field: 'thi_name', transitions: [] } }),
    // @ts-expect-error: no hook "preSav"
    defineObject({ name: 'Thing', fields, hooks: { preSav: run } }),
    // @ts-expect-error: an action has no "lable"
    defineObject({ name: 'Thing', fields, actions: { act: { run, lable: 'x' } } }),
    // @ts-expect-error: a publication has no "filename"
    defineObject({ name: 'Thing', fields, publications: { list: { format: 'csv', filename: 'x' } } }),
  ]
  expect(wrong).toHaveLength(9)
  // A definition whose type is not exact is taken as it is.
  const loose: ObjectDefinition = { name: 'Thing', fields: { a: { type: 'string' } } }
  expect(defineObject(loose)).toBe(loose)
  // Fields may come from elsewhere.
  expect(defineObject({ name: 'Thing', fields: { ...fields }, order: ['thi_name'] }).name).toBe('Thing')
})

test('a row id of several fields must be given by these', () => {
  const Line = defineObject({
    name: 'Line',
    fields: {
      row_id: { type: 'id', fields: ['lin_order', 'lin_no'] },
      lin_order: { type: 'reference', object: 'Order' },
      lin_no: { type: 'integer' },
      lin_text: { type: 'string' },
    },
  })
  expectTypeOf<InputOf<typeof Line>>().toEqualTypeOf<{
    lin_order: string | null
    lin_no: number | string | null
    lin_text?: string | null
  }>()
})

test('calls with a definition take its fields, and answer those that they ask for', () => {
  const calls = async (service: BusinessObjects, p: Principal): Promise<void> => {
    await service.create(p, Order, { ord_no: '1', ord_tags: ['gift'] })
    // @ts-expect-error: no such field
    await service.create(p, Order, { ord_no: '1', ord_nmae: 'x' })
    // @ts-expect-error: the key is required
    await service.create(p, Order, {})
    // @ts-expect-error: not a code of the list
    await service.update(p, Order, '1', { ord_state: 'opne' })
    const part = await service.get(p, Order, '1', { fields: ['ord_no', 'ord_customer_id__cus_city'] })
    expectTypeOf(part).toEqualTypeOf<{ row_id: string; ord_no: string; ord_customer_id__cus_city: FieldValue }>()
    // @ts-expect-error: no such field
    await service.get(p, Order, '1', { fields: ['ord_nmuber'] })
    for await (const [order] of await service.search(p, Order, {
      filters: { ord_state: 'open', dmin__ord_day: '2026-01-01' },
    }))
      expectTypeOf(order).toEqualTypeOf<RecordOf<typeof Order> | undefined>()
    // @ts-expect-error: no such field
    await service.search(p, Order, { filters: { ord_sate: 'open', ord_no: '1' } })
    // @ts-expect-error: no such field
    await service.count(p, Order, { filters: { ord_sate: 'open' } })
    // By its name, an object takes what a client sent.
    const body: unknown = {}
    expectTypeOf(await service.create(p, 'Order', body, { fields: ['ord_no'] })).toEqualTypeOf<BusinessRecord>()
    const loose: ObjectDefinition = Order
    expectTypeOf(await service.update(p, loose, '1', body)).toExtend<{ row_id: string }>()
  }
  expect(calls).toBeTypeOf('function')
})
