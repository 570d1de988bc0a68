import { defineObject } from '@steward/rest-core'

/** A tree, linked to itself. */
export const Kind = defineObject({
  name: 'Kind',
  // Users of the log who may read entries only see the kinds of those.
  display: 'public',
  table: 'replay_kind',
  fields: {
    kin_code: { type: 'string', length: 20, key: true },
    kin_name: { type: 'string', length: 50 },
    kin_weight: { type: 'decimal', precision: 20, scale: 6 },
    kin_active: { type: 'boolean' },
    kin_parent: { type: 'reference', object: 'Kind', display: ['kin_code'], onDelete: 'setNull' },
  },
  order: ['kin_code'],
})

/** A field of every type of value. */
export const Entry = defineObject({
  name: 'Entry',
  table: 'replay_entry',
  fields: {
    ent_code: { type: 'string', length: 20, key: true },
    ent_text: { type: 'string', length: 100, index: true },
    ent_long: { type: 'text' },
    ent_count: { type: 'integer', min: -1000, max: 1_000_000 },
    ent_big: { type: 'integer', precision: 18 },
    ent_price: { type: 'decimal', precision: 12, scale: 2 },
    ent_exact: { type: 'decimal', precision: 38, scale: 10 },
    ent_flag: { type: 'boolean' },
    ent_day: { type: 'date' },
    ent_moment: { type: 'datetime' },
    ent_clock: { type: 'time' },
    ent_state: { type: 'enum', values: ['new', 'New', 'done', 'à faire'] },
    ent_tags: { type: 'multi-enum', values: ['a', 'ab', 'b', 'é'] },
    ent_mail: { type: 'email', unique: true },
    ent_link: { type: 'url' },
    ent_color: { type: 'color' },
    ent_place: { type: 'geocoords' },
    ent_data: { type: 'object' },
    ent_pin: { type: 'password' },
    ent_kind: {
      type: 'reference',
      object: 'Kind',
      display: ['kin_code', 'kin_name', 'kin_weight', 'kin_active', 'kin_parent__kin_code'],
    },
  },
  order: ['ent_code'],
  pageSize: 10,
  states: {
    field: 'ent_state',
    initial: 'new',
    transitions: [
      { from: ['new', 'New'], to: 'done' },
      { from: 'done', to: 'à faire' },
    ],
  },
  crosstabs: {
    kinds: { lines: ['ent_kind__kin_code'] },
    texts: { lines: ['ent_text'], values: [{ function: 'count' }, { function: 'max', field: 'ent_moment' }] },
    sums: {
      lines: ['ent_state', 'ent_flag'],
      columns: [{ field: 'ent_day', by: 'year' }],
      values: [
        { function: 'sum', field: 'ent_exact', name: 'exact' },
        { function: 'sum', field: 'ent_big', name: 'big' },
        { function: 'avg', field: 'ent_price', name: 'price' },
        { function: 'min', field: 'ent_count', name: 'least' },
        { function: 'count', field: 'ent_text', name: 'texts' },
      ],
    },
    months: { lines: [{ field: 'ent_moment', by: 'month' }] },
    quarters: { lines: [{ field: 'ent_day', by: 'quarter' }], columns: ['ent_kind__kin_active'] },
    days: {
      lines: [{ field: 'ent_moment', by: 'day' }],
      values: [
        { function: 'min', field: 'ent_clock' },
        { function: 'max', field: 'ent_exact' },
      ],
    },
    prices: { lines: ['ent_price'], columns: ['ent_kind__kin_parent__kin_code'] },
    weights: {
      lines: ['ent_kind__kin_name'],
      values: [
        { function: 'sum', field: 'ent_kind__kin_weight', name: 'weight' },
        { function: 'avg', field: 'ent_kind__kin_weight', name: 'mean' },
      ],
    },
  },
})

/** Deleted with its entry. */
export const Remark = defineObject({
  name: 'Remark',
  table: 'replay_remark',
  timestamps: false,
  fields: {
    rem_entry: {
      type: 'reference',
      object: 'Entry',
      display: ['ent_code', 'ent_kind__kin_code'],
      onDelete: 'cascade',
      key: true,
    },
    rem_rank: { type: 'integer', key: true },
    rem_text: { type: 'string', length: 50 },
  },
})
