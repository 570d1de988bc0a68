import { beforeAll, describe, expect, test } from 'vitest'
import type { RestError } from '../../errors.js'
import { defineObject } from '../definition/define-object.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import type { BusinessObjects } from '../service/business-objects.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import type { WriteContext } from '../service/hooks.js'
import { useStore, type StoreFactory } from './store-under-test.js'

/** What hooks set: not always in the form that is answered. */
const set = {
  hkv_decimal: '12.50',
  hkv_exact: '0012.500',
  hkv_integer: '7',
  hkv_boolean: 'true',
  hkv_date: '2026-02-03',
  hkv_string: 12,
  hkv_list: 'b',
  hkv_object: { a: ['x', 1] },
}

const kept = {
  hkv_decimal: 12.5,
  hkv_exact: 12.5,
  hkv_integer: 7,
  hkv_boolean: true,
  hkv_date: '2026-02-03',
  hkv_string: '12',
  hkv_list: ['b'],
  hkv_object: { a: ['x', 1] },
}

/** Set by each test; before the hooks they are empty. */
let hook: 'preValidate' | 'preSave' = 'preSave'
let values: Readonly<Record<string, unknown>> = {}

const Thing = defineObject({
  name: 'HookValue',
  table: 'hook_value',
  fields: {
    hkv_decimal: { type: 'decimal' },
    hkv_exact: { type: 'decimal', precision: 30, scale: 10 },
    hkv_integer: { type: 'integer' },
    hkv_boolean: { type: 'boolean' },
    hkv_date: { type: 'date' },
    hkv_string: { type: 'string' },
    hkv_list: { type: 'multi-enum', values: ['a', 'b'] },
    hkv_object: { type: 'object' },
  },
  hooks: {
    preValidate: (context) => setIn('preValidate', context),
    preSave: (context) => setIn('preSave', context),
  },
})

function setIn(name: string, context: WriteContext): void {
  if (name === hook) Object.assign(context.values, values)
}

const model = createModel([Thing])
const me = systemPrincipal()

/** Values that hooks set are kept and answered alike by every store. */
export function testHookValues(factory: StoreFactory): void {
  describe('values that hooks set', () => {
    const used = useStore(factory, model)
    let service: BusinessObjects
    beforeAll(() => {
      service = createBusinessObjects({ model, store: used.store })
    })

    test.each(['preValidate', 'preSave'] as const)('in %s have the form of their fields', async (name) => {
      ;[hook, values] = [name, {}]
      const { row_id: id } = await service.create(me, Thing, {})
      values = set
      expect(await service.create(me, Thing, {})).toMatchObject(kept)
      expect(await service.update(me, Thing, id, { hkv_string: 'x' })).toMatchObject(kept)
      expect(await service.get(me, Thing, id)).toMatchObject(kept)
    })

    test.each([
      [
        'an unknown field',
        { hkv_integr: 7 },
        { code: 'ERR_INTERNAL', message: expect.stringContaining('"hkv_integr"') },
      ],
      ['what is no number', { hkv_integer: 'seven' }, { code: 'ERR_VALIDATION', messages: [{ field: 'hkv_integer' }] }],
      ['a Date in JSON', { hkv_object: { at: new Date(0) } }, { messages: [{ field: 'hkv_object' }] }],
    ])('are refused: %s', async (_, wrong, error) => {
      for (const name of ['preValidate', 'preSave'] as const) {
        ;[hook, values] = [name, {}]
        const { row_id: id } = await service.create(me, Thing, {})
        values = wrong
        const { count } = await service.count(me, Thing)
        await expect(service.create(me, Thing, {})).rejects.toMatchObject(error as Partial<RestError>)
        await expect(service.update(me, Thing, id, {})).rejects.toMatchObject(error as Partial<RestError>)
        expect((await service.count(me, Thing)).count).toBe(count)
      }
    })
  })
}
