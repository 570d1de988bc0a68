import { describe, expect, test } from 'vitest'
import type { ObjectStore } from '../store.js'
import { expectIsStoreError, expectStoreError } from './failures.js'
import { model, region } from './model.js'
import { readAll } from './reading.js'
import { open, unique, type StoreFactory, type StoreUnderTest } from './store-under-test.js'

export function testClose(factory: StoreFactory): void {
  describe('close', () => {
    const { selection: select, order } = region

    /** Each test closes a store of its own. */
    async function withStore(work: (store: ObjectStore, opened: StoreUnderTest) => Promise<void>): Promise<void> {
      const opened = await open(factory)
      try {
        await work(opened.store, opened)
      } finally {
        await opened.store.close()
        await opened.dispose?.()
      }
    }

    test('a store that was never used closes, and may be closed twice', () =>
      withStore(async (store) => {
        await store.close()
        await store.close()
      }))

    test('a store that was used closes, once for callers at the same time', () =>
      withStore(async (store) => {
        await store.sync(model)
        await store.insert(region, { reg_code: unique('region') }, select)
        await Promise.all([store.close(), store.close()])
        await store.close()
      }))

    test('every call after close is a StoreError "unavailable"', () =>
      withStore(async (store) => {
        await store.sync(model)
        await store.close()
        const calls: Record<string, () => Promise<unknown>> = {
          get: () => store.get(region, '1', { select }),
          search: () => readAll(store.search(region, { select, order })),
          count: () => store.count(region),
          insert: () => store.insert(region, { reg_code: 'x' }, select),
          update: () => store.update(region, '1', { reg_name: 'x' }, { select }),
          delete: () => store.delete(region, '1'),
          transaction: () => store.transaction(async () => undefined),
          plan: () => store.plan(model),
          sync: () => store.sync(model),
          introspect: () => store.introspect(),
          ping: () => store.ping(),
        }
        for (const [name, call] of Object.entries(calls)) {
          const outcome = await call().catch((error: unknown) => error)
          expectIsStoreError('unavailable', outcome, name)
        }
      }))

    test('close waits for a transaction that is under way', () =>
      withStore(async (store) => {
        await store.sync(model)
        const events: string[] = []
        let closing: Promise<unknown> | undefined
        const work = store.transaction(async (session) => {
          await session.insert(region, { reg_code: 'a' }, select)
          closing = store.close().then(() => events.push('closed'))
          const record = await session.insert(region, { reg_code: 'b' }, select)
          events.push('worked')
          return record
        })
        await expect(work).resolves.toMatchObject({ reg_code: 'b' })
        await closing
        expect(events).toStrictEqual(['worked', 'closed'])
        await expectStoreError('unavailable', store.ping())
      }))

    test('writes that were acknowledged before close are there afterwards', ({ skip }) =>
      withStore(async (store, { reopen }) => {
        if (!store.capabilities.persistent) return skip(`${store.capabilities.name} keeps rows in memory only`)
        if (!reopen) return skip('the factory gives no "reopen"')
        await store.sync(model)
        const writes = Array.from({ length: 20 }, () => store.insert(region, { reg_code: unique('region') }, select))
        await writes[0]
        const [outcomes] = await Promise.all([Promise.allSettled(writes), store.close()])
        const again = await reopen()
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') expectIsStoreError('unavailable', outcome.reason)
          else expect(await again.get(region, outcome.value.row_id, { select })).toStrictEqual(outcome.value)
        }
        await again.close()
      }))

    test('a store that is closed while rows are streamed ends the stream or lets it finish', () =>
      withStore(async (store) => {
        await store.sync(model)
        await store.transaction(async (session) => {
          for (let n = 0; n < 3_000; n++) await session.insert(region, { reg_code: `r${n}` }, select)
        })
        let rows = 0
        let closing: Promise<void> | undefined
        const reading = (async () => {
          for await (const batch of store.search(region, { select, order })) {
            rows += batch.length
            closing ??= store.close()
          }
        })()
        const outcome = await reading.then(
          () => undefined,
          (error: unknown) => error,
        )
        await closing
        if (outcome === undefined) expect(rows).toBe(3_000)
        else expectIsStoreError('unavailable', outcome)
      }))
  })
}
