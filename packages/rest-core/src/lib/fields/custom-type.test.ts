import { describe, expect, test } from 'vitest'
import { createModel } from '../model/create-model.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { allRights } from '../rights/create-rights.js'
import { createPrincipal } from '../rights/principal.js'
import { testFieldType } from '../testing/test-field-type.js'
import type { CustomFieldType } from './custom-type.js'

const plate: CustomFieldType = {
  name: 'x-plate',
  summary: 'number plate of a car',
  base: 'string',
  defaults: { length: 10 },
  normalize: (value) => String(value).trim().toUpperCase(),
  check: (value, { options: { country } }) =>
    /^[A-Z]{1,3}-[A-Z]{1,2} \d{1,4}$/.test(String(value)) ? undefined : `must be a number plate of ${String(country)}`,
  jsonSchema: () => ({ pattern: '^[A-Z]{1,3}-[A-Z]{1,2} [0-9]{1,4}$' }),
  checkOptions: (options) =>
    Object.keys(options).flatMap((name) => (name === 'country' ? [] : [`"${name}" is not known; country is`])),
}

const even: CustomFieldType = {
  name: 'x-even',
  summary: 'even number',
  base: 'integer',
  defaults: { min: 0 },
  check: (value) => (Number(value) % 2 === 0 ? undefined : `must be even, not ${String(value)}`),
  format: (value) => `${String(value)} (even)`,
}

testFieldType(plate, {
  valid: [
    { given: ' b-ab 12 ', stored: 'B-AB 12' },
    { given: 'HH-X 1', stored: 'HH-X 1' },
  ],
  invalid: ['B', 12, 'ABCD-EF 99999', {}],
  options: { country: 'Germany' },
})
testFieldType(even, {
  valid: [
    { given: '2', stored: 2 },
    { given: 4, stored: 4 },
  ],
  invalid: [3, -2, 'two', 1.5],
})

describe('fields of such a type', () => {
  const fields = {
    car_plate: { type: 'x-plate', key: true, options: { country: 'Germany' } },
    car_seats: { type: 'x-even', max: 8 },
  } as const
  const model = createModel([{ name: 'Car', fields }], { fieldTypes: [plate, even] })
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const principal = createPrincipal({ userId: '1', login: 'ann', groups: [], rights: allRights })

  test('are stored in their form, found by any, and refused with a sentence', async () => {
    await service.create(principal, 'Car', { car_plate: 'b-ab 12', car_seats: '4' })
    await service.create(principal, 'Car', { car_plate: 'A-A 1', car_seats: 2 })
    const found = await service.search(principal, 'Car', { filters: { car_plate: ' b-ab 12' } })
    const records = []
    for await (const batch of found) records.push(...batch)
    expect(records).toMatchObject([{ car_plate: 'B-AB 12', car_seats: 4 }])
    await expect(service.create(principal, 'Car', { car_plate: 'B-AB 13', car_seats: 3 })).rejects.toMatchObject({
      messages: [{ text: expect.stringContaining('must be even, not 3') as string }],
    })
    await expect(service.create(principal, 'Car', { car_plate: 'B-AB 13', car_seats: 10 })).rejects.toThrow()
  })

  test('are unique in the stored form', async () => {
    await expect(service.create(principal, 'Car', { car_plate: 'a-a 1' })).rejects.toMatchObject({
      code: 'ERR_CONFLICT',
    })
  })
})

describe('mistakes', () => {
  const problemsOf = (work: () => unknown): unknown => {
    try {
      work()
    } catch (error) {
      return (error as { messages?: unknown }).messages
    }
    return undefined
  }

  test.each([
    [{ type: 'x-plato' }, ['Car.f: there is no field type "x-plato"; did you mean "x-plate"?']],
    [{ type: 'x-plate', options: { land: 'DE' } }, ['Car.f: options: "land" is not known; country is']],
    [{ type: 'x-even', options: { land: 'DE' } }, ['Car.f: options: "land" is not known; x-even has none']],
    [{ type: 'x-even', colour: 'red' }, [expect.stringContaining('Car.f.colour: is not known here')]],
    [{ type: 'x-Even' }, [expect.stringContaining('Car.f.type: must match')]],
    [{ type: 'x-even', default: 3 }, ['Car.f.default: must be even, not 3']],
  ])('%j', (field, expected) => {
    expect(
      problemsOf(() => createModel([{ name: 'Car', fields: { f: field as never } }], { fieldTypes: [plate, even] })),
    ).toEqual(expected)
  })

  test('types themselves', () => {
    const wrong = [{ ...plate, name: 'plate', base: 'image' }, even, even] as unknown as CustomFieldType[]
    expect(problemsOf(() => createModel([], { fieldTypes: wrong }))).toEqual([
      'field type "plate": its name must be "x-" and lower-case letters, digits and "-"',
      expect.stringContaining('field type "plate": base must be one of string, text'),
      'field type "x-even": it is registered twice',
    ])
  })
})
