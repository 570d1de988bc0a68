import { expect, it } from 'vitest'
import type { WireAction } from '@steward/manager-core'
import { confirmationOf } from './action-input.js'

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
