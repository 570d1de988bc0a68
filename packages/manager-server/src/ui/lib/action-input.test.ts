import { expect, it } from 'vitest'
import type { WireAction } from '@steward/manager-core'
import { confirmationOf, isSimple, valuesOf } from './action-input.js'

const action = (row: Partial<WireAction>) =>
  ({ name: 'upgrade', parameters: [], options: [], ...row }) as unknown as WireAction
const lossy = action({
  destructive: 'Data of "{name}" will be lost.',
  destructiveWith: 'destructive',
  harmlessWith: 'rehearse',
})

it('an action that loses data only with an option asks only when that is given', () => {
  expect(confirmationOf(action({}), {}, ['demo'])).toBeUndefined()
  expect(confirmationOf(action({ destructive: 'All is lost.' }), {}, ['demo'])).toBe('demo')
  expect(confirmationOf(lossy, {}, ['demo'])).toBeUndefined()
  expect(confirmationOf(lossy, { destructive: false }, ['demo'])).toBeUndefined()
  expect(confirmationOf(lossy, { destructive: true }, ['demo'])).toBe('demo')
  expect(confirmationOf(lossy, { destructive: true }, ['one', 'two'])).toBe('2')
  expect(confirmationOf(lossy, { destructive: true, rehearse: true }, ['demo'])).toBeUndefined()
})

it('an action is simple when nothing is asked for and nothing is lost', () => {
  const name = { name: 'name', type: 'instance', required: true }
  const force = { name: 'force', type: 'flag', required: false }
  const stop = action({ name: 'stop', parameters: [name], options: [force] } as unknown as Partial<WireAction>)
  expect(isSimple(stop, { instances: ['demo'] })).toBe(false)
  expect(isSimple(stop, { instances: ['demo'], fields: [] })).toBe(true)
  expect(isSimple(stop, { instances: ['demo'], given: { force: true } })).toBe(true)
  expect(isSimple(stop, { instances: ['one', 'two'], fields: [] })).toBe(false)
  const lost = action({
    name: 'reset',
    parameters: [name],
    destructive: 'All is lost.',
  } as unknown as Partial<WireAction>)
  expect(isSimple(lost, { instances: ['demo'] })).toBe(false)
  expect(valuesOf(stop, { instances: ['demo'], given: { force: true } })).toEqual({ name: 'demo', force: true })
})
