import { expect, it } from 'vitest'
import { ByteBudget, processBudget } from './byte-budget.js'
import { memoryLimits, rowsOfBatch, sizeOf } from './memory-limits.js'

const kib = 2 ** 10
const mib = 2 ** 20

function fixture() {
  return new ByteBudget({ total: 8 * mib, perUser: 4 * mib, answer: 2 * mib, waitMs: 60_000 })
}

it('add() refuses an answer beyond its limit, before it holds more', () => {
  const budget = fixture()
  const use = budget.open('ann')
  void use.add(2 * mib)
  expect(() => use.add(1)).toThrow(expect.objectContaining({ code: 'ERR_TOO_LARGE' }) as Error)
  expect(() => use.add(1)).toThrow(/2 MiB\. Ask for fewer fields/)
  expect(budget.used).toBe(2 * mib)
  use.release()
  use.release()
  expect(budget.used).toBe(0)
})

it('add() of one user waits for what the user holds, and others do not wait', async () => {
  const budget = fixture()
  const uses = [1, 2, 3].map(() => budget.open('ann'))
  const [first, second, third] = uses as [(typeof uses)[0], (typeof uses)[0], (typeof uses)[0]]
  await first.add(2 * mib)
  await second.add(2 * mib)
  const waiting = third.add(2 * mib)
  expect(waiting).toBeInstanceOf(Promise)
  expect(budget.open('bob').add(mib)).toBeUndefined()
  first.release()
  await waiting
  expect(budget.usedBy('ann')).toBe(4 * mib)
})

it('hold() gives back what is no longer held, and what is small is not counted', async () => {
  const budget = fixture()
  const use = budget.open('ann')
  await use.hold(64 * kib)
  expect(budget.used).toBe(0)
  for (const bytes of [1, 2, 1.5, 2, 1, 0.25].map((count) => count * mib)) {
    await use.hold(bytes)
    expect(budget.used).toBe(bytes)
  }
  await use.hold(0)
  expect(budget.used).toBe(0)
})

it('addNow() does not wait, and leaves nothing behind', async () => {
  const budget = fixture()
  const first = budget.open('ann', { most: 4 * mib })
  await first.add(4 * mib)
  const second = budget.open('ann')
  expect(() => second.addNow(mib)).toThrow(expect.objectContaining({ code: 'ERR_UNAVAILABLE' }) as Error)
  first.release()
  second.addNow(mib)
  expect(budget.used).toBe(mib)
})

it('release() while it waits, and an aborted signal, take nothing', async () => {
  const budget = fixture()
  const gone = new AbortController()
  const first = budget.open('ann', { most: 4 * mib })
  await first.add(4 * mib)
  const released = budget.open('ann')
  const late = released.add(mib)
  const left = budget.open('ann', { signal: gone.signal })
  const given = Promise.resolve(left.add(mib)).catch((error: unknown) => error)
  gone.abort()
  expect(await given).toMatchObject({ code: 'ERR_UNAVAILABLE' })
  released.release()
  first.release()
  await late
  expect(budget.used).toBe(0)
})

it('memoryLimits() fit the heap, and processBudget() is one', () => {
  expect(memoryLimits(4096 * mib)).toEqual({ total: 1024 * mib, perUser: 256 * mib, answer: 64 * mib, batch: 4 * mib })
  expect(memoryLimits(200 * mib)).toMatchObject({ total: 50 * mib, perUser: 12.5 * mib, answer: 6.25 * mib })
  expect(memoryLimits(64 * mib).batch).toBe(256 * kib)
  expect(processBudget()).toBe(processBudget())
})

it('rowsOfBatch() ends a batch by rows and by bytes, and never before its first row', () => {
  const row = ['x'.repeat(1000)]
  expect(sizeOf(row)).toBe(1032)
  expect(sizeOf({ a: row, b: [1, null, Buffer.alloc(100)] })).toBeGreaterThan(1132)
  const rows = Array.from({ length: 10 }, () => row)
  expect(rowsOfBatch(rows, 5, 1_000_000)).toBe(5)
  expect(rowsOfBatch(rows, 100, 3 * 1032)).toBe(3)
  expect(rowsOfBatch(rows, 100, 10)).toBe(1)
  expect(rowsOfBatch([], 100, 10)).toBe(0)
})
