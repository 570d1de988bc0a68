import { defineObject } from '@steward/rest-core'

/** What the documents are fuzzed with: every field type, and everything that a definition can name. */
export const Shelf = defineObject({
  name: 'Shelf',
  fields: {
    shf_code: { type: 'string', length: 20, key: true },
    shf_name: { type: 'string', length: 40, help: 'For `people` | <b>' },
  },
})

export const Thing = defineObject({
  name: 'Thing',
  fields: {
    thi_code: { type: 'string', length: 12, key: true, pattern: '[A-Z]{1,3}[0-9]{1,9}' },
    thi_name: { type: 'string', length: 30, required: true },
    thi_text: { type: 'text' },
    thi_count: { type: 'integer', min: -5, max: 1000 },
    thi_big: { type: 'integer', precision: 18 },
    thi_price: { type: 'decimal', precision: 8, scale: 2 },
    thi_exact: { type: 'decimal', precision: 30, scale: 6 },
    thi_yes: { type: 'boolean' },
    thi_date: { type: 'date' },
    thi_moment: { type: 'datetime' },
    thi_time: { type: 'time' },
    thi_kind: { type: 'enum', values: ['a', { code: 'b', label: 'Bee' }, { code: 'c', enabled: false }] },
    thi_tags: { type: 'multi-enum', values: ['x', 'y', 'z'] },
    thi_state: { type: 'enum', values: ['new', 'done'], required: true },
    thi_secret: { type: 'password' },
    thi_url: { type: 'url' },
    thi_mail: { type: 'email' },
    thi_phone: { type: 'phone' },
    thi_color: { type: 'color' },
    thi_html: { type: 'html' },
    thi_regexp: { type: 'regexp' },
    thi_place: { type: 'geocoords' },
    thi_data: { type: 'object' },
    thi_file: { type: 'document', maxBytes: 1000 },
    thi_picture: { type: 'image' },
    thi_once: { type: 'string', length: 10, createOnly: true },
    thi_own: { type: 'string', length: 10, readOnly: true },
    thi_inner: { type: 'string', length: 10, hidden: true },
    thi_shelf_id: { type: 'reference', object: 'Shelf', onDelete: 'setNull' },
  },
  order: ['thi_code'],
  pageSize: 10,
  indexable: ['thi_name', 'thi_text'],
  states: { field: 'thi_state', initial: 'new', transitions: [{ from: 'new', to: 'done' }] },
  crosstabs: {
    kinds: { lines: ['thi_kind'], columns: [{ field: 'thi_date', by: 'year' }] },
    sums: {
      lines: ['thi_shelf_id__shf_code', 'thi_yes'],
      values: [
        { function: 'sum', field: 'thi_exact' },
        { function: 'avg', field: 'thi_count' },
        { function: 'max', field: 'thi_date' },
      ],
    },
  },
  actions: {
    echo: {
      scope: 'both',
      parameters: {
        words: { type: 'string', length: 20 },
        times: { type: 'integer', min: 0, max: 9 },
        when: { type: 'date' },
        kinds: { type: 'multi-enum', values: ['p', 'q'] },
        sure: { type: 'boolean', required: true },
      },
      run: ({ parameters, record }) => ({ ...parameters, of: record?.['thi_code'] ?? null }),
    },
    later: { scope: 'global', background: true, run: () => 'done' },
  },
  publications: {
    sheet: { scope: 'record', format: 'html', template: '<h1>{{thi_name}}</h1>' },
    list: { scope: 'global', format: 'csv', fields: ['thi_code', 'thi_name'] },
    data: { scope: 'both', format: 'json' },
  },
})
