import { expect, expectTypeOf, test } from 'vitest'
import type { FieldValue } from '../fields/field-value.js'
import { createModel } from '../model/create-model.js'
import type { BusinessRecord } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects, Task } from '../service/business-objects.js'
import { defineObject } from './define-object.js'
import type { FiltersOf, InputOf, ObjectDefinition, RecordOf, RecordsOf, UpdateOf } from './definition.js'

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
    ord_customer_id__cus_name: FieldValue
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

test('joined fields have the types of the linked definitions, also over two references', () => {
  const Country = defineObject({ name: 'Country', fields: { cou_area: { type: 'integer' } } })
  const Customer = defineObject({
    name: 'Customer',
    fields: {
      cus_vip: { type: 'boolean' },
      cus_country_id: { type: 'reference', object: 'Country' },
    },
  })
  const Invoice = defineObject({
    name: 'Invoice',
    fields: {
      inv_customer_id: {
        type: 'reference',
        object: 'Customer',
        display: ['cus_vip', 'created_dt', 'cus_country_id__cou_area'],
      },
      inv_box_id: { type: 'reference', object: 'Box', display: ['box_no'] },
    },
  })
  type Records = RecordsOf<[typeof Country, typeof Customer, typeof Invoice]>
  expectTypeOf<Records['Invoice']['inv_customer_id__cus_vip']>().toEqualTypeOf<boolean>()
  expectTypeOf<Records['Invoice']['inv_customer_id__created_dt']>().toEqualTypeOf<string>()
  expectTypeOf<Records['Invoice']['inv_customer_id__cus_country_id__cou_area']>().toEqualTypeOf<
    number | string | null
  >()
  expectTypeOf<Records['Invoice']['inv_box_id__box_no']>().toEqualTypeOf<FieldValue>()
  expectTypeOf<RecordOf<typeof Invoice>['inv_customer_id__cus_vip']>().toEqualTypeOf<FieldValue>()
  const Box = defineObject({ name: 'Box', fields: { box_no: { type: 'integer' } } })
  expect(createModel([Country, Customer, Invoice, Box]).objects.size).toBe(4)
})

const Ticket = defineObject({
  name: 'Ticket',
  fields: {
    tic_no: { type: 'string', length: 10, key: true },
    tic_sum: { type: 'integer' },
    tic_file: { type: 'document' },
  },
  actions: {
    close: { run: async () => ({ closed: 3 }) },
    assign: {
      parameters: { to: { type: 'string', required: true }, when: { type: 'date' } },
      run: ({ parameters }) => parameters.to,
    },
    tidy: { scope: 'global', background: true, run: () => 5 },
  },
  publications: { letter: { format: 'csv', fields: ['tic_no'] } },
  crosstabs: { sums: { lines: ['tic_no'], values: [{ function: 'sum', field: 'tic_sum' }] } },
})

test('actions, upserts, batches, pivot tables and documents take and answer what a definition says', () => {
  const calls = async (service: BusinessObjects, p: Principal): Promise<void> => {
    expectTypeOf(await service.action(p, Ticket, 'close', { rowId: '1' })).toEqualTypeOf<{
      readonly result: { closed: number }
    }>()
    const assigned = await service.action(p, Ticket, 'assign', { rowId: '1', parameters: { to: 'ann' } })
    expectTypeOf(assigned.result).toEqualTypeOf<string>()
    const tidied = await service.action(p, Ticket, 'tidy', { search: { filters: { tic_no: 'A*' } } })
    expectTypeOf(tidied).toEqualTypeOf<{ readonly result: number } | { readonly task: Task }>()
    // @ts-expect-error: no such action
    await service.action(p, Ticket, 'clsoe', { rowId: '1' })
    // @ts-expect-error: no such parameter
    await service.action(p, Ticket, 'assign', { rowId: '1', parameters: { to: 'ann', wen: '2026-01-01' } })
    // @ts-expect-error: a parameter is required
    await service.action(p, Ticket, 'assign', { rowId: '1' })
    // @ts-expect-error: another type
    await service.action(p, Ticket, 'assign', { rowId: '1', parameters: { to: 5 } })
    // @ts-expect-error: it has no parameters
    await service.action(p, Ticket, 'close', { rowId: '1', parameters: { why: 'x' } })
    // @ts-expect-error: no such field
    await service.action(p, Ticket, 'tidy', { search: { filters: { tic_on: 'A*' } } })

    const { record } = await service.upsert(p, Ticket, { tic_no: '1', tic_sum: 3 }, { fields: ['tic_sum'] })
    expectTypeOf(record).toEqualTypeOf<{ row_id: string; tic_sum: number | string | null }>()
    // @ts-expect-error: no such field
    await service.upsert(p, Ticket, { tic_on: '1' })

    const [first] = await service.batch(p, Ticket, [
      { action: 'create', values: { tic_no: '1' } },
      { action: 'update', row_id: '1', values: { tic_sum: 3 } },
      { action: 'delete', row_id: '2' },
    ])
    if (first && 'record' in first)
      expectTypeOf(first.record).toEqualTypeOf<RecordOf<typeof Ticket> | { readonly row_id: string }>()
    // @ts-expect-error: no such field
    await service.batch(p, Ticket, [{ action: 'update', row_id: '1', values: { tic_smu: 3 } }])
    // @ts-expect-error: the key is required
    await service.batch(p, Ticket, [{ action: 'create', values: { tic_sum: 3 } }])

    await service.crosstab(p, Ticket, 'sums', {
      filters: { tic_no: 'A*' },
      order: [{ field: 'sum', descending: true }],
    })
    // @ts-expect-error: no such pivot table
    await service.crosstab(p, Ticket, 'smus')
    // @ts-expect-error: no such field
    await service.countCrosstab(p, Ticket, 'sums', { filters: { tic_on: 'A*' } })
    await service.publish(p, Ticket, 'letter', { rowId: '1' })
    // @ts-expect-error: no such publication
    await service.publish(p, Ticket, 'lettre', { rowId: '1' })
    await service.countFor(p, Ticket, 'actions', 'tidy')
    // @ts-expect-error: that is an action
    await service.countFor(p, Ticket, 'publications', 'tidy')
    await service.document(p, Ticket, '1', 'tic_file')
    // @ts-expect-error: not a document
    await service.document(p, Ticket, '1', 'tic_no')

    // By its name, an object takes what a client sent.
    const body: { readonly [name: string]: unknown } = {}
    const name: string = 'close'
    expectTypeOf(await service.action(p, 'Ticket', name, { rowId: '1', parameters: body })).toEqualTypeOf<
      { readonly result: unknown } | { readonly task: Task }
    >()
    const loose: ObjectDefinition = Ticket
    await service.action(p, loose, name, { parameters: body })
    expectTypeOf((await service.upsert(p, 'Ticket', body)).record).toEqualTypeOf<BusinessRecord>()
    await service.batch(p, 'Ticket', [{ action: 'create', values: body }])
  }
  expect(calls).toBeTypeOf('function')
})
