import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { formFields, readForm, textOf, valueOf, writeForm } from './form-body.js'

// The language of texts is that of the page.
vi.hoisted(() => {
  vi.stubGlobal('document', { documentElement: { dataset: {} } })
  vi.stubGlobal('navigator', { languages: ['en'] })
})
afterAll(() => vi.unstubAllGlobals())

const codes = (...names: string[]) => names.map((code) => ({ code, value: code, enabled: true }))

const field = (name: string, type: number, more: Partial<FieldMetadata> = {}) =>
  ({ name, type, updatable: true, ref: null, listOfValues: null, ...more }) as FieldMetadata

const name = field('name', 3)
const price = field('price', 2)
const kind = field('kind', 7, { listOfValues: codes('fruit', 'tool') })
const tags = field('tags', 14, { listOfValues: codes('a', 'b') })
const sold = field('sold', 8)
const extra = field('extra', 24)
const fields = [name, price, kind, tags, sold, extra]

it('formFields() has what a client gives values to, without documents', () => {
  const others = [field('made', 5, { updatable: false }), field('joined', 3, { ref: 'x' }), field('picture', 20)]
  expect(formFields({ fields: [...fields, ...others] } as unknown as ObjectMetadata)).toEqual(fields)
})

describe('the conversion between the text of a control and a value', () => {
  it.each([
    [name, 'Nail', 'Nail'],
    [name, '7', '7'],
    [price, '0.5', 0.5],
    [price, '-3', -3],
    [price, '12345678901234567890', '12345678901234567890'],
    [price, 'NaN', 'NaN'],
    [price, 'cheap', 'cheap'],
    [kind, 'tool', 'tool'],
    [tags, 'a, b', ['a', 'b']],
    [sold, 'true', true],
    [sold, 'false', false],
    [extra, '7', 7],
  ])('gives %o back from %j', (of, text, value) => {
    expect(valueOf(of, text)).toEqual(value)
    expect(textOf(of, value)).toBe(text)
  })

  it.each(fields)('is empty both ways for $name', (of) => {
    expect(valueOf(of, ' ')).toBeUndefined()
    for (const nothing of [undefined, null, '']) expect(textOf(of, nothing)).toBe('')
  })

  it('valueOf() takes what is unfinished', () => {
    expect(valueOf(price, '1.')).toBe('1.')
    expect(valueOf(tags, 'a, ')).toEqual(['a'])
    expect(valueOf(tags, ',')).toBeUndefined()
    expect(valueOf(extra, '{"a":')).toBe('{"a":')
    expect(valueOf(extra, '{"a":[1]}')).toEqual({ a: [1] })
    expect(valueOf(extra, 'null')).toBeUndefined()
  })

  it('textOf() refuses what a control cannot show', () => {
    for (const [of, value] of [
      [name, 7],
      [price, [1]],
      [kind, 'spoon'],
      [tags, 'a'],
      [sold, 1],
    ] as const)
      expect(textOf(of, value)).toBeUndefined()
  })
})

describe('readForm()', () => {
  it('leaves out what is empty, and reads back what writeForm() wrote', () => {
    const body = '{"name":"Nail","price":null,"kind":"","tags":["a"],"sold":false,"extra":{"a":1},"picture":null}'
    const values = { name: 'Nail', tags: ['a'], sold: false, extra: { a: 1 } }
    expect(readForm(fields, body)).toEqual({ values })
    expect(readForm(fields, writeForm(values))).toEqual({ values })
    expect(readForm(fields, ' ')).toEqual({ values: {} })
  })

  it.each([
    ['{"name"', 'it is not valid JSON'],
    ['[]', 'it is not a JSON object'],
    ['{"size":1}', 'it has no field for "size"'],
    ['{"kind":"spoon"}', '"kind" is "spoon"'],
  ])('says why it cannot show %s', (body, why) => {
    expect(readForm(fields, body)).toEqual({ problem: `The form cannot show this body: ${why}.` })
  })
})
