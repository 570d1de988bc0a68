import type { Check } from './check.js'
import { bytesOf, failsBecauseOf, holds, isNowhere, readAll, same, sameBytes } from './expect.js'
import { gated, madeUpBytes, pieces } from './made-up.js'

/** What holds for every call: it can be aborted, and connections can be closed. */
export const callChecks: readonly Check[] = [
  {
    name: 'a call that is aborted before rejects with the reason',
    async run({ target, prefix }) {
      const [key, bytes] = [`${prefix}object`, madeUpBytes()]
      await target.put(key, pieces(bytes))
      const reason = new Error('no longer needed')
      const signal = AbortSignal.abort(reason)
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        'put()': () => target.put(`${prefix}aborted`, pieces(bytes), { signal }),
        'get()': async () => readAll(await target.get(key, { signal })),
        'stat()': () => target.stat(key, { signal }),
        'list()': () => target.list({ prefix, signal }),
        'delete()': () => target.delete(key, { signal }),
        'sweep()': () => target.sweep({ before: new Date(0), prefix, signal }),
        ...(target.hash && { 'hash()': () => target.hash?.(key, { signal }) as Promise<unknown> }),
      }
      for (const [name, call] of Object.entries(calls)) await failsBecauseOf(reason, begin(call), name)
      await isNowhere(target, `${prefix}aborted`, 'after it')
      sameBytes(await bytesOf(target, key), bytes)
    },
  },
  {
    name: 'an upload that is aborted rejects with the reason and leaves nothing that is seen',
    async run({ target, prefix }) {
      const [key, bytes, controller] = [`${prefix}aborted`, madeUpBytes(400_000), new AbortController()]
      const { source, reached, release } = gated(bytes)
      const reason = new Error('enough')
      const put = target.put(key, source, { signal: controller.signal })
      put.catch(() => {})
      await Promise.race([reached, put])
      controller.abort(reason)
      try {
        await failsBecauseOf(reason, put, 'put()')
      } finally {
        release()
      }
      await isNowhere(target, key, 'after it')
      await target.put(key, pieces(bytes))
      sameBytes(await bytesOf(target, key), bytes)
    },
  },
  {
    name: 'an aborted download fails with the reason, and the target still works',
    async run({ target, prefix }) {
      const [key, bytes, controller] = [`${prefix}big`, madeUpBytes(3_000_000), new AbortController()]
      await target.put(key, pieces(bytes))
      const reason = new Error('enough')
      const stream = await target.get(key, { signal: controller.signal })
      const read = async () => {
        let size = 0
        for await (const chunk of stream) {
          size += (chunk as Buffer).length
          controller.abort(reason)
        }
        return size
      }
      await failsBecauseOf(reason, read(), 'The stream of get()')
      same((await target.stat(key))?.size, bytes.length, 'stat()')
      sameBytes(await bytesOf(target, key, { start: 10, end: 19 }), bytes.subarray(10, 20))
    },
  },
  {
    name: 'connections can be closed twice, and others still work',
    async run({ target, prefix, fresh }) {
      const [key, bytes] = [`${prefix}object`, madeUpBytes()]
      const other = await fresh()
      await other.put(key, pieces(bytes))
      await other.close()
      await other.close()
      sameBytes(await bytesOf(target, key), bytes)
      const unused = await fresh()
      await unused.close()
    },
  },
  {
    name: 'capabilities are data that does not change',
    async run({ target, another }) {
      const other = await another()
      same(other.capabilities, target.capabilities, 'capabilities of another connection')
      holds(
        target.capabilities.hashes.length === 0 || target.hash !== undefined,
        'It declares hashes, but has no hash().',
      )
    },
  },
]

/** A call that throws at once fails as well. */
async function begin(call: () => Promise<unknown>): Promise<unknown> {
  return call()
}
