import type { FieldValue } from '../fields/field-value.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type { ObjectStore, StoreSession, Values } from '../store.js'
import { item, note, person, region } from './model.js'
import { createRandom, type Random } from './random.js'
import { valueBehind } from './value-behind.js'

/** Records with all readable fields, as they must be answered, by ascending row id. */
export type DataSet = ReadonlyMap<ObjectModel, readonly BusinessRecord[]>

// Values meet often, and sit next to values that a database might confuse them with.
const texts = [
  'a',
  'A',
  'b',
  'B',
  'ab',
  'AB',
  'aB',
  'a b',
  'a ',
  ' a',
  'a\t',
  'a_b',
  'axb',
  'a%b',
  'a\\b',
  'a\\%b',
  'a\\_b',
  'x\ny',
  '%',
  '_',
  '\\',
  '*',
  "it's",
  'ä',
  'Ä',
  'é',
  'e\u0301',
  'ß',
  'ss',
  'z',
  'Z',
  '[a]',
  '0',
  '9',
  '10',
  '-1',
  'null',
  '～',
  '😀',
  '😀b',
  '\u{10ffff}',
]

const pools: Readonly<Record<string, readonly FieldValue[]>> = {
  reg_name: texts,
  reg_seaside: [true, false],
  reg_area: [0, 0.5, -0.5, '1234567890123456789012345678.0123456789', '1234567890123456789012345678.0123456788', 99],
  reg_founded: ['1999-12-31', '2000-01-01', '2024-02-29'],
  itm_string: texts,
  itm_text: [...texts, `${'long '.repeat(2_000)}end`, `${'long '.repeat(2_000)}End`],
  itm_integer: [0, 1, -1, 2, 9, 10, 11, 100, -10, 999999999999999, -999999999999999],
  itm_big: [
    0,
    5,
    -5,
    9007199254740991,
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '999999999999999999',
  ],
  itm_decimal: [0, 0.01, -0.01, 0.1, 0.3, 12.5, 12.49, 12.51, 100, 9999999999999.99, 9999999999999.98],
  itm_exact: [
    0,
    0.1,
    -0.1,
    1e-10,
    2e-10,
    2,
    10,
    -2,
    -10,
    '12345678901234567.1',
    '12345678901234567.2',
    '-12345678901234567.1',
    '-12345678901234567.2',
    '9999999999999999999999999999.9999999999',
  ],
  itm_boolean: [true, false],
  itm_date: ['0001-01-01', '1969-12-31', '1970-01-01', '2024-02-28', '2024-02-29', '2024-03-01', '9999-12-31'],
  itm_datetime: [
    '1969-12-31 23:59:59',
    '2024-02-29 00:00:00',
    '2024-02-29 23:59:59',
    '2024-03-01 00:00:00',
    '2024-03-31 02:30:00',
  ],
  itm_time: ['00:00:00', '00:00:01', '09:59:59', '10:00:00', '23:59:59'],
  itm_enum: ['open', 'Open', 'closed', 'é', 'a_b', 'a%b'],
  itm_password: ['$scrypt$a', '$scrypt$b'],
  itm_url: ['https://example.org/a', 'https://example.org/a_b', 'https://example.org/A'],
  itm_email: ['a@example.org', 'A@example.org'],
  itm_phone: ['+33 1', '0033 1'],
  itm_color: ['#ff0000', '#FF0000'],
  itm_html: ['<b>a</b>', '<B>a</B>'],
  itm_regexp: ['^a$', '^a\\$', '\\d+'],
  itm_document: ['doc-1', 'doc_1', 'Doc-1'],
  itm_image: ['img-1'],
  itm_place: ['48.8566;2.3522', '48.8566;2.3523'],
  itm_object: [{}, { a: 1 }, [1], 'text', 0, false],
  not_text: texts,
  not_rank: [1, 2, 3],
  created_dt: ['2024-01-01 00:00:00', '2024-01-02 00:00:00'],
  created_by: ['a', 'A'],
  updated_dt: ['2024-01-01 00:00:00', '2024-01-02 00:00:00'],
  updated_by: ['b', 'B'],
}

/** Functional key of an `Item` in which everything else is empty. */
export const blankCode = 'blank'

/** Fills an empty store. */
export async function insertDataSet(store: ObjectStore, seed: number): Promise<DataSet> {
  const random = createRandom(seed)
  const rows = new Map<ObjectModel, BusinessRecord[]>([
    [region, []],
    [person, []],
    [item, []],
    [note, []],
  ])

  await store.transaction(async (session) => {
    for (let n = 0; n < 8; n++) await insert(session, region, { reg_code: `r${n}`, reg_parent: linked(region) })
    for (let n = 0; n < 12; n++)
      await insert(session, person, {
        per_last: random.pick(texts),
        per_first: `p${n}`,
        per_email: n % 3 ? `p${n}@example.org` : '',
        per_region: linked(region),
      })
    for (let n = 0; n < 100; n++)
      await insert(session, item, { itm_code: `i${n}`, itm_list: someCodes(random), itm_owner: linked(person) })
    const blank = Object.fromEntries([...item.fields, ...item.technical].map(({ name, type }) => [name, type.empty]))
    await insert(session, item, { ...blank, itm_code: blankCode })
    for (let n = 0; n < 40; n++) await insert(session, note, { not_item: linked(item), not_reply_to: linked(note) })
  })
  return new Map([...rows].map(([object, records]) => [object, records.map((record) => complete(object, record))]))

  function linked(object: ObjectModel): string {
    const records = rows.get(object) as BusinessRecord[]
    return records.length === 0 || random.oneIn(4) ? '' : random.pick(records).row_id
  }

  async function insert(session: StoreSession, object: ObjectModel, given: Values): Promise<void> {
    const values: Record<string, FieldValue> = {}
    for (const { name, type } of [...object.fields, ...object.technical]) {
      const pool = pools[name]
      const generated = pool && !random.oneIn(4) ? random.pick(pool) : type.empty
      values[name] = given[name] === undefined ? generated : given[name]
    }
    const { row_id } = await session.insert(object, values, object.select(['row_id']))
    rows.get(object)?.push({ ...values, row_id })
  }

  /** Follows the references in the values that were inserted, not in what the store says. */
  function complete(object: ObjectModel, record: BusinessRecord): BusinessRecord {
    const entries = [...object.readable.values()].map((field) => [field.name, valueBehind(rows, record, field)])
    return Object.fromEntries(entries) as BusinessRecord
  }
}

function someCodes(random: Random): string[] {
  const codes = [...(item.fields.find(({ name }) => name === 'itm_list')?.codes?.keys() ?? [])]
  return random.oneIn(4) ? [] : codes.filter(() => random.oneIn(3))
}
