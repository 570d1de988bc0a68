import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { recordCall } from './record-call.js'
import { recordHistory } from './record-history.js'

let test: TestManager

beforeEach(async () => {
  test = await createTestManager({ refresh: false })
})

afterEach(() => test.close())

const caller: Caller = { actor: 'token ci', surface: 'api', address: '192.0.2.7', grant: fullGrant }
const action = (name: string) => ({ name, ability: 'operate', mutating: true }) as const
const entries = () => test.context.registry.history().map(({ action: name, message }) => `${name}: ${message}`)

describe('recordCall()', () => {
  it('writes an entry for a call that wrote none itself, also when another call of the same client did meanwhile', async () => {
    const other = Promise.withResolvers<void>()
    const quiet = recordCall(test.context, { action: action('start'), input: {}, caller }, async () => {
      await other.promise
      return { message: 'It was running already.' }
    })
    await recordCall(test.context, { action: action('refresh'), input: {}, caller }, (by) =>
      recordHistory(test.context, by, { action: 'refresh' }, async () => {
        return { message: 'Nothing new.' }
      }),
    )
    other.resolve()
    await quiet
    expect(entries()).toEqual(['refresh: Nothing new.', 'start: It was running already.'])
  })

  it('writes none of its own for a call that wrote one, whether it succeeded or failed', async () => {
    const failing = recordCall(test.context, { action: action('refresh'), input: {}, caller }, (by) =>
      recordHistory(test.context, by, { action: 'refresh' }, async () => {
        throw new Error('The template is gone.')
      }),
    )
    await expect(failing).rejects.toThrow('The template is gone.')
    expect(entries()).toEqual(['refresh: The template is gone.'])
  })
})
