import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bytesOf, readAll } from '../checks/expect.js'
import { madeUpBytes, pieces } from '../checks/made-up.js'
import { createLocalTarget } from '../local/target.js'
import { bytesSource, streamSource } from '../sources.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget, PutOptions, Source } from '../target.js'
import { cutting, failing, silent } from '../testing/faulty.js'
import { testBackupTarget } from '../testing/target-suite.js'
import { reliable, type ReliableOptions } from './reliable.js'

const quick: ReliableOptions = { minPauseMs: 1, maxPauseMs: 5 }
const bytes = madeUpBytes(1_000_000)
const upload = createHash('sha256').update(bytes).digest('hex')

let folder: string
/** Set by each test. */
let path: string
let local: BackupTarget

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-reliable-'))
})

beforeEach(() => {
  path = mkdtempSync(join(folder, 'test-'))
  local = createLocalTarget({ path })
})

afterAll(() => rmSync(folder, { recursive: true }))

/** A target and what was asked of it. */
function counted(target: BackupTarget) {
  const calls: string[] = []
  const counting = Object.fromEntries(
    Object.entries(target).map(([name, value]) => [
      name,
      typeof value !== 'function'
        ? value
        : (...args: unknown[]) => {
            calls.push(name)
            return (value as (...given: unknown[]) => unknown)(...args)
          },
    ]),
  ) as unknown as BackupTarget
  return { calls, counting }
}

/** Silence of this length ends an attempt, by a clock that tests move. */
const idleMs = 60_000

/** A target that keeps bytes in memory: what it does with them takes no time. It has `bytes` of any other key. */
function inMemory() {
  const stored = new Map<string, Buffer>()
  const target: BackupTarget = {
    ...local,
    async put(key, source) {
      const content = await readAll(await source.open())
      stored.set(key, content)
      return { key, size: content.length, modified: new Date() }
    },
    get: async (key, { start = 0 } = {}) => pieces(stored.get(key) ?? bytes).open(start),
    stat: async (key) => ({ key, size: (stored.get(key) ?? bytes).length, modified: new Date(0) }),
  }
  return { stored, target }
}

/** Runs work that takes no time but by its clock, which stands still while anything moves in memory. */
async function byItsClock<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const outcome = work()
    const isOver = settled(outcome)
    while (!isOver()) {
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      await vi.advanceTimersByTimeAsync(idleMs / 60)
    }
    return await outcome
  } finally {
    vi.useRealTimers()
  }
}

/** Returns whether a promise is settled. */
function settled(promise: Promise<unknown>): () => boolean {
  const state = { isSettled: false }
  const settle = () => (state.isSettled = true)
  promise.then(settle, settle)
  return () => state.isSettled
}

/** By the clock of {@link byItsClock}. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function retries() {
  const seen: { code: string; attempt: number; pauseMs: number }[] = []
  const onRetry: ReliableOptions['onRetry'] = ({ error, attempt, pauseMs }) =>
    seen.push({ code: error.code, attempt, pauseMs })
  return { seen, onRetry }
}

describe('uploads', () => {
  it('continue where they were cut, until all bytes are there', async () => {
    const starts: number[] = []
    const { seen, onRetry } = retries()
    const target = reliable(cutting(local, { afterBytes: 300_000, times: 3 }), { ...quick, onRetry })
    const source: Source = {
      size: bytes.length,
      open(start = 0) {
        starts.push(start)
        return pieces(bytes).open(start)
      },
    }
    await target.put('a', source, { upload })
    expect((await bytesOf(local, 'a')).equals(bytes)).toBe(true)
    expect(seen.map(({ code, attempt }) => [code, attempt])).toEqual(
      [1, 2, 3].map((at) => ['ERR_TARGET_UNREACHABLE', at]),
    )
    expect(starts).toHaveLength(4)
    expect(readdirSync(path)).toEqual(['a'])
  })

  it('are given up after that many attempts, and leave what they have for the next', async () => {
    const { calls, counting } = counted(cutting(local, { afterBytes: 100_000 }))
    const target = reliable(counting, { ...quick, attempts: 3 })
    await expect(target.put('a', pieces(bytes), { upload })).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    expect(calls).toEqual(['put', 'put', 'put'])
    expect(readdirSync(path)).toEqual([`.a.${upload}.part`])
    await expect(target.put('b', pieces(bytes))).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    expect(readdirSync(path)).toEqual([`.a.${upload}.part`])
  })

  it('report a progress that never decreases and ends with the size', async () => {
    const told: number[] = []
    const target = reliable(cutting(local, { afterBytes: 500_000, times: 2 }), quick)
    // Without a name, each attempt starts from the first byte.
    await target.put('a', pieces(bytes), { onProgress: (at) => told.push(at) })
    expect(told).toEqual([...new Set(told)].toSorted((a, b) => a - b))
    expect(told.at(-1)).toBe(bytes.length)
  })

  it('hear no progress of an attempt that is over', async () => {
    let late: PutOptions['onProgress']
    const told: number[] = []
    const target = reliable(
      {
        ...local,
        put(key, source, options) {
          if (late) return local.put(key, source, options)
          late = options?.onProgress
          return Promise.reject(new TargetError('ERR_TARGET_UNREACHABLE', 'cut'))
        },
      },
      quick,
    )
    await target.put('a', bytesSource('abc'), { onProgress: (at) => told.push(at) })
    late?.(1000)
    expect(told).toEqual([3])
  })

  it('of a source that can be read once only are not tried again, and fail because of the cut', async () => {
    const { calls, counting } = counted(cutting(local, { afterBytes: 1000, times: 1 }))
    const target = reliable(counting, quick)
    const once = streamSource(Readable.from([bytes]), bytes.length)
    await expect(target.put('a', once)).rejects.toMatchObject({ message: 'The connection was reset.' })
    expect(calls).toEqual(['put', 'put'])
    expect(readdirSync(path)).toEqual([])
    await target.put('b', streamSource(Readable.from([bytes])))
    expect((await bytesOf(local, 'b')).equals(bytes)).toBe(true)
  })

  it('fail at once when the source fails', async () => {
    const { calls, counting } = counted(local)
    const source: Source = {
      size: 10,
      open: () =>
        new Readable({
          read: (): never => {
            throw new Error('EIO')
          },
        }),
    }
    await expect(reliable(counting, quick).put('a', source)).rejects.toThrow('Cannot read what is to be stored: EIO')
    expect(calls).toEqual(['put'])
  })

  it('that were stored although the answer was lost are found to be there', async () => {
    const lost = (): BackupTarget => {
      let isFirst = true
      return {
        ...local,
        async put(key, source, options) {
          const stored = await local.put(key, source, options)
          if (!isFirst) return stored
          isFirst = false
          throw new TargetError('ERR_TARGET_UNREACHABLE', 'The answer was lost.')
        },
      }
    }
    const stored = await reliable(lost(), quick).put('a', pieces(bytes), { ifAbsent: true })
    expect(stored.size).toBe(bytes.length)
    const other = reliable(failing(local, new TargetError('ERR_TARGET_UNREACHABLE', 'cut'), 1), quick)
    const put = other.put('a', pieces(madeUpBytes(bytes.length)), { ifAbsent: true })
    await expect(put).rejects.toMatchObject({ code: 'ERR_TARGET_EXISTS' })
  })
})

describe('downloads', () => {
  beforeEach(() => local.put('a', pieces(bytes)))

  it('continue at the missing byte', async () => {
    const { calls, counting } = counted(cutting(local, { afterBytes: 300_000, times: 3 }))
    const target = reliable(counting, quick)
    expect((await bytesOf(target, 'a')).equals(bytes)).toBe(true)
    expect(calls.filter((name) => name === 'get')).toHaveLength(4)
  })

  it('leave no timer behind that would keep the process', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const stream = await reliable(local, quick).get('a')
      await readAll(stream)
      if (!stream.closed) await once(stream, 'close')
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('of a part continue, too', async () => {
    const target = reliable(cutting(local, { afterBytes: 70_000, times: 3 }), quick)
    const part = await bytesOf(target, 'a', { start: 100_000, end: 399_999 })
    expect(part.equals(bytes.subarray(100_000, 400_000))).toBe(true)
  })

  it('that are cut after the last byte are whole', async () => {
    async function* cutAtTheEnd(stream: Readable) {
      yield* stream
      throw new TargetError('ERR_TARGET_UNREACHABLE', 'The connection was reset.')
    }
    const target = reliable(
      { ...local, get: async (...args) => Readable.from(cutAtTheEnd(await local.get(...args)), { objectMode: false }) },
      quick,
    )
    expect((await bytesOf(target, 'a')).equals(bytes)).toBe(true)
    expect((await bytesOf(target, 'a', { end: 9 })).equals(bytes.subarray(0, 10))).toBe(true)
  })

  it('fail after that many attempts', async () => {
    const { calls, counting } = counted(cutting(local, { afterBytes: 1000 }))
    const read = bytesOf(reliable(counting, { ...quick, attempts: 3 }), 'a')
    await expect(read).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    expect(calls.filter((name) => name === 'get')).toHaveLength(3)
  })

  it('that are not read are not cut, those that give nothing are', async () => {
    const { seen, onRetry } = retries()
    const { target } = inMemory()
    const unread = await byItsClock(async () => {
      const stream = await reliable(target, { ...quick, idleMs, onRetry }).get('a')
      await pause(3 * idleMs)
      return readAll(stream)
    })
    expect(unread.equals(bytes)).toBe(true)
    expect(seen).toEqual([])
    const stuck = reliable(silent(target, { afterBytes: 200_000, times: 2 }), { ...quick, idleMs, onRetry })
    expect((await byItsClock(() => bytesOf(stuck, 'a'))).equals(bytes)).toBe(true)
    expect(seen.map(({ code }) => code)).toEqual(['ERR_TARGET_UNREACHABLE', 'ERR_TARGET_UNREACHABLE'])
  })
})

it('wherever connections are cut, all bytes arrive in both directions', async () => {
  const cut = fc.record({ afterBytes: fc.nat(250_000), times: fc.nat(4) })
  const range = fc.tuple(fc.nat(200_000), fc.nat(200_000))
  const scenario = fc.record({ size: fc.nat(200_000), up: cut, down: cut, isNamed: fc.boolean(), range })
  const checked = fc.asyncProperty(scenario, async ({ size, up, down, isNamed, range: [one, other] }) => {
    const content = madeUpBytes(size)
    const options = isNamed ? { upload: crypto.randomUUID().replaceAll('-', '') } : {}
    await reliable(cutting(local, up), quick).put('any', pieces(content), options)
    expect(readdirSync(path)).toEqual(['any'])
    const read = await bytesOf(reliable(cutting(local, down), quick), 'any')
    expect(read.equals(content)).toBe(true)
    const [start, end] = [Math.min(one, other), Math.max(one, other)]
    const part = await bytesOf(reliable(cutting(local, down), quick), 'any', { start, end })
    expect(part.equals(content.subarray(start, end + 1))).toBe(true)
  })
  await fc.assert(checked, { numRuns: 25 })
})

describe('each call', () => {
  const throttled = new TargetError('ERR_TARGET_THROTTLED', 'Slow down.', { retryAfterMs: 40 })

  it.each(['stat', 'list', 'delete', 'get', 'sweep'] as const)(
    '%s() is tried again after a transient failure',
    async (name) => {
      await local.put('a', bytesSource('abc'))
      const target = reliable(failing(local, throttled, 2), quick)
      const calls = {
        stat: () => target.stat('a'),
        list: () => target.list(),
        delete: () => target.delete('a'),
        get: () => bytesOf(target, 'a'),
        sweep: () => target.sweep({ before: new Date() }),
      }
      await expect(calls[name]()).resolves.toBeDefined()
    },
  )

  it('is not tried again after a failure for good', async () => {
    const { calls, counting } = counted(local)
    const target = reliable(counting, quick)
    await expect(bytesOf(target, 'a')).rejects.toMatchObject({ code: 'ERR_TARGET_NOT_FOUND' })
    await expect(target.stat('../a')).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
    expect(calls).toEqual(['get', 'stat'])
  })

  it('waits as long as the store asks for, and no longer than is sensible', async () => {
    const { seen, onRetry } = retries()
    const order: string[] = []
    setTimeout(() => order.push('20 ms'), 20)
    await reliable(failing(local, throttled, 1), { ...quick, onRetry }).stat('a')
    order.push('the answer')
    expect(order).toEqual(['20 ms', 'the answer'])
    expect(seen).toEqual([{ code: 'ERR_TARGET_THROTTLED', attempt: 1, pauseMs: 40 }])
    const tomorrow = new TargetError('ERR_TARGET_THROTTLED', 'Come back tomorrow.', { retryAfterMs: 86_400_000 })
    await expect(reliable(failing(local, tomorrow, 1), quick).stat('a')).rejects.toBe(tomorrow)
  })

  it('pauses longer each time, with some chance', async () => {
    const { seen, onRetry } = retries()
    const cut = new TargetError('ERR_TARGET_UNREACHABLE', 'cut')
    const target = reliable(failing(local, cut, 4), { minPauseMs: 4, maxPauseMs: 20, onRetry })
    await target.stat('a')
    for (const [index, { pauseMs }] of seen.entries()) {
      expect(pauseMs).toBeGreaterThanOrEqual(Math.min(20, 4 * 2 ** index))
      expect(pauseMs).toBeLessThanOrEqual(Math.min(20, 8 * 2 ** index))
    }
    expect(seen).toHaveLength(4)
  })

  it('ends with the reason when it is aborted, also in a pause and in a call that does not hear', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const target = reliable(failing(local, throttled, 9), {
      minPauseMs: 60_000,
      maxPauseMs: 60_000,
      onRetry: () => controller.abort(reason),
    })
    await expect(target.stat('a', { signal: controller.signal })).rejects.toBe(reason)
    const stuck = reliable({ ...local, stat: () => new Promise(() => {}) }, { idleMs })
    await expect(stuck.stat('a', { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

it('an aborted upload is over when the target has tidied up', async () => {
  const done: string[] = []
  const controller = new AbortController()
  const reason = new Error('enough')
  const tidying: BackupTarget = {
    ...local,
    put: (_key, _source, options) =>
      new Promise((_resolve, reject) => {
        options?.signal?.addEventListener('abort', async () => {
          await sleep(50)
          done.push('tidied')
          reject(new Error('The connection was closed.'))
        })
        controller.abort(reason)
      }),
  }
  const put = reliable(tidying).put('a', bytesSource('a'), { signal: controller.signal })
  await expect(put).rejects.toBe(reason)
  expect(done).toEqual(['tidied'])
})

describe('the watchdog', () => {
  it('cuts off an upload in which nothing moves', async () => {
    const { seen, onRetry } = retries()
    const { stored, target } = inMemory()
    const stuck = reliable(silent(target, { afterBytes: 100_000, times: 1 }), { ...quick, idleMs, onRetry })
    await byItsClock(() => stuck.put('a', pieces(bytes), { upload }))
    expect(seen).toMatchObject([{ code: 'ERR_TARGET_UNREACHABLE', attempt: 1 }])
    expect(stored.get('a')?.equals(bytes)).toBe(true)
  })

  it('waits for a slow source, and longer for a store that has all bytes', async () => {
    const { seen, onRetry } = retries()
    async function* slowly() {
      yield bytes.subarray(0, 10)
      await pause(3 * idleMs)
      yield bytes.subarray(10)
    }
    const { target } = inMemory()
    const thinking: BackupTarget = {
      ...target,
      async put(...args) {
        const stored = await target.put(...args)
        await pause(3 * idleMs)
        return stored
      },
    }
    const source = streamSource(Readable.from(slowly()), bytes.length)
    const { size } = await byItsClock(() => reliable(thinking, { ...quick, idleMs, onRetry }).put('a', source))
    expect(size).toBe(bytes.length)
    expect(seen).toEqual([])
  })

  it('gives a store that thinks for ever up in the end', async () => {
    const { seen, onRetry } = retries()
    const thinking: BackupTarget = {
      ...local,
      async put(_key, source) {
        await readAll(await source.open())
        return new Promise(() => {})
      },
    }
    const target = reliable(thinking, { ...quick, attempts: 2, idleMs, onRetry })
    await expect(byItsClock(() => target.put('a', bytesSource('abc')))).rejects.toMatchObject({
      code: 'ERR_TARGET_UNREACHABLE',
      message: `Nothing moved for ${(10 * idleMs) / 1000} s.`,
    })
    expect(seen).toHaveLength(1)
  })
})

describe('the limit', () => {
  it('holds for all transfers together', async () => {
    const small = madeUpBytes(60_000)
    const target = reliable(local, { bytesPerSecond: 300_000 })
    // A tenth of a second's worth may come at once.
    let isTime = false
    setTimeout(() => (isTime = true), ((3 * 60_000 - 30_000) / 300_000) * 1000 * 0.9)
    await Promise.all(['a', 'b'].map((key) => target.put(key, pieces(small))))
    await bytesOf(target, 'a')
    expect(isTime).toBe(true)
    expect((await bytesOf(local, 'b')).equals(small)).toBe(true)
  })
})

testBackupTarget({ name: 'reliable local', open: () => reliable(createLocalTarget({ path: folder }), quick) })
