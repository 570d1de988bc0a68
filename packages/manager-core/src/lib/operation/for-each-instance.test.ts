import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { OperationEvent } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import { testInstance } from '../testing/made-up-operation.js'
import { forEachInstance } from './for-each-instance.js'

describe('forEachInstance', () => {
  const context = { clock: () => new Date(), settings: { global: {} } } as ManagerContext
  const under = (
    names: readonly string[],
    parallel: number,
    work: (name: string) => Promise<void>,
    stops?: () => boolean,
  ) => {
    const events: OperationEvent[] = []
    const done = forEachInstance(
      context,
      { actor: 'tester', surface: 'cli', grant: fullGrant, onEvent: (event) => events.push(event) },
      {
        instances: names.map((name) => testInstance({ id: name, name })),
        noun: 'save',
        titleOf: (name) => `Save ${name}`,
        ...{ stops, parallel },
        async run({ name }) {
          await work(name)
          return { warnings: [`${name} is odd`] }
        },
        entryOf: ({ name }, { result, message }) => ({ name, result, message }),
        onFailure: async (failed) => [`told of ${failed.map(({ name }) => name).join(', ')}`],
      },
    )
    const ends = () => events.flatMap((event) => (event.type === 'step' ? [`${event.step} ${event.state}`] : []))
    return { done, ends }
  }
  const failing =
    (...names: string[]) =>
    async (name: string) => {
      await sleep(name === 'slow' ? 20 : 1)
      if (names.includes(name)) throw new ManagerError('ERR_DISK', `${name} is full`)
    }

  it('has the last words of what failed, which name the cause', async () => {
    const output = `${'x'.repeat(500)}\n\nThe mount is gone.\nCode 3\n`
    const { done } = under(['a', 'b'], 1, async (name) => {
      throw new ManagerError('ERR_HOOK', 'hooks/pre-save.sh failed with code 3.', name === 'a' ? { output } : {})
    })
    const [first, second] = (await done).entries
    expect(first?.message).toMatch(
      /^hooks\/pre-save\.sh failed with code 3\. Output: …x+ \| The mount is gone\. \| Code 3$/,
    )
    expect(first?.message.length).toBeLessThan(500)
    expect(second?.message).toBe('hooks/pre-save.sh failed with code 3.')
  })

  it('does that many at the same time, and keeps their order', async () => {
    let [now, most] = [0, 0]
    const { done } = under(['slow', 'b', 'c', 'd', 'e'], 2, async (name) => {
      most = Math.max(most, ++now)
      await sleep(name === 'slow' ? 20 : 2)
      now--
    })
    const { entries, warnings } = await done
    expect(most).toBe(2)
    expect(entries.map(({ name, result }) => `${name} ${result}`)).toEqual([
      'slow done',
      'b done',
      'c done',
      'd done',
      'e done',
    ])
    expect(warnings[0]).toBe('slow: slow is odd')
  })

  it('does all when one fails; with a reason to stop it starts none after that, and ends those that are under way', async () => {
    const stopped = under(['slow', 'b', 'c', 'd'], 2, failing('b'), () => true)
    const { entries, warnings } = await stopped.done
    expect(entries).toMatchObject([
      { name: 'slow', result: 'done' },
      { name: 'b', result: 'failed', message: 'b is full' },
      { name: 'c', result: 'not begun', message: 'The save of "b" failed earlier.' },
      { name: 'd', result: 'not begun' },
    ])
    expect(warnings).toEqual(['slow: slow is odd', 'told of b'])
    expect(stopped.ends()).toEqual(['slow running', 'b running', 'b failed', 'c skipped', 'd skipped', 'slow done'])
    const all = await under(['slow', 'b', 'c'], 2, failing('b')).done
    expect(all.entries.map(({ result }) => result)).toEqual(['done', 'failed', 'done'])
  })

  it('takes a fault of the program for a failure of that instance, and does the others', async () => {
    const { done } = under(['slow', 'b', 'c'], 2, async (name) => {
      await sleep(name === 'slow' ? 20 : 1)
      if (name === 'b') throw new TypeError('a fault of the program')
    })
    expect((await done).entries).toEqual([
      { name: 'slow', result: 'done', message: '' },
      { name: 'b', result: 'failed', message: 'a fault of the program' },
      { name: 'c', result: 'done', message: '' },
    ])
  })
})
