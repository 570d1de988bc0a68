import { expect, expectTypeOf, it } from 'vitest'
import { ManagerError } from '../../errors.js'
import type { ActionCall } from '../action.js'
import type { Input } from '../domain/input.js'
import type { Instance } from '../domain/instance.js'
import { checkInput } from './check-input.js'
import { defineAction } from './define-action.js'

const demo = { id: '1', name: 'demo' } as Instance

const action = defineAction({
  name: 'try',
  group: 'Looking',
  summary: 'Show what a handler is given',
  parameters: [
    { name: 'name', type: 'instance', required: true, summary: 'An instance' },
    { name: 'hosts', type: 'text', variadic: true, summary: 'Texts' },
  ],
  options: [
    { name: 'other', type: 'instance', summary: 'Another instance' },
    { name: 'gone', type: 'instance', orGone: true, summary: 'One that may be gone' },
    { name: 'only', type: 'choice', choices: ['data', 'app'], summary: 'A choice' },
    { name: 'force', type: 'flag', summary: 'A flag' },
    { name: 'saved', type: 'yes-no', summary: 'Yes or no' },
    { name: 'count', type: 'integer', summary: 'A number' },
  ],
  ability: 'read',
  mutating: false,
  examples: [],
  view: { type: 'text' },
  handler({ input }) {
    expectTypeOf(input).toEqualTypeOf<{
      readonly name: Instance
      readonly hosts: readonly string[] | undefined
      readonly other: Instance | undefined
      readonly gone: string | undefined
      readonly only: 'data' | 'app' | undefined
      readonly force: boolean
      readonly saved: boolean | undefined
      readonly count: number | undefined
    }>()
    return { message: '', data: { input: input as never } }
  },
})

async function given(input: Readonly<Record<string, Input>>): Promise<unknown> {
  const registry = {
    get(name: string) {
      if (name === demo.name) return demo
      throw new ManagerError('ERR_NOT_FOUND', `There is no instance "${name}".`)
    },
  }
  const call = { context: { registry }, caller: { actor: 'tester', surface: 'cli' } } as unknown as ActionCall
  const { data } = await action.handler({ ...call, input: checkInput(action, input) })
  return data?.['input']
}

it('gives instances for names, false for flags that are absent, and undefined for the rest', async () => {
  expect(await given({ name: 'demo' })).toEqual({ name: demo, force: false })
  expect(await given({ name: 'demo', other: 'demo', force: 'yes', saved: 'no', count: '2', hosts: 'a' })).toEqual({
    name: demo,
    other: demo,
    force: true,
    saved: false,
    count: 2,
    hosts: ['a'],
  })
})

it('gives the name of an instance that may be gone, and refuses others that are not there', async () => {
  expect(await given({ name: 'demo', gone: 'old' })).toEqual({ name: demo, gone: 'old', force: false })
  await expect(given({ name: 'old' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(given({ name: 'demo', other: 'old' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

it('opens no registry when no instance is named', async () => {
  const { options = [] } = action
  const without = defineAction({
    ...action,
    parameters: [],
    options: [...options],
    handler: () => ({ message: 'done' }),
  })
  const context = Object.defineProperty({}, 'registry', { get: () => expect.unreachable() })
  const call = { context, caller: { actor: 'tester', surface: 'cli' }, input: {} } as unknown as ActionCall
  expect(await without.handler(call)).toEqual({ message: 'done' })
})
