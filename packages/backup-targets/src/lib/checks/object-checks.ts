import type { Check } from './check.js'
import { bytesOf, failsWith, hexHash, holds, keysBelow, listAll, readAll, same, sameBytes } from './expect.js'
import { madeUpBytes, pieces, tooBigParts } from './made-up.js'

const badKeys = [
  '',
  '/a',
  'a/',
  'a//b',
  '../a',
  'a/../b',
  './a',
  '.a',
  'a b',
  'ä',
  'a\0b',
  'a\\b',
  'x'.repeat(200),
  'x/'.repeat(300),
]

/** One object at a time: stored, found, read, replaced, deleted. */
export const objectChecks: readonly Check[] = [
  {
    name: 'an object is stored, found and read back',
    async run({ target, prefix }) {
      const [key, bytes] = [`${prefix}object.bin`, madeUpBytes(300_000)]
      const stored = await target.put(key, pieces(bytes))
      same([stored.key, stored.size], [key, bytes.length], 'put()')
      const found = await target.stat(key)
      same([found?.key, found?.size], [key, bytes.length], 'stat()')
      sameBytes(await bytesOf(target, key), bytes)
      const ahead = Math.round(((found?.modified.getTime() ?? NaN) - Date.now()) / 1000)
      holds(Number.isFinite(ahead), 'stat() has no date.')
      return Math.abs(ahead) > 60 ? `its clock is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead' : 'behind'}` : ''
    },
  },
  {
    name: 'an object without bytes is an object',
    async run({ target, prefix }) {
      const key = `${prefix}empty`
      await target.put(key, pieces(Buffer.alloc(0)))
      same((await target.stat(key))?.size, 0, 'stat()')
      same((await bytesOf(target, key)).length, 0, 'get()')
      same(await keysBelow(target, prefix), [key], 'list()')
      same(await target.delete(key), true, 'delete()')
    },
  },
  {
    name: 'an object whose size is not known before is stored',
    skip: ({ unknownSize }) => (unknownSize ? undefined : 'it must know sizes before'),
    async run({ target, prefix }) {
      const [key, bytes] = [`${prefix}unknown`, madeUpBytes(200_000)]
      same((await target.put(key, { ...pieces(bytes), size: undefined })).size, bytes.length, 'put()')
      sameBytes(await bytesOf(target, key), bytes)
      await target.put(key, { ...pieces(Buffer.alloc(0)), size: undefined })
      same((await target.stat(key))?.size, 0, 'stat() of nothing at all')
    },
  },
  {
    name: 'an object whose size is not known before is refused',
    skip: ({ unknownSize }) => (unknownSize ? 'it stores such objects' : undefined),
    async run({ target, prefix }) {
      const source = { ...pieces(madeUpBytes()), size: undefined }
      await failsWith(target.put(`${prefix}unknown`, source), ['ERR_TARGET_SETTINGS'], 'put()')
    },
  },
  {
    name: 'an object of several parts is stored, listed with its size, and deleted',
    skip: (capabilities) => (capabilities.multipart ? tooBigParts(capabilities) : 'it stores in one piece'),
    async run({ target, prefix, capabilities }) {
      const part = capabilities.multipart?.partBytes ?? 0
      const [key, bytes] = [`${prefix}parts`, madeUpBytes(2 * part + 1)]
      await target.put(key, pieces(bytes))
      same((await target.stat(key))?.size, bytes.length, 'stat()')
      sameBytes(await bytesOf(target, key), bytes)
      sameBytes(await bytesOf(target, key, { start: part - 2, end: part + 1 }), bytes.subarray(part - 2, part + 2))
      same(
        (await listAll(target, { prefix })).map((each) => [each.key, each.size]),
        [[key, bytes.length]],
        'list()',
      )
      same(await target.delete(key), true, 'delete()')
      same(await keysBelow(target, prefix), [], 'list() after it')
    },
  },
  {
    name: 'a part of an object is read',
    async run({ target, prefix }) {
      const [key, bytes] = [`${prefix}range`, madeUpBytes(100_000)]
      await target.put(key, pieces(bytes))
      const ranges: readonly (readonly [start: number | undefined, end: number | undefined])[] = [
        [0, 0],
        [10, 19],
        [70_000, undefined],
        [undefined, 9],
        [99_999, 99_999],
        [99_990, 200_000],
      ]
      for (const [start, end] of ranges) {
        const expected = bytes.subarray(start ?? 0, end === undefined ? undefined : end + 1)
        sameBytes(await bytesOf(target, key, { start, end }), expected, `Range ${start ?? ''}-${end ?? ''}`)
      }
    },
  },
  {
    name: 'a reader that stops early does no harm',
    async run({ target, prefix }) {
      const [key, bytes] = [`${prefix}stopped`, madeUpBytes(1_000_000)]
      await target.put(key, pieces(bytes))
      for (let time = 0; time < 3; time++) {
        for await (const chunk of await target.get(key)) {
          holds((chunk as Buffer).length > 0, 'get() gave a chunk without bytes.')
          break
        }
      }
      const unread = await target.get(key)
      unread.destroy()
      sameBytes(await bytesOf(target, key), bytes)
    },
  },
  {
    name: 'an object is replaced, also by a smaller one',
    async run({ target, prefix }) {
      const key = `${prefix}replaced`
      for (const size of [50_000, 60_000, 10]) {
        const bytes = madeUpBytes(size)
        await target.put(key, pieces(bytes))
        sameBytes(await bytesOf(target, key), bytes)
        same((await target.stat(key))?.size, size, 'stat()')
      }
      same(await keysBelow(target, prefix), [key], 'list()')
    },
  },
  {
    name: 'what is not there is not found',
    async run({ target, prefix }) {
      for (const key of [`${prefix}nothing`, `${prefix}no/such/folder`]) {
        same(await target.stat(key), undefined, 'stat()')
        same(await target.delete(key), false, 'delete()')
        await failsWith(bytesOf(target, key), ['ERR_TARGET_NOT_FOUND'], 'get()')
        const ranged = Promise.resolve(target.get(key, { start: 5, end: 9 })).then(readAll)
        await failsWith(ranged, ['ERR_TARGET_NOT_FOUND'], 'get() of a range')
        if (target.hash) await failsWith(target.hash(key), ['ERR_TARGET_NOT_FOUND'], 'hash()')
      }
    },
  },
  {
    name: 'a deleted object is gone, and only that one',
    async run({ target, prefix }) {
      const keys = [`${prefix}a`, `${prefix}ab`, `${prefix}b/a`]
      for (const key of keys) await target.put(key, pieces(Buffer.from(key)))
      same(await target.delete(`${prefix}a`), true, 'delete()')
      same(await target.delete(`${prefix}a`), false, 'delete() for the second time')
      same(await target.stat(`${prefix}a`), undefined, 'stat()')
      for (const key of keys.slice(1)) sameBytes(await bytesOf(target, key), Buffer.from(key), key)
    },
  },
  {
    name: 'keys that do not fit every store are refused',
    async run({ target, prefix }) {
      for (const key of badKeys) {
        const what = (call: string) => `${call} of ${JSON.stringify(key.slice(0, 20))}`
        await failsWith(
          attempt(() => target.put(key, pieces(Buffer.from('x')))),
          ['ERR_TARGET_SETTINGS'],
          what('put()'),
        )
        await failsWith(
          attempt(() => target.get(key)),
          ['ERR_TARGET_SETTINGS'],
          what('get()'),
        )
        await failsWith(
          attempt(() => target.stat(key)),
          ['ERR_TARGET_SETTINGS'],
          what('stat()'),
        )
        await failsWith(
          attempt(() => target.delete(key)),
          ['ERR_TARGET_SETTINGS'],
          what('delete()'),
        )
      }
      same(await keysBelow(target, prefix), [], 'list() after them')
    },
  },
  {
    name: 'the hashes that the store computes are right',
    skip: ({ hashes }) => (hashes.length > 0 ? undefined : 'it computes none'),
    async run({ target, prefix, capabilities }) {
      const told = new Set<string>()
      for (const size of [0, 1000, 150_000]) {
        const [key, bytes] = [`${prefix}hash-${size}`, madeUpBytes(size)]
        await target.put(key, pieces(bytes))
        const hashes = (await target.hash?.(key)) ?? {}
        for (const algorithm of capabilities.hashes) {
          if (hashes[algorithm] === undefined) continue
          same(hashes[algorithm], hexHash(algorithm, bytes), `${algorithm} of ${size} bytes`)
          told.add(algorithm)
        }
      }
      holds(told.size > 0, 'hash() returned none of them.')
      return [...told].join(', ')
    },
  },
]

/** A call that throws at once fails as well. */
async function attempt(call: () => Promise<unknown>): Promise<unknown> {
  return call()
}
