import { expect, test } from 'vitest'
import { createClient } from './client.js'
import type { AnyRecord, Filters, SearchOptions } from './types.js'

interface Ticket {
  row_id: string
  tic_subject: string
  tic_day: string
  tic_customer_id: string
  tic_customer_id__cus_name: string
}

test('filters and sorts of a typed record know its fields', () => {
  const search: SearchOptions<Ticket> = {
    filters: { tic_subject: 'a*', tic_customer_id__cus_name: ['A', 'B'], dmin__tic_day: '2024-01-01', row_id: 1 },
    filter: "tic_subject like 'a%' or tic_customer_id__cus_country_id__cou_code = 'FR'",
    order: ['-tic_day', 'tic_customer_id__cus_code', 'created_dt', 'tic_customer_id__cus_country_id__cou_code'],
  }
  // @ts-expect-error: no such field
  const filters: Filters<Ticket> = { tic_nope: 'x' }
  // @ts-expect-error: no such field
  const bound: Filters<Ticket> = { dmin__tic_nope: 'x' }
  // @ts-expect-error: no such field
  const order: SearchOptions<Ticket> = { order: ['-nope'] }
  // A record of no known type has whatever fields.
  const any: SearchOptions<AnyRecord> = { filters: { anything: 'x' }, order: ['-anything'] }
  expect([search, filters, bound, order, any]).toHaveLength(5)
})

/** As "rest-client types" writes it. */
interface Records {
  Ticket: Ticket & {
    readonly '~types'?: {
      readonly record: Ticket
      readonly create: { tic_subject: string; tic_day?: string; tic_file?: string | { name: string; content: string } }
      readonly update: { tic_subject?: string; tic_day?: string }
      readonly actions: { close: { why?: string }; assign: { to: string } }
      readonly crosstabs: 'days'
      readonly publications: 'letter'
    }
  }
  Plain: Ticket
}

test('names that an object does not have do not compile', () => {
  const client = createClient<Records>({ url: 'http://localhost' })
  const tickets = client.object('Ticket')
  const plain = client.object('Plain')
  const any = createClient({ url: 'http://localhost' }).object('Whatever')
  const ticket = null as unknown as Ticket
  // None of them is called: this is about what compiles.
  const calls = [
    () => tickets.create({ tic_subject: 'x', tic_file: { name: 'a', content: '' } }),
    () => tickets.create({ ...ticket }),
    () => tickets.update('1', ticket),
    () =>
      tickets.batch([
        { action: 'create', values: { tic_subject: 'x' } },
        { action: 'delete', row_id: '1' },
      ]),
    () => tickets.get('1', { fields: ['tic_day', 'tic_customer_id__cus_name'] }),
    () => tickets.action('close'),
    () => tickets.action('close', { why: 'done' }, { rowId: '1' }),
    () => tickets.action('assign', { to: 'ann' }, { filters: { tic_day: '2024-01-01' } }),
    () => tickets.crosstab('days', { tic_day: '2024-01-01;' }, { order: ['-count'] }),
    () => tickets.publication('letter', { rowId: '1' }),
    () => tickets.download('1', 'tic_day'),
    () => plain.create({ tic_subject: 'x', tic_day: { name: 'a', content: '' } }),
    () => plain.action('whatever', { any: 1 }),
    () => any.create({ anything: 1 }),
    () => any.action('anything'),
    () => any.crosstab('anything'),
    () => any.upload('1', 'anything', new Blob(), { name: 'x' }),
    // @ts-expect-error: no such field
    () => tickets.create({ tic_subject: 'x', tic_nope: 'x' }),
    // @ts-expect-error: a required field is missing
    () => tickets.create({}),
    // @ts-expect-error: no such field
    () => tickets.update('1', { tic_nope: 'x' }),
    // @ts-expect-error: no such field
    () => tickets.upsert(['1'], { tic_nope: 'x' }),
    // @ts-expect-error: no such field
    () => tickets.batch([{ action: 'update', row_id: '1', values: { tic_nope: 1 } }]),
    // @ts-expect-error: no such field
    () => tickets.get('1', { fields: ['nope'] }),
    // @ts-expect-error: no such field
    () => tickets.page({ fields: ['nope'] }),
    // @ts-expect-error: no such action
    () => tickets.action('nope'),
    // @ts-expect-error: a parameter is required
    () => tickets.action('assign'),
    // @ts-expect-error: no such parameter
    () => tickets.action('close', { because: 'x' }),
    // @ts-expect-error: no such pivot table
    () => tickets.crosstab('nope'),
    // @ts-expect-error: no such publication
    () => tickets.publication('nope'),
    // @ts-expect-error: no such field
    () => tickets.download('1', 'nope'),
    // @ts-expect-error: no such field
    () => plain.create({ tic_nope: 'x' }),
    // @ts-expect-error: no such field
    () => plain.get('1', { fields: ['nope'] }),
  ]
  expect(calls.length).toBeGreaterThan(30)
})
