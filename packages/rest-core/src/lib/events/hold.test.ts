import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemObjects } from '../system/system-objects.js'
import { createHold } from './hold.js'
import { createLease } from './lease.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function fixture() {
  const model = createModel([...systemObjects])
  const store = createMemoryStore()
  const lease = () => createLease({ model, store, name: 'work' })
  /** Stands for a process whose clock may have been wrong for `awayMs`, or which was paused. */
  const process = (owner: string, clock = { awayMs: 0 }) =>
    createHold({ lease: lease(), owner, leaseMs: 6000, now: () => performance.now() + clock.awayMs })
  return { lease: lease(), process }
}

test('take() by another process succeeds after the owner has been silent for leaseMs, not earlier', async () => {
  const { lease, process } = fixture()
  // A process that died: it took the lease, and nothing shows its life.
  await lease.take('dead', await lease.read())
  const next = process('next')
  expect(await next.take()).toBe(false)
  await vi.advanceTimersByTimeAsync(5999)
  expect(await next.take()).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect([await next.take(), next.isHeld(), next.term()]).toEqual([true, true, 2])
})

test('an owner that lives keeps the lease, whatever the time of day is on each machine', async () => {
  const { process } = fixture()
  const owner = process('owner')
  const other = process('other', { awayMs: 3_600_000 })
  expect(await owner.take()).toBe(true)
  for (let seconds = 0; seconds < 60; seconds++) {
    await vi.advanceTimersByTimeAsync(1000)
    vi.setSystemTime(seconds % 2 === 0 ? '1990-01-01' : '2090-01-01')
    expect([await other.take(), owner.isHeld()]).toEqual([false, true])
  }
  await owner.release()
  expect([await other.take(), other.term()]).toEqual([true, 2])
  await other.release()
})

test('a paused owner that wakes knows that it lost the lease, and cannot show life in it', async () => {
  const { lease, process } = fixture()
  const clock = { awayMs: 0 }
  const paused = process('paused', clock)
  expect(await paused.take()).toBe(true)
  const { lost } = paused
  const term = paused.term()
  const other = process('other')
  expect(await other.take()).toBe(false)
  // The paused process does not notice that time passes; then its timers run.
  clock.awayMs = 6000
  expect(paused.isHeld()).toBe(false)
  expect(await lease.take('other', await lease.read())).toBe(term + 1)
  expect(await lease.beat('paused', term, 99)).toBe(false)
  expect([await paused.take(), lost.aborted]).toEqual([false, true])
})

test('a claim that nothing renews ends by itself, also when its timer comes a little too early', async () => {
  const { lease } = fixture()
  const broken = { ...lease, beat: () => Promise.reject(new Error('away')) }
  let early = 0
  const hold = createHold({ lease: broken, owner: 'a', leaseMs: 6000, now: () => performance.now() - early })
  expect(await hold.take()).toBe(true)
  const { lost } = hold
  early = 0.4
  await vi.advanceTimersByTimeAsync(6000)
  expect([lost.aborted, hold.isHeld()]).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(1)
  expect([lost.aborted, hold.isHeld()]).toEqual([true, false])
})

test('a claim ends by itself when the database does not answer', async () => {
  const { lease } = fixture()
  const broken = { ...lease, beat: () => Promise.reject(new Error('away')) }
  const hold = createHold({ lease: broken, owner: 'a', leaseMs: 6000 })
  expect(await hold.take()).toBe(true)
  const { lost } = hold
  await vi.advanceTimersByTimeAsync(5999)
  expect([hold.isHeld(), lost.aborted]).toEqual([true, false])
  await vi.advanceTimersByTimeAsync(1)
  expect([hold.isHeld(), lost.aborted]).toEqual([false, true])
})

test('of many processes that see a free lease one takes it', async () => {
  const { process } = fixture()
  const holds = Array.from({ length: 10 }, (_, number) => process(`p${number}`))
  const taken = await Promise.all(holds.map((hold) => hold.take()))
  expect(taken.filter(Boolean)).toHaveLength(1)
})
