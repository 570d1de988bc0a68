import type { Release } from '@steward/rest-core'
import { expect, it, vi } from 'vitest'
import { FairQueue } from './fair-queue.js'
import type { FairQueueOptions, UserLimits } from './fair-queue.js'

interface Call {
  readonly user?: string
  readonly object?: string
  readonly limits?: Partial<UserLimits>
  readonly signal?: AbortSignal
}

function fixture(options: Partial<FairQueueOptions> = {}) {
  const queue = new FairQueue({ maxRunning: 100, maxWaitingPerUser: 100, waitMs: 60_000, ...options })
  const started: string[] = []
  const releases = new Map<string, Release>()

  async function enter(
    call: string,
    { user = 'ann', object = 'A', limits = {}, signal = new AbortController().signal }: Call,
  ): Promise<void> {
    const release = await queue.enter(user, object, { perObject: 100, total: 100, ...limits }, signal)
    started.push(call)
    releases.set(call, release)
  }

  return {
    queue,
    started,
    /** Asks for a place; `call` names it in `started`. Calls that still wait when a test ends are refused later, unseen. */
    enter(call: string, asked: Call = {}): Promise<void> {
      const entered = enter(call, asked)
      entered.catch(() => undefined)
      return entered
    },
    async release(call: string): Promise<void> {
      releases.get(call)?.()
      await Promise.resolve()
      await Promise.resolve()
      await Promise.resolve()
    },
  }
}

it('a user gets that many places on one object, and that many in all', async () => {
  const { enter, release, started } = fixture()
  const limits = { perObject: 1, total: 2 }
  void enter('a1', { limits })
  void enter('a2', { limits })
  void enter('b1', { object: 'B', limits })
  void enter('c1', { object: 'C', limits })
  await release('')
  expect(started).toEqual(['a1', 'b1'])
  await release('b1')
  expect(started).toEqual(['a1', 'b1', 'c1'])
  await release('a1')
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2'])
})

it('one user does not take the places of another one', async () => {
  const { enter, release, started } = fixture()
  const limits = { total: 1 }
  void enter('ann 1', { limits })
  void enter('ann 2', { limits })
  void enter('bob 1', { user: 'bob', limits })
  await release('')
  expect(started).toEqual(['ann 1', 'bob 1'])
})

it('users that wait take turns', async () => {
  const { enter, release, started } = fixture({ maxRunning: 1 })
  void enter('first')
  for (let n = 1; n <= 3; n++) void enter(`ann ${n}`)
  for (let n = 1; n <= 2; n++) void enter(`bob ${n}`, { user: 'bob' })
  for (const call of ['', 'first', 'ann 1', 'bob 1', 'ann 2', 'bob 2']) await release(call)
  expect(started).toEqual(['first', 'ann 1', 'bob 1', 'ann 2', 'bob 2', 'ann 3'])
})

it('too many waiting calls are refused at once', async () => {
  const { enter, release, started } = fixture({ maxWaitingPerUser: 1 })
  const limits = { total: 1 }
  void enter('one', { limits })
  void enter('two', { limits })
  await expect(enter('three', { limits })).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE', retryAfterSeconds: 5 })
  await enter('bob', { user: 'bob' })
  await release('one')
  expect(started).toContain('two')
})

it('a call that waits for too long is refused, and takes no place later', async () => {
  vi.useFakeTimers()
  try {
    const { enter, release, started } = fixture({ waitMs: 1000 })
    const limits = { total: 1 }
    void enter('one', { limits })
    const late = enter('late', { limits }).catch((error: unknown) => error)
    vi.advanceTimersByTime(1000)
    expect(await late).toMatchObject({ code: 'ERR_UNAVAILABLE' })
    await release('one')
    void enter('two', { limits })
    await release('')
    expect(started).toEqual(['one', 'two'])
  } finally {
    vi.useRealTimers()
  }
})

it('a call that is given up leaves the queue', async () => {
  const { enter, release, started } = fixture()
  const limits = { total: 1 }
  const gone = new AbortController()
  void enter('one', { limits })
  const given = enter('gone', { limits, signal: gone.signal }).catch((error: unknown) => error)
  void enter('two', { limits })
  gone.abort()
  expect(await given).toMatchObject({ message: 'The call was given up; try again.' })
  await release('one')
  expect(started).toEqual(['one', 'two'])
})

it('a place is given back once', async () => {
  const { enter, release, started } = fixture()
  const limits = { total: 1 }
  for (const call of ['one', 'two', 'three']) void enter(call, { limits })
  await release('one')
  await release('one')
  expect(started).toEqual(['one', 'two'])
})
