import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { FieldDefinition } from '../definition/definition.js'
import { checkCustomField, type CustomFieldType } from '../fields/custom-type.js'
import { isEmpty, Problem } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import type { FieldModel, Model } from '../model/model.js'
import { createRandom } from './random.js'

export interface FieldTypeExamples {
  /** What a client sends, and what is stored: at least one of two different values. */
  readonly valid: readonly { readonly given: unknown; readonly stored: FieldValue }[]
  /** What is refused: at least one. */
  readonly invalid: readonly unknown[]
  /** Options of the field that the examples are for. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Start of the generated inputs; another one finds other mistakes. Default 1. */
  readonly seed?: number
}

/**
 * Defines the tests of a field type, in a group called by its name. They read the examples, look whether the parts of the
 * type agree with each other and with the built-in type, and try inputs that are not meant for it.
 *
 * @example
 * testFieldType(iban, {
 *   valid: [{ given: 'de89 3704 0044 0532 0130 00', stored: 'DE89370400440532013000' }, …],
 *   invalid: ['DE00370400440532013000', 'none'],
 * })
 */
export function testFieldType(type: CustomFieldType, examples: FieldTypeExamples): void {
  const { valid, invalid, options, seed = 1 } = examples
  const definition: FieldDefinition = options === undefined ? { type: type.name } : { type: type.name, options }

  describe(type.name, () => {
    test('there are examples of two values and of one that is refused', () => {
      expect(new Set(valid.map(({ stored }) => JSON.stringify(stored))).size).toBeGreaterThan(1)
      expect(invalid.length).toBeGreaterThan(0)
    })

    test('a model takes it, and an unknown option is reported', () => {
      expect(modelWith(type, definition).object('Tested').fields[0]?.type.custom?.name).toBe(type.name)
      const types = new Map([[type.name, type]])
      expect(checkCustomField({ type: type.name, options: { notAnOption: 1 } }, types)).not.toEqual([])
      if (options) expect(checkCustomField({ type: type.name, options }, types)).toEqual([])
    })

    test.each(valid)('$given is stored as $stored', ({ given, stored }) => {
      const field = fieldOf(type, definition)
      expect(take(field, given)).toEqual(stored)
    })

    test.each(invalid.map((given) => ({ given })))('$given is refused, with a sentence', ({ given }) => {
      const taken = take(fieldOf(type, definition), given)
      expect(taken).toBeInstanceOf(Problem)
      expect((taken as Problem).text).toMatch(/^[a-z].*[^.]$/u)
    })

    test('what is stored stays the same when it is sent again, as a value and as its JSON', () => {
      const field = fieldOf(type, definition)
      for (const { stored } of valid) {
        expect(take(field, stored)).toEqual(stored)
        expect(take(field, JSON.parse(JSON.stringify(stored)))).toEqual(stored)
      }
    })

    test('empty values stay empty, and a required field refuses nothing else', () => {
      const field = fieldOf(type, { ...definition, required: true })
      for (const given of ['', null, undefined]) expect(isEmpty(take(field, given) as FieldValue)).toBe(true)
      for (const { given, stored } of valid) expect(take(field, given)).toEqual(stored)
    })

    test('the JSON Schema takes what is stored, and an empty value where the field is not required', () => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      const [field, required] = [fieldOf(type, definition), fieldOf(type, { ...definition, required: true })]
      const [fits, fitsRequired] = [field, required].map((each) => ajv.compile(each.type.jsonSchema(each)))
      for (const { stored } of valid) expect([fits?.(stored), fitsRequired?.(stored)]).toEqual([true, true])
      expect(fits?.(field.type.empty)).toBe(true)
    })

    test('values have a text for people', () => {
      const field = fieldOf(type, definition)
      for (const { stored } of valid) expect(field.type.format(stored, field)).toEqual(expect.any(String))
      expect(field.type.format(field.type.empty, field)).toEqual(expect.any(String))
    })

    test('a store gives back what was stored', async () => {
      const model = modelWith(type, definition)
      const object = model.object('Tested')
      const [field] = object.fields as [FieldModel]
      const store = createMemoryStore()
      await store.sync(model)
      const select = object.select([field.name])
      for (const { stored } of valid) {
        const { row_id: id } = await store.insert(object, { [field.name]: stored }, select)
        expect(await store.get(object, id, { select })).toMatchObject({ [field.name]: stored })
      }
      await store.close()
    })

    test('no input makes it fail', () => {
      const random = createRandom(seed)
      const field = fieldOf(type, definition)
      const odd = [0, -1, 1e300, Number.NaN, true, false, {}, [], [null], { a: 1 }, '\0', '\uD800', ' ', '\u200B', 'ſ']
      const texts = valid.flatMap(({ stored }) => {
        const text = String(stored)
        const at = random.below(text.length + 1)
        return [`${text} `, text.slice(0, at), `${text.slice(0, at)}\u{1F600}${text.slice(at)}`, text.repeat(1000)]
      })
      for (const given of [...odd, ...texts]) {
        const taken = take(field, given)
        if (taken instanceof Problem || isEmpty(taken)) continue
        expect(take(field, taken), `seed ${seed}: ${JSON.stringify(given)}`).toEqual(taken)
        expect(field.type.format(taken, field)).toEqual(expect.any(String))
      }
    })
  })
}

function modelWith(type: CustomFieldType, definition: FieldDefinition): Model {
  return createModel([{ name: 'Tested', fields: { f: definition } }], { fieldTypes: [type] })
}

function fieldOf(type: CustomFieldType, definition: FieldDefinition): FieldModel {
  return modelWith(type, definition).object('Tested').fields[0] as FieldModel
}

/** What the service makes of an input. */
function take(field: FieldModel, input: unknown): FieldValue | Problem {
  const parsed = field.type.parse(input, field)
  if (parsed instanceof Problem || isEmpty(parsed)) return parsed
  return field.type.validate(parsed, field) ?? parsed
}
