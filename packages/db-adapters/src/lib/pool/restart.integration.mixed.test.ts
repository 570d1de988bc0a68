/** @module-tag mixed */
import { createModel, type ObjectStore } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDurable, onEachOwnServer, openStore } from '../../../test/server-stores.js'

const model = createModel([
  {
    name: 'Entry',
    fields: { ent_code: { type: 'string', length: 40, key: true }, ent_value: { type: 'integer' } },
    timestamps: false,
  },
])
const entry = model.object('Entry')
const { selection: select, order } = entry

onEachOwnServer(({ name, current }) => {
  const tags = name === 'postgresql' ? ['core' as const] : []
  let store: ObjectStore
  beforeAll(async () => {
    await makeDurable(current().url)
    store = openStore(name, current().url, { pool: { max: 4, acquireTimeoutMs: 3_000 } })
    await store.sync(model)
  })
  afterAll(() => store?.close())

  it(
    'says "unavailable" while the server is stopped, and recovers on the same store once it is back',
    { tags },
    async () => {
      const { row_id } = await store.insert(entry, { ent_code: 'before' }, select)
      await current().stop()
      const calls = [
        () => store.get(entry, row_id, { select }),
        () => store.count(entry),
        () => store.insert(entry, { ent_code: 'meanwhile' }, select),
        () => store.update(entry, row_id, { ent_value: 1 }, { select }),
        () => store.delete(entry, row_id),
        () => store.transaction((session) => session.count(entry)),
        () => store.search(entry, { select, order })[Symbol.asyncIterator]().next(),
        () => store.search(entry, { select, order, limit: 5 })[Symbol.asyncIterator]().next(),
        () => store.ping(),
        () => store.plan(model),
      ]
      for (const call of [...calls, ...calls])
        await expect(call()).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable', retry: true })
      await current().start()
      expect(await store.get(entry, row_id, { select })).toMatchObject({ ent_code: 'before' })
      expect(await store.count(entry)).toBe(1)
    },
  )

  for (const signal of [undefined, 'SIGKILL'] as const) {
    const crash = signal === 'SIGKILL'

    it(
      `loses no acknowledged write when the server ${crash ? 'crashes' : 'restarts'} under load`,
      { tags },
      async () => {
        // MariaDB forgets it when it stops.
        await makeDurable(current().url)
        const acknowledged = new Map<string, number>()
        const uncertain = new Map<string, number>()
        const codes = new Set<string>()
        const end = new AbortController()
        const write = async (worker: number): Promise<void> => {
          for (let count = 0; !end.signal.aborted; count++) {
            const code = `${crash ? 'c' : 'r'}${worker}-${count}`
            try {
              if (count % 3 === 0) {
                await store.transaction(async (session) => {
                  const { row_id } = await session.insert(entry, { ent_code: code, ent_value: 0 }, select)
                  await session.update(entry, row_id, { ent_value: count }, { select })
                })
              } else {
                await store.insert(entry, { ent_code: code, ent_value: count }, select)
              }
              acknowledged.set(code, count)
            } catch (error) {
              codes.add(StoreError.is(error) ? error.code : String(error))
              uncertain.set(code, count)
              await new Promise((resolve) => setTimeout(resolve, 5))
            }
          }
        }
        const until = async (condition: () => boolean): Promise<void> => {
          while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
        }
        const enough = (more: number): Promise<void> => {
          const before = acknowledged.size
          return until(() => acknowledged.size >= before + more)
        }
        const workers = Array.from({ length: 8 }, (_, worker) => write(worker))
        await enough(100)
        await current().stop(signal)
        await until(() => codes.size > 0)
        await current().start()
        await enough(100)
        end.abort()
        await Promise.all(workers)

        const found = new Map<string, unknown>()
        for await (const batch of store.search(entry, { select, order })) {
          for (const { ent_code, ent_value } of batch) found.set(ent_code as string, ent_value)
        }
        expect([...acknowledged].filter(([code, value]) => found.get(code) !== value)).toStrictEqual([])
        // What was refused is there wholly, or not at all.
        for (const [code, value] of uncertain) if (found.has(code)) expect(found.get(code)).toBe(value)
        expect([...codes]).toStrictEqual(['unavailable'])
      },
    )
  }
})
