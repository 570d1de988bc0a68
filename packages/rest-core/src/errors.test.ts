import { beforeAll, expect, test, vi } from 'vitest'
import { DefinitionError, RestError, StoreError } from './errors.js'
import { createMemoryStore } from './lib/memory/memory-store.js'
import { createModel } from './lib/model/create-model.js'
import { systemPrincipal } from './lib/rights/principal.js'
import { createBusinessObjects } from './lib/service/create-business-objects.js'

/** The same module a second time, as another installed copy of the package has it. */
let copy: { RestError: typeof RestError; DefinitionError: typeof DefinitionError; StoreError: typeof StoreError }

beforeAll(async () => {
  vi.resetModules()
  copy = await import('./errors.js')
})

test('is() knows errors of another copy of the package, which instanceof does not', () => {
  const error = new copy.RestError('ERR_CONFLICT', 'Twice.')
  expect(error).not.toBeInstanceOf(RestError)
  expect([RestError.is(error), copy.RestError.is(new RestError('ERR_CONFLICT', 'Twice.'))]).toEqual([true, true])
  expect(StoreError.is(new copy.StoreError('unique', 'Twice.'))).toBe(true)
  expect(DefinitionError.is(new copy.DefinitionError(['Wrong.']))).toBe(true)
  expect([StoreError.is(error), DefinitionError.is(error)]).toEqual([false, false])
})

test('is() takes no look-alike, and the brand is not seen in an error', () => {
  const lookAlike = Object.assign(new Error('No.'), {
    name: 'RestError',
    code: 'ERR_VALIDATION',
    status: 400,
    messages: [],
  })
  for (const value of [lookAlike, undefined, null, 'RestError', {}]) expect(RestError.is(value)).toBe(false)
  expect(Reflect.ownKeys(new RestError('ERR_CONFLICT', 'No.')).filter((key) => typeof key === 'symbol')).toEqual([])
})

test.each([
  ['an error of another copy is the answer', () => new copy.RestError('ERR_VALIDATION', 'Closed.'), 'ERR_VALIDATION'],
  [
    'a look-alike is not',
    () => Object.assign(new Error('Closed.'), { code: 'ERR_VALIDATION', status: 400 }),
    'ERR_INTERNAL',
  ],
])('an action and a hook: %s', async (_, makeError, code) => {
  const refuse = (): never => {
    throw makeError()
  }
  const model = createModel([
    {
      name: 'Job',
      fields: { job_name: { type: 'string', key: true } },
      actions: { close: { scope: 'global', run: refuse } },
      hooks: { preDelete: refuse },
    },
  ])
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const me = systemPrincipal({ login: 'me' })
  const { row_id } = await service.create(me, 'Job', { job_name: 'one' })
  await expect(service.action(me, 'Job', 'close', {})).rejects.toMatchObject({ code })
  const deleted = service.delete(me, 'Job', row_id)
  if (code === 'ERR_INTERNAL') await expect(deleted).rejects.not.toSatisfy(RestError.is)
  else await expect(deleted).rejects.toMatchObject({ code })
})
