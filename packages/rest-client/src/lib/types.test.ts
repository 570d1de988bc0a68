import { expect, test } from 'vitest'
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
