import { setTimeout as sleep } from 'node:timers/promises'
import type { BackupTarget, Source } from '../target.js'
import type { Check } from './check.js'
import { bytesOf, failsWith, holds, isNowhere, keysBelow, same, sameBytes } from './expect.js'
import { cutPlan, cutUpload, failingAfter, gated, madeUpBytes, pieces, tooBigParts } from './made-up.js'

const noResume: Check['skip'] = (capabilities) =>
  capabilities.resume === 'none' ? 'its uploads start again' : tooBigParts(capabilities)

/** How uploads appear, fail, and continue. */
export const uploadChecks: readonly Check[] = [
  {
    name: 'nothing is seen of an upload before its end',
    async run({ target, prefix, another }) {
      const [key, bytes, other] = [`${prefix}slow`, madeUpBytes(400_000), await another()]
      const { source, reached, release } = gated(bytes)
      const put = target.put(key, source)
      put.catch(() => {})
      try {
        await Promise.race([reached, put])
        await isNowhere(other, key, 'during the upload')
      } finally {
        release()
      }
      await put
      sameBytes(await bytesOf(other, key), bytes)
    },
  },
  {
    name: 'an object that is being replaced is read as it was',
    async run({ target, prefix, another }) {
      const [key, before, after, other] = [`${prefix}old`, madeUpBytes(9000), madeUpBytes(400_000), await another()]
      await target.put(key, pieces(before))
      const { source, reached, release } = gated(after)
      const put = target.put(key, source)
      put.catch(() => {})
      try {
        await Promise.race([reached, put])
        same((await other.stat(key))?.size, before.length, 'stat()')
        sameBytes(await bytesOf(other, key), before)
      } finally {
        release()
      }
      await put
      sameBytes(await bytesOf(other, key), after)
    },
  },
  {
    name: 'an upload whose source fails leaves nothing that is seen, and does not harm what was there',
    async run({ target, prefix }) {
      const [key, bytes] = [`${prefix}failed`, madeUpBytes(1_000_000)]
      const failing = failingAfter(bytes, bytes.length >> 1)
      await failsWith(target.put(key, failing), 'any', 'put() of a source that fails')
      await isNowhere(target, key, 'after it')
      const before = madeUpBytes(100)
      await target.put(key, pieces(before))
      await failsWith(target.put(key, failing), 'any', 'put() of a source that fails')
      sameBytes(await bytesOf(target, key), before)
    },
  },
  {
    name: 'a source with fewer or more bytes than it promised is not stored',
    async run({ target, prefix }) {
      const bytes = madeUpBytes(200_000)
      const sizes: Readonly<Record<string, number>> = { fewer: 200_001, none: 4_000_000, more: 199_999, many: 65_536 }
      for (const [name, size] of Object.entries(sizes)) {
        const source: Source = { ...pieces(bytes), size }
        await failsWith(target.put(prefix + name, source), 'any', `put() of ${bytes.length} bytes as ${size}`)
        await isNowhere(target, prefix + name, 'after it')
      }
      await failsWith(target.put(`${prefix}zero`, { ...pieces(bytes), size: 0 }), 'any', 'put() as 0 bytes')
    },
  },
  {
    name: 'an object that is there is kept when that is asked for',
    async run({ target, prefix }) {
      const [key, bytes] = [`${prefix}kept`, madeUpBytes()]
      same((await target.put(key, pieces(bytes), { ifAbsent: true })).size, bytes.length, 'put()')
      const other = target.put(key, pieces(madeUpBytes()), { ifAbsent: true })
      await failsWith(other, ['ERR_TARGET_EXISTS'], 'put() of another')
      sameBytes(await bytesOf(target, key), bytes)
    },
  },
  {
    name: 'of two writers that both want to be the first, one wins',
    skip: ({ conditionalCreate }) => (conditionalCreate ? undefined : 'it looks before, which leaves a moment between'),
    async run({ target, prefix, another }) {
      const other = await another()
      const writers = [target, other].map((each, index) => ({ each, ...gated(madeUpBytes(100_000 + index)) }))
      const key = `${prefix}first`
      const puts = writers.map(({ each, source }) => each.put(key, source, { ifAbsent: true }))
      await Promise.all(puts.map((put, index) => Promise.race([writers[index]?.reached, put.catch(() => {})])))
      for (const { release } of writers) release()
      const results = await Promise.allSettled(puts)
      const winner = results.findIndex(({ status }) => status === 'fulfilled')
      holds(
        winner !== -1,
        `Neither won: ${results.map((each) => String((each as { reason?: unknown }).reason)).join(', ')}`,
      )
      await failsWith(puts[1 - winner] ?? Promise.resolve(), ['ERR_TARGET_EXISTS'], 'put() of the other')
      same((await target.stat(key))?.size, 100_000 + winner, 'stat()')
    },
  },
  {
    name: 'progress grows up to the size',
    async run({ target, prefix }) {
      const [bytes, told] = [madeUpBytes(500_000), [] as number[]]
      await target.put(`${prefix}progress`, pieces(bytes), { onProgress: (at) => told.push(at) })
      same(told.at(-1), bytes.length, 'the last progress')
      holds(
        told.every((at, index) => at >= 0 && at >= (told[index - 1] ?? 0)),
        `Progress went back: ${told.join(', ')}.`,
      )
    },
  },
  {
    name: 'uploads and downloads at the same time do not meet',
    async run({ target, prefix, another }) {
      const both: BackupTarget[] = [target, await another()]
      const contents = Array.from({ length: 6 }, (_, index) => madeUpBytes(50_000 + index))
      await Promise.all(
        contents.map(async (bytes, index) => {
          const of = both[index % 2] as BackupTarget
          await of.put(`${prefix}many/${index}`, pieces(bytes))
          sameBytes(await bytesOf(of, `${prefix}many/${index}`), bytes)
        }),
      )
      same((await keysBelow(target, prefix)).length, contents.length, 'list()')
      const read = await Promise.all(contents.map((_, index) => bytesOf(target, `${prefix}many/${index}`)))
      for (const [index, bytes] of read.entries()) sameBytes(bytes, contents[index] as Buffer)
    },
  },
  {
    name: 'an interrupted upload resumes where it stopped',
    skip: noResume,
    async run({ target, prefix, another }) {
      const { size, arrived } = cutPlan(target.capabilities)
      const [key, bytes] = [`${prefix}resumed`, madeUpBytes(size)]
      // What was on its way when it was cut is lost: a slow store gets more time.
      const rests = [0, 1000, 10_000]
      for (const restMs of rests) {
        const upload = `resume${Date.now()}`
        await cutUpload(target, key, bytes, { upload }, restMs)
        await isNowhere(target, key, 'after the cut')
        const told: number[] = []
        const starts: number[] = []
        const whole = pieces(bytes)
        const source: Source = {
          size,
          open(start = 0) {
            starts.push(start)
            return whole.open(start)
          },
        }
        // In another process it would be another connection, too.
        const other = await another()
        await other.put(key, source, { upload, onProgress: (at) => told.push(at) })
        sameBytes(await bytesOf(target, key), bytes)
        same(told.at(-1), size, 'the last progress')
        const first = Math.max(told[0] ?? 0, ...starts)
        // A target that reads all again to compare shows it by its progress.
        if (Math.max(...starts) > 0 || first >= arrived / 2) return `at byte ${first} of ${size}`
        holds(restMs !== rests.at(-1), `It started again at byte ${first} although ${arrived} had arrived.`)
        await target.delete(key)
      }
    },
  },
  {
    name: 'an upload never resumes with other content',
    skip: noResume,
    async run({ target, prefix }) {
      const { size } = cutPlan(target.capabilities)
      const [key, bytes, upload] = [`${prefix}mixed`, madeUpBytes(size + 1).subarray(1), `mixed${Date.now()}`]
      await cutUpload(target, key, madeUpBytes(size), { upload })
      const put = target.put(key, pieces(bytes), { upload })
      if (
        await put.then(
          () => true,
          () => false,
        )
      ) {
        sameBytes(await bytesOf(target, key), bytes)
        return 'it started again'
      }
      await failsWith(put, ['ERR_TARGET_DAMAGED'], 'put()')
      await isNowhere(target, key, 'after it')
      // What was wrong is not kept for the next attempt.
      await target.put(key, pieces(bytes), { upload })
      sameBytes(await bytesOf(target, key), bytes)
      return 'it was found out'
    },
  },
  {
    name: 'what cut uploads left is swept, and nothing else',
    skip: tooBigParts,
    async run({ target, prefix }) {
      const { size } = cutPlan(target.capabilities)
      const [key, kept, bytes] = [`${prefix}swept/object`, `${prefix}swept/kept`, madeUpBytes(size)]
      const upload = `sweep${Date.now()}`
      await target.put(kept, pieces(Buffer.from('kept')))
      await cutUpload(target, key, bytes, { upload })
      same(await target.sweep({ before: new Date(0), prefix }), 0, 'sweep() of nothing so old')
      const later = new Date(Date.now() + 24 * 3_600_000)
      same(await target.sweep({ before: later, prefix: `${prefix}other/` }), 0, 'sweep() of another prefix')
      const swept = await target.sweep({ before: later, prefix })
      holds(target.capabilities.resume === 'none' || swept > 0, 'sweep() found nothing of an upload that was cut.')
      same(await target.sweep({ before: later, prefix }), 0, 'sweep() for the second time')
      sameBytes(await bytesOf(target, kept), Buffer.from('kept'))
      await target.put(key, pieces(bytes), { upload })
      sameBytes(await bytesOf(target, key), bytes)
      return `${swept} swept`
    },
  },
  {
    name: 'a locked object cannot be deleted before its time',
    skip: ({ immutability }) => (immutability ? undefined : 'it keeps nothing against its owner'),
    async run({ target, prefix }) {
      const [key, bytes] = [`${prefix}locked`, madeUpBytes()]
      // A store that is slow may need longer than a lock of few seconds holds.
      for (let lockMs = 3000; ; lockMs *= 3) {
        const until = Date.now() + lockMs
        await target.put(key, pieces(bytes), { lockUntil: new Date(until) })
        const deletion = target.delete(key)
        if ((await deletion.catch(() => false)) && Date.now() >= until) continue
        await failsWith(deletion, ['ERR_TARGET_LOCKED'], 'delete()')
        sameBytes(await bytesOf(target, key), bytes)
        // So that it can be removed.
        while (Date.now() < until + 1500) await sleep(100)
        return
      }
    },
  },
  {
    name: 'a lock that the store cannot keep is refused',
    skip: ({ immutability }) => (immutability ? 'it keeps locks' : undefined),
    async run({ target, prefix }) {
      const put = target.put(`${prefix}locked`, pieces(madeUpBytes()), { lockUntil: new Date(Date.now() + 60_000) })
      await failsWith(put, ['ERR_TARGET_SETTINGS'], 'put()')
      await isNowhere(target, `${prefix}locked`, 'after it')
    },
  },
]
