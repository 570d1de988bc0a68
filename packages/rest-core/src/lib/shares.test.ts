import { expect, it } from 'vitest'
import { Shares, type Release, type SharesOptions, type ShareRequest } from './shares.js'

function fixture(options: Partial<SharesOptions> = {}) {
  const refuse = (reason: string) => new Error(reason)
  const shares = new Shares({ total: 4, perUser: 3, waitMs: 60_000, refuse, ...options })
  const given: string[] = []
  const releases = new Map<string, Release>()

  /** Takes a share for the user whose name is the first word. */
  function take(name: string, request?: ShareRequest): Promise<void> {
    const taken = Promise.resolve()
      .then(() => shares.take(name.split(' ')[0] as string, request))
      .then((release) => {
        given.push(name)
        releases.set(name, release)
      })
    taken.catch(() => undefined)
    return taken
  }

  async function release(name: string): Promise<void> {
    releases.get(name)?.()
    await settled()
  }

  return { shares, given, take, release }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('take() leaves others a share, however much one user asks for', async () => {
  const { given, take } = fixture()
  for (const number of [1, 2, 3, 4, 5]) void take(`ann ${number}`)
  void take('bob 1')
  await settled()
  expect(given).toEqual(['ann 1', 'ann 2', 'ann 3', 'bob 1'])
})

it('take() gives users their turns when shares are returned', async () => {
  const { given, take, release, shares } = fixture({ total: 1, perUser: 1 })
  for (const name of ['ann 1', 'ann 2', 'ann 3', 'bob 1', 'eve 1']) void take(name)
  await settled()
  expect(shares.waiting).toBe(4)
  for (const name of ['ann 1', 'ann 2', 'bob 1', 'eve 1']) await release(name)
  expect(given).toEqual(['ann 1', 'ann 2', 'bob 1', 'eve 1', 'ann 3'])
})

it('take() lets nothing overtake a large share that waits for others', async () => {
  const { given, take, release } = fixture({ total: 10, perUser: 8 })
  void take('ann 1', { amount: 6 })
  void take('bob 1', { amount: 8 })
  void take('eve 1', { amount: 2 })
  await settled()
  expect(given).toEqual(['ann 1'])
  await release('ann 1')
  expect(given).toEqual(['ann 1', 'bob 1', 'eve 1'])
})

it('take() of more than a user may have waits until the user has nothing else', async () => {
  const { given, take, release, shares } = fixture({ total: 10, perUser: 8 })
  void take('ann 1', { amount: 1 })
  void take('ann 2', { amount: 1000 })
  await settled()
  expect(given).toEqual(['ann 1'])
  await release('ann 1')
  expect([given, shares.used, shares.usedBy('ann')]).toEqual([['ann 1', 'ann 2'], 8, 8])
})

it('take() refuses when too many wait, when it takes too long, and when the caller has gone', async () => {
  const { take, shares, given, release } = fixture({ total: 1, perUser: 1, maxWaitingPerUser: 1, waitMs: 20 })
  void take('ann 1')
  const slow = take('ann 2')
  await expect(take('ann 3')).rejects.toThrow('full')
  await expect(slow).rejects.toThrow('slow')
  const leaving = new AbortController()
  const gone = take('ann 4', { signal: leaving.signal })
  await settled()
  leaving.abort()
  await expect(gone).rejects.toThrow('gone')
  await expect(take('ann 5', { signal: leaving.signal })).rejects.toThrow('gone')
  expect(shares.waiting).toBe(0)
  await release('ann 1')
  void take('ann 6')
  await settled()
  expect(given).toEqual(['ann 1', 'ann 6'])
})

it('take() starts those that wait after a large share when that is no longer wanted', async () => {
  const { given, take } = fixture({ total: 10, perUser: 8 })
  void take('ann 1', { amount: 6 })
  const leaving = new AbortController()
  void take('bob 1', { amount: 8, signal: leaving.signal })
  void take('eve 1', { amount: 2 })
  await settled()
  leaving.abort()
  await settled()
  expect(given).toEqual(['ann 1', 'eve 1'])
})

it('a request may wait longer than others, also for as long as it takes', async () => {
  const { given, take, release } = fixture({ total: 1, perUser: 1, waitMs: 1 })
  await take('ann 1')
  const patient = take('bob 1', { waitMs: Infinity })
  await expect(take('carol 1')).rejects.toThrow('slow')
  await release('ann 1')
  await patient
  expect(given).toEqual(['ann 1', 'bob 1'])
})

it('tryTake() takes what is there now, overtakes nothing, and leaves nothing behind', async () => {
  const { shares, take, release } = fixture()
  const first = shares.tryTake('ann', { amount: 3 })
  expect([first === undefined, shares.used]).toEqual([false, 3])
  expect(shares.tryTake('ann')).toBeUndefined()
  void take('bob 1', { amount: 2 })
  await settled()
  expect(shares.tryTake('carol')).toBeUndefined()
  expect([shares.used, shares.waiting]).toEqual([3, 1])
  first?.()
  await settled()
  expect(shares.usedBy('bob')).toBe(2)
  await release('bob 1')
  expect([shares.used, shares.waiting]).toEqual([0, 0])
})

it('a share that is returned twice counts once', async () => {
  const { shares, take, release } = fixture()
  await take('ann 1')
  await take('ann 2')
  await release('ann 1')
  await release('ann 1')
  expect([shares.used, shares.usedBy('ann')]).toEqual([1, 1])
})

it('close() refuses what waits', async () => {
  const { shares, take } = fixture({ total: 1, perUser: 1 })
  void take('ann 1')
  const waiting = take('ann 2')
  await settled()
  shares.close()
  await expect(waiting).rejects.toThrow('gone')
})

it('reduce() returns a part of a share, and release() the rest, once', async () => {
  const { shares } = fixture({ total: 4, perUser: 4 })
  const release = shares.take('ann', { amount: 4 }) as Release
  const waiting = shares.take('bob', { amount: 3 })
  shares.reduce(release, 2)
  shares.reduce(release, 3)
  expect(shares.usedBy('ann')).toBe(2)
  shares.reduce(release, 1)
  await waiting
  expect(shares.used).toBe(4)
  release()
  release()
  expect([shares.used, shares.usedBy('ann')]).toEqual([3, 0])
})
