import { expect, test } from 'vitest'
import { createModel } from '../model/create-model.js'
import type { FieldValue } from './field-value.js'
import { escapeKeyText, readRowId, rowIdOf } from './row-key.js'

const seed = Number(process.env['SEED'] ?? 1)

const model = createModel([
  {
    name: 'Thing',
    fields: {
      row_id: { type: 'id', fields: ['text', 'big', 'amount', 'flag', 'day', 'at'] },
      text: { type: 'string' },
      big: { type: 'integer', precision: 18 },
      amount: { type: 'decimal', precision: 30, scale: 10 },
      flag: { type: 'boolean' },
      day: { type: 'date' },
      at: { type: 'datetime' },
    },
  },
])
const parts = model.object('Thing').id.parts ?? []

function randomOf(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Characters that an encoding may stumble over, and any others. */
function textOf(random: (below: number) => number): string {
  const odd = '~.-_%/?#&=+ \\\'"0aA7E€é\u0301𝄞\u{10FFFF}\t\n\u0001\u007F\uFFFD'
  const characters = [...odd]
  return Array.from({ length: 1 + random(12) }, () =>
    random(3) === 0 ? String.fromCodePoint(random(0xd7ff) + 1) : characters[random(characters.length)],
  ).join('')
}

test(`row ids are read as the values that made them (SEED=${seed})`, () => {
  const random = randomOf(seed)
  const known = new Map<string, string>()
  for (let time = 0; time < 3_000; time++) {
    const values: Record<string, FieldValue> = {
      text: textOf(random),
      big: random(2) === 0 ? random(1_000) - 500 : `${random(2) === 0 ? '-' : ''}9${String(random(10 ** 9))}00000000`,
      amount: [0, -0.5, 1e-7, 123_456.789, '12345678901234567890.0123456789'][random(5)] as FieldValue,
      flag: random(2) === 0,
      day: `20${10 + random(90)}-02-0${1 + random(9)}`,
      at: `1999-12-31 23:59:${10 + random(50)}`,
    }
    const id = rowIdOf(parts, ({ name }) => values[name])
    expect(id).toMatch(/^[\w.~-]+$/)
    expect(new URL(`http://host/Thing/${id}`).pathname).toBe(`/Thing/${id}`)
    expect(readRowId(parts, id)).toStrictEqual(parts.map(({ name }) => values[name]))
    const text = JSON.stringify(values)
    expect(known.get(id) ?? text).toBe(text)
    known.set(id, text)
    // A changed id is that of other values, or of none.
    const at = random(id.length)
    const changed = id.slice(0, at) + '~._0aA7E'[random(8)] + id.slice(at + random(2))
    const read = readRowId(parts, changed)
    if (read) expect(rowIdOf(parts, (part) => read[parts.indexOf(part)])).toBe(changed)
  }
})

test.each([
  ['', ''],
  ['a_b-C9', 'a_b-C9'],
  ['.', '..'],
  ['~', '.7E'],
  ['a b', 'a.20b'],
  ['é', '.C3.A9'],
  ['𝄞', '.F0.9D.84.9E'],
])('"%s" is written "%s"', (text, escaped) => {
  expect(escapeKeyText(text)).toBe(escaped)
})

test('an empty text in a key has an id, a missing value has none', () => {
  const two = parts.filter(({ name }) => name === 'text' || name === 'flag')
  expect(readRowId(two, '~true')).toStrictEqual(['', true])
  expect(rowIdOf(two, ({ name }) => (name === 'flag' ? true : null))).toBe('')
})

test.each([
  'a~1',
  'a~1~',
  '~~',
  'a~TRUE',
  'a~.66alse',
  'a~true~',
  '.41~true',
  'a.7e~true',
  'a.~true',
  '.FF~true',
  'a%20~true',
])('"%s" is the id of no row', (id) => {
  expect(
    readRowId(
      parts.filter(({ name }) => name === 'text' || name === 'flag'),
      id,
    ),
  ).toBeUndefined()
})

test('a whole number in a row id has one form', () => {
  const pair = createModel([
    {
      name: 'Pair',
      fields: { row_id: { type: 'id', fields: ['a', 'b'] }, a: { type: 'integer' }, b: { type: 'integer' } },
    },
  ])
  const both = pair.object('Pair').id.parts ?? []
  for (const [id, values] of [
    ['0~0', [0, 0]],
    ['-1~999999999999999', [-1, 999_999_999_999_999]],
    ['-99999999999999~10', [-99_999_999_999_999, 10]],
  ] as const)
    expect(readRowId(both, id), id).toStrictEqual(values)
  const others = ['', '~', '1', '1~', '~1', '1~2~', '1~2~3', '01~2', '1~02', '-0~1', '1~-0', '-~1', '--1~1', '+1~1']
  for (const id of [...others, '1.0~1', '1e3~1', ' 1~1', '1~1 ', '1~١', '1~0x1', '1~Infinity'])
    expect(readRowId(both, id), id).toBeUndefined()
})
