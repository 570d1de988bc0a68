import { expect, it } from 'vitest'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { systemObjects } from './system-objects.js'
import { createSystemParameters } from './system-parameters.js'

const boss = systemPrincipal({ login: 'boss' })

function fixture({ maxAgeMs }: { maxAgeMs?: number } = {}) {
  const model = createModel(systemObjects)
  const store = createMemoryStore()
  const wrong: string[] = []
  const parameters = createSystemParameters({
    model,
    store,
    onWrongValue: (text) => wrong.push(text),
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  })
  const service = createBusinessObjects({ model, store, onChange: () => parameters.clear() })
  const set = (code: string, value: string) => service.create(boss, 'SystemParam', { sys_code: code, sys_value: value })
  return { store, model, service, parameters, wrong, set }
}

it('text() is undefined without a value, and without an entry', async () => {
  const { parameters, set } = fixture()
  expect(await parameters.text('A')).toBeUndefined()
  await set('A', '  ')
  expect(await parameters.text('A')).toBeUndefined()
  await set('B', ' some text ')
  expect(await parameters.text('B')).toBe('some text')
})

it('isYes() takes yes and no in any case, and the default otherwise', async () => {
  const { parameters, set } = fixture()
  for (const [value, is] of Object.entries({ yes: true, Yes: true, true: true, '1': true, NO: false, false: false })) {
    await set(value, value)
    expect(await parameters.isYes(value, !is)).toBe(is)
  }
  expect(await parameters.isYes('NONE', true)).toBe(true)
})

it('number() keeps to its limits', async () => {
  const { parameters, wrong, set } = fixture()
  const limits = { default: 5, min: 1, max: 10 }
  await set('GOOD', '10')
  expect(await parameters.number('GOOD', limits)).toBe(10)
  for (const value of ['0', '11', '-1', '1.5', '1e1', 'many', '0x5']) {
    await set(value, value)
    expect(await parameters.number(value, limits)).toBe(5)
  }
  expect(wrong).toHaveLength(7)
})

it('a value that cannot be used is reported once', async () => {
  const { parameters, wrong, set } = fixture({ maxAgeMs: 0 })
  await set('USE_IT', 'perhaps')
  expect(await parameters.isYes('USE_IT', false)).toBe(false)
  expect(await parameters.isYes('USE_IT', false)).toBe(false)
  expect(wrong).toEqual(['System parameter USE_IT is "perhaps"; give yes or no. Until then no is used.'])
})

it('values are kept, and a change by the service works at once', async () => {
  const { parameters, service, store, model, set } = fixture()
  const { row_id: id } = await set('A', 'old')
  expect(await parameters.text('A')).toBe('old')
  const object = model.object('SystemParam')
  await store.update(object, id, { sys_value: 'by another process' }, { select: object.selection })
  expect(await parameters.text('A')).toBe('old')
  await service.update(boss, 'SystemParam', id, { sys_value: 'new' })
  expect(await parameters.text('A')).toBe('new')
})

it('a change by another process works after some time', async () => {
  const { parameters, store, model, set } = fixture({ maxAgeMs: 0 })
  const { row_id: id } = await set('A', 'old')
  expect(await parameters.text('A')).toBe('old')
  const object = model.object('SystemParam')
  await store.update(object, id, { sys_value: 'new' }, { select: object.selection })
  expect(await parameters.text('A')).toBe('new')
})

it('an error is thrown and not kept', async () => {
  const { parameters, store } = fixture()
  await store.close()
  await expect(parameters.text('A')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(parameters.text('A')).rejects.toMatchObject({ code: 'unavailable' })
})
