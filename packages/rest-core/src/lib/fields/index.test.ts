import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../../../tests/fuzz/any-character.js'
import type { FieldDefinition } from '../definition/definition.js'
import { fieldFor } from './field-for-test.js'
import { isUnfilled, Problem } from './field-type.js'
import { fieldTypes } from './index.js'

const definitions: readonly FieldDefinition[] = [
  { type: 'id' },
  { type: 'id', values: 'string' },
  { type: 'reference', object: 'IntegerIds' },
  { type: 'reference', object: 'StringIds' },
  { type: 'string' },
  { type: 'text' },
  { type: 'integer' },
  { type: 'integer', precision: 18 },
  { type: 'decimal' },
  { type: 'decimal', precision: 38, scale: 10 },
  { type: 'boolean' },
  { type: 'date' },
  { type: 'datetime' },
  { type: 'time' },
  { type: 'enum', values: ['a', 'b'] },
  { type: 'multi-enum', values: ['a', 'b', 'c'] },
  { type: 'password' },
  { type: 'url' },
  { type: 'email' },
  { type: 'phone' },
  { type: 'color' },
  { type: 'html' },
  { type: 'regexp' },
  { type: 'document' },
  { type: 'image' },
  { type: 'geocoords' },
  { type: 'object' },
]

test('every type is here under its own name, and tested below', () => {
  for (const [name, type] of Object.entries(fieldTypes)) expect(type.name).toBe(name)
  expect(new Set(definitions.map(({ type }) => type))).toEqual(new Set(Object.keys(fieldTypes)))
})

const inputs = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: anyCharacter }),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    'a',
    'a;b',
    'b;a;c',
    '1;2',
    '#fff',
    'a@b',
    'https://a.example',
    '+33 123',
    '12:00',
    '2024-01-01',
    '',
    '0',
  ),
  fc.array(fc.constantFrom('a', 'b', 'c')),
)

describe.each(definitions.map((definition) => [JSON.stringify(definition), definition] as const))(
  '%s',
  (_, definition) => {
    const field = fieldFor(definition)
    const { type } = field
    const schema = new Ajv2020({ allowUnionTypes: true, validateFormats: false }).compile(type.jsonSchema(field))

    test('parses any input to a value in its one form, or says why not', () => {
      fc.assert(
        fc.property(inputs, (input) => {
          const value = type.parse(input, field)
          if (value instanceof Problem) {
            expect(value.text).toMatch(/^(must|has|needs) /)
            return
          }
          expect(type.parse(value, field)).toEqual(value)
          if (isUnfilled(value, field)) {
            expect(value).toEqual(type.empty)
            return
          }
          const problem = type.validate(value, field)
          if (problem) expect(problem.text).toMatch(/^must /)
          else if (!schema(value)) throw new Error(`${JSON.stringify(value)} does not fit the schema of the type`)
          expect(typeof type.format(value, field)).toBe('string')
        }),
        { numRuns: 500 },
      )
    })

    test('its empty value fits its schema', () => {
      expect(schema(type.empty)).toBe(true)
      expect(type.parse(null, field)).toEqual(type.empty)
    })
  },
)
