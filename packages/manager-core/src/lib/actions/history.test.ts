import { expect, it, onTestFinished } from 'vitest'
import { createTestManager } from '../testing/create-test-manager.js'

it('the history has over the API, as its text, how each action ended', async () => {
  const test = await createTestManager({ refresh: false })
  onTestFinished(() => test.close())
  const results = ['ok', 'rolled-back', 'attention', 'failed', 'refused'] as const
  const entry = { actor: 'ann', surface: 'cli', action: 'upgrade', instanceId: 'i1', instance: 'demo' } as const
  const more = { address: '', parameters: {}, operation: '', duration: 1 }
  test.context.registry.transaction((writer) => {
    for (const result of results)
      writer.addHistory({
        ...entry,
        ...more,
        at: '2026-11-21T03:00:00.000Z',
        result,
        message: result === 'ok' ? '' : 'Why.\nMore.',
      })
  })
  const { message, list } = await test.perform('history list', {}, { surface: 'api' })
  expect(list).toHaveLength(5)
  expect(message.split('\n')).toEqual(
    ['done', 'was rolled back. Why.', 'needs attention. Why.', 'failed. Why.', 'was refused. Why.'].map(
      (end) => `2026-11-21T03:00:00.000Z ann upgrade demo: ${end}`,
    ),
  )
  expect((await test.perform('history list')).message).toBe('5 actions')
})
