import { defineObject } from '@steward/rest-core'
import type { FieldValue, Model, ObjectStore } from '@steward/rest-core'
import * as fc from 'fast-check'

/** The end of the longest chain; its parents make it longer. */
const Region = defineObject({
  name: 'Region',
  table: 'fuzz_region',
  fields: {
    reg_code: { type: 'string', length: 100, key: true },
    reg_name: { type: 'string' },
    reg_seaside: { type: 'boolean' },
    reg_area: { type: 'decimal', precision: 38, scale: 10 },
    reg_founded: { type: 'date' },
    reg_flags: { type: 'multi-enum', values: ['old', 'new', "it's"] },
    reg_parent: { type: 'reference', object: 'Region' },
  },
})

const Person = defineObject({
  name: 'Person',
  table: 'fuzz_person',
  fields: {
    per_name: { type: 'string', length: 100, key: true },
    per_email: { type: 'email' },
    per_region: {
      type: 'reference',
      object: 'Region',
      display: ['reg_code', 'reg_name', 'reg_seaside', 'reg_area', 'reg_founded'],
    },
  },
})

/** Every field type. */
const Item = defineObject({
  name: 'Item',
  table: 'fuzz_item',
  fields: {
    itm_code: { type: 'string', length: 100, key: true },
    itm_string: { type: 'string', index: true },
    itm_text: { type: 'text' },
    itm_integer: { type: 'integer', index: true },
    itm_big: { type: 'integer', precision: 18 },
    itm_decimal: { type: 'decimal' },
    itm_exact: { type: 'decimal', precision: 38, scale: 10 },
    itm_boolean: { type: 'boolean' },
    itm_date: { type: 'date' },
    itm_datetime: { type: 'datetime' },
    itm_time: { type: 'time' },
    itm_enum: { type: 'enum', values: ['open', 'Open', 'closed', 'a_b', 'a%b', "it's"] },
    itm_list: { type: 'multi-enum', values: ['red', 're', 'Red', 'dark red', 're_', 'r%', 're\\', "it's"] },
    itm_password: { type: 'password' },
    itm_url: { type: 'url' },
    itm_email: { type: 'email' },
    itm_phone: { type: 'phone' },
    itm_color: { type: 'color' },
    itm_html: { type: 'html' },
    itm_regexp: { type: 'regexp' },
    itm_document: { type: 'document' },
    itm_image: { type: 'image' },
    itm_place: { type: 'geocoords' },
    itm_object: { type: 'object' },
    itm_owner: {
      type: 'reference',
      object: 'Person',
      display: ['per_name', 'per_email', 'per_region__reg_name', 'per_region__reg_seaside', 'per_region__reg_founded'],
    },
  },
})

/** What the fuzz runs search in. */
export const definitions = [Region, Person, Item] as const

/** Values next to values that a database might take them for. */
const texts = [
  ...['', 'a', 'A', 'b', 'ab', 'AB', 'a b', 'a ', ' a', 'a_b', 'axb', 'a%b', 'a\\b', 'x\ny', '%', '_', '\\', '*'],
  ...["it's", "''", '"', '`', '--', '/*', ';', '$1', '?', ':a', '0', '9', '10', '-1', 'null', 'true', '[DATE]', 'A*'],
  ...['ä', 'Ä', 'é', 'e\u0301', 'ß', 'z', '～', '😀', '\u{10ffff}', '=', '<>', "') or 1=1 --", '2024-02-29'],
]

/** By field: what rows hold, and what filters ask for. */
export const pools: Readonly<Record<string, readonly FieldValue[]>> = {
  reg_code: ['r0', 'r1', 'r2', 'r3', 'r4', 'r5'],
  reg_name: texts,
  reg_seaside: [true, false],
  reg_area: [null, 0, 0.5, -0.5, '1234567890123456789012345678.0123456789', '1234567890123456789012345678.0123456788'],
  reg_founded: ['', '1999-12-31', '2000-01-01', '2024-02-29'],
  reg_flags: [[], ['old'], ['new'], ['old', 'new'], ["it's"]],
  reg_parent: ['', '1', '2', '3', '5', '6'],
  per_name: Array.from({ length: 12 }, (_, n) => `p${n}`),
  per_email: ['', 'a@example.org', 'A@example.org', "o'hara@example.org"],
  per_region: ['', '1', '2', '3', '4', '5', '6'],
  itm_code: Array.from({ length: 200 }, (_, n) => `i${n}`),
  itm_string: texts,
  // MySQL sorts by the first 1,024 bytes only (`max_sort_length`), up to four per character.
  itm_text: [...texts, `${'long '.repeat(45)}end`, `${'long '.repeat(45)}End`],
  itm_integer: [null, 0, 1, -1, 2, 9, 10, 11, 100, -10, 999999999999999, -999999999999999],
  itm_big: [null, 0, 5, -5, 9007199254740991, '9007199254740992', '9007199254740993', '999999999999999999'],
  itm_decimal: [null, 0, 0.01, -0.01, 0.1, 0.3, 12.5, 12.49, 100, 9999999999999.99, 9999999999999.98],
  itm_exact: [null, 0, 0.1, -0.1, 1e-10, 2, 10, -2, '12345678901234567.1', '-12345678901234567.1'],
  itm_boolean: [true, false],
  itm_date: ['', '0001-01-01', '1969-12-31', '1970-01-01', '2024-02-28', '2024-02-29', '2024-03-01', '9999-12-31'],
  itm_datetime: ['', '1969-12-31 23:59:59', '2024-02-29 00:00:00', '2024-02-29 23:59:59', '2024-03-01 00:00:00'],
  itm_time: ['', '00:00:00', '00:00:01', '09:59:59', '10:00:00', '23:59:59'],
  itm_enum: ['', 'open', 'Open', 'closed', 'a_b', 'a%b', "it's"],
  itm_list: [[], ['red'], ['re'], ['red', 're'], ['Red', 'dark red'], ['re_', 'r%'], ['re\\', "it's"]],
  itm_password: ['', '$scrypt$a'],
  itm_url: ['', 'https://example.org/a', 'https://example.org/a_b', "https://example.org/'A"],
  itm_email: ['', 'a@example.org', 'A@example.org'],
  itm_phone: ['', '+33 1', '0033 1'],
  itm_color: ['', '#ff0000', '#FF0000'],
  itm_html: ['', '<b>a</b>', '<B>a</B>'],
  itm_regexp: ['', '^a$', '^a\\$', '\\d+'],
  itm_document: ['', 'doc-1', 'doc_1', 'Doc-1'],
  itm_image: ['', 'img-1'],
  itm_place: ['', '48.8566;2.3522', '48.8566;2.3523'],
  itm_object: [null, {}, { a: 1 }, [1], "it's", 0, false],
  itm_owner: ['', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'],
  created_dt: ['2024-01-01 00:00:00', '2024-01-02 00:00:00'],
  created_by: ['a', 'A'],
  updated_dt: ['2024-01-01 00:00:00', '2024-01-02 00:00:00'],
  updated_by: ['b', "B'"],
}

const rowCounts: Readonly<Record<string, number>> = { Region: 6, Person: 12, Item: 200 }

/** Makes the tables and the same rows, with the same row ids, in every store. */
export async function fill(store: ObjectStore, model: Model): Promise<void> {
  await store.sync(model)
  await store.transaction(async (session) => {
    for (const object of model.objects.values()) {
      const [key] = object.key
      // Parents are set when they are there.
      const later = new Set([key?.name, 'reg_parent'])
      const fields = [...object.fields, ...object.technical].filter(({ name }) => !later.has(name))
      const values = Object.fromEntries(fields.map(({ name }) => [name, fc.constantFrom(...(pools[name] ?? []))]))
      const rows = fc.sample(fc.record(values), { seed: 11, numRuns: rowCounts[object.name] ?? 0 })
      for (const [n, row] of rows.entries()) {
        const code = pools[key?.name ?? '']?.[n] as string
        await session.insert(object, { ...row, [key?.name ?? '']: code }, object.select([]))
      }
      if (object.name !== 'Region') continue
      for (const [id, parent] of ['', '1', '2', '3', '6', '5'].entries())
        await session.update(object, `${id + 1}`, { reg_parent: parent }, { select: object.select([]) })
    }
  })
}
