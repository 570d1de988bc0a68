import { beforeAll, describe, expect, test } from 'vitest'
import type { BusinessRecord } from '../model/model.js'
import { batchBytes } from '../memory-limits.js'
import type { ObjectStore, Query, StoreSession, Values } from '../store.js'
import { item, model, note } from './model.js'
import { useStore, type StoreFactory } from './store-under-test.js'

/** Most records of one batch, so that a batch is never the whole answer. */
const largestBatch = 1_000

export function testStreams(factory: StoreFactory, rows: number): void {
  describe('streams', () => {
    const used = useStore(factory, model)
    const select = note.select(['not_text', 'not_rank', 'not_item__itm_code'])
    const query: Query = { select, order: note.order }

    beforeAll(async () => {
      await insertNotes(used.store, rows)
    }, 120_000)

    /** The ranks of a whole search, checking its batches. */
    async function ranks(given: Query = query, session: StoreSession = used.store): Promise<number[]> {
      const found: number[] = []
      for await (const batch of session.search(note, given)) {
        expect(batch.length).toBeGreaterThan(0)
        expect(batch.length).toBeLessThanOrEqual(largestBatch)
        found.push(...batch.map((record) => record.not_rank as number))
      }
      return found
    }
    const all = (): number[] => Array.from({ length: rows }, (_, rank) => rank)

    test('a search without a limit comes in batches, complete and in order', async () => {
      expect(await ranks()).toStrictEqual(all())
      expect(await ranks({ select, order: [{ field: 'not_rank', descending: true }, ...note.order] })).toStrictEqual(
        all().toReversed(),
      )
      expect(await ranks({ ...query, offset: 5, where: { op: '>=', field: 'not_rank', value: 100 } })).toStrictEqual(
        all().slice(105),
      )
    })

    test('a search with a limit of at most 1,000 comes as one batch, a larger one complete', async () => {
      const batches: (readonly BusinessRecord[])[] = []
      for await (const batch of used.store.search(note, { ...query, limit: 1_000 })) batches.push(batch)
      expect(batches.map(({ length }) => length)).toStrictEqual([1_000])
      expect(batches[0]?.[999]).toStrictEqual({
        row_id: batches[0]?.[999]?.row_id,
        not_text: 'text 999',
        not_rank: 999,
        not_item__itm_code: 'linked',
      })
      expect(await ranks({ ...query, limit: 2_500, offset: 10 })).toStrictEqual(all().slice(10, 2_510))
      expect(await ranks({ ...query, limit: rows + 1 })).toHaveLength(rows)
    })

    test('a search that finds nothing has no batches', async () => {
      expect(await ranks({ ...query, where: { op: '<', field: 'not_rank', value: 0 } })).toStrictEqual([])
      expect(await ranks({ ...query, limit: 10, offset: rows })).toStrictEqual([])
      expect(await ranks({ ...query, offset: rows })).toStrictEqual([])
    })

    test('a consumer may stop early, any number of times', async () => {
      for (let time = 0; time < 15; time++) {
        for await (const batch of used.store.search(note, query)) {
          expect(batch[0]?.not_rank).toBe(0)
          break
        }
      }
      const failing = async (): Promise<void> => {
        for await (const _ of used.store.search(note, query)) throw new Error('consumer')
      }
      for (let time = 0; time < 15; time++) await expect(failing()).rejects.toThrow('consumer')
      expect(await used.store.count(note)).toBe(rows)
    })

    test('a search that is never read costs nothing', async () => {
      for (let time = 0; time < 30; time++) used.store.search(note, query)
      expect(await used.store.count(note)).toBe(rows)
    })

    test('several streams at the same time do not disturb each other', async () => {
      const iterators = [0, 1, 2].map(() => used.store.search(note, query)[Symbol.asyncIterator]())
      const found: number[][] = [[], [], []]
      for (let open = iterators.length; open > 0;) {
        for (const [at, iterator] of iterators.entries()) {
          const { done, value } = await iterator.next()
          if (done) open -= 1
          else found[at]?.push(...value.map((record) => record.not_rank as number))
        }
        if (found[0]?.length === rows) open = 0
      }
      for (const iterator of iterators) expect(await iterator.next()).toMatchObject({ done: true })
      expect(found).toStrictEqual([all(), all(), all()])
    })

    test('writing continues while a stream is open, and the stream gives every row that stays exactly once', async () => {
      const where = { op: '<', field: 'not_rank', value: rows } as const
      const found: number[] = []
      let written: string | undefined
      for await (const batch of used.store.search(note, { ...query, where })) {
        found.push(...batch.map((record) => record.not_rank as number))
        if (written === undefined) {
          written = (await used.store.insert(note, { not_text: 'meanwhile', not_rank: rows + 1 }, note.selection))
            .row_id
          await used.store.update(note, batch[0]?.row_id as string, { not_text: 'text 0, changed' }, { select })
          await used.store.transaction((session) =>
            session.update(note, batch[1]?.row_id as string, { not_text: 'changed' }, { select }),
          )
        }
      }
      expect(found).toStrictEqual(all())
      expect(await used.store.delete(note, written as string)).toBe(true)
      expect(await used.store.count(note)).toBe(rows)
    })

    test('each record of a stream may drive a write', async () => {
      let changed = 0
      const where = { op: '<', field: 'not_rank', value: 1_500 } as const
      for await (const batch of used.store.search(note, { ...query, where })) {
        for (const { row_id } of batch.slice(0, 50)) {
          await used.store.update(note, row_id, { not_text: 'driven' }, { select })
          changed += 1
        }
      }
      expect(changed).toBeGreaterThanOrEqual(100)
      expect(await used.store.count(note, { op: '=', field: 'not_text', value: 'driven' })).toBe(changed)
    })

    test('a transaction streams too, and may be ended by its consumer', async () => {
      await used.store.transaction(async (session) => {
        expect(await ranks(query, session)).toHaveLength(rows)
        for await (const _ of session.search(note, query)) break
        expect(await session.count(note)).toBe(rows)
      })
    })

    describe('of many bytes', () => {
      const count = 10
      const bytes = Math.floor(batchBytes / 3)
      const text = (rank: number): string => String(rank % 10).repeat(bytes)
      let first = ''

      beforeAll(async () => {
        for (let rank = 0; rank < count; rank++) {
          const values = { itm_code: `bytes ${rank}`, itm_text: text(rank), itm_integer: rank }
          const { row_id: rowId } = await used.store.insert(item, values, item.select([]))
          if (rank === 0) first = rowId
          await used.store.insert(note, { not_rank: rows + rank, not_item: first }, note.select([]))
        }
      }, 120_000)

      const long = { select: item.select(['itm_text']), order: [{ field: 'itm_integer', descending: false }] } as const
      const where = { op: 'like', field: 'itm_code', pattern: 'bytes %' } as const
      const joined: Query = {
        select: note.select(['not_item__itm_text']),
        where: { op: '>=', field: 'not_rank', value: rows },
        order: [{ field: 'not_rank', descending: false }],
      }

      /** Texts of a search whose batches have no more bytes than they may have. */
      async function texts(batches: AsyncIterable<readonly BusinessRecord[]>, field: string): Promise<unknown[]> {
        const found: unknown[] = []
        for await (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0)
          expect(batch.length).toBeLessThanOrEqual(3)
          found.push(...batch.map((record) => String(record[field]).at(0)))
        }
        return found
      }
      const all = Array.from({ length: count }, (_, rank) => String(rank))
      const same = all.map(() => '0')

      test('batches end by bytes, of a whole search and of a page', async () => {
        expect(await texts(used.store.search(item, { ...long, where }), 'itm_text')).toStrictEqual(all)
        expect(await texts(used.store.search(item, { ...long, where, limit: 1_000 }), 'itm_text')).toStrictEqual(all)
        const page = used.store.search(item, { ...long, where, limit: 4, offset: 3 })
        expect(await texts(page, 'itm_text')).toStrictEqual(all.slice(3, 7))
      })

      test('a linked text that many rows refer to counts for each of them', async () => {
        expect(await texts(used.store.search(note, joined), 'not_item__itm_text')).toStrictEqual(same)
        const page = used.store.search(note, { ...joined, limit: 1_000 })
        expect(await texts(page, 'not_item__itm_text')).toStrictEqual(same)
      })

      test('a consumer may stop early, and others are answered', async () => {
        for (let time = 0; time < 12; time++) {
          for await (const _ of used.store.search(note, { ...joined, limit: 1_000 })) break
          for await (const _ of used.store.search(note, joined)) break
        }
        expect(await used.store.count(note, joined.where)).toBe(count)
      })

      test('batches of a transaction end by bytes, and other statements may come between them', async () => {
        await used.store.transaction(async (session) => {
          expect(await texts(session.search(item, { ...long, where }), 'itm_text')).toStrictEqual(all)
          let found = 0
          for await (const batch of session.search(note, joined)) {
            found += batch.length
            for (const { row_id: rowId } of batch) await session.update(note, rowId, { not_text: 'x' }, { select })
          }
          expect(found).toBe(count)
          found = 0
          for await (const batch of session.search(note, { ...joined, limit: 1_000 })) {
            found += batch.length
            expect(await session.count(note, joined.where)).toBe(count)
          }
          expect(found).toBe(count)
        })
      })
    })
  })
}

/** Notes that refer to one item; at once where the store can, since one after the other takes longer than all tests. */
async function insertNotes(store: ObjectStore, count: number): Promise<void> {
  const notes = (link: string, from: number, to: number): Values[] =>
    Array.from({ length: to - from }, (_, at) => {
      const rank = from + at
      return { row_id: String(rank + 1), not_text: `text ${rank}`, not_rank: rank, not_item: link }
    })
  if (store.load) {
    await store.load(model, async (insert) => {
      await insert(item, [{ row_id: '1', itm_code: 'linked' }])
      for (let from = 0; from < count; from += largestBatch)
        await insert(note, notes('1', from, Math.min(from + largestBatch, count)))
    })
    return
  }
  await store.transaction(async (session) => {
    const { row_id: link } = await session.insert(item, { itm_code: 'linked' }, item.select(['row_id']))
    for (const { row_id: _, ...values } of notes(link, 0, count))
      await session.insert(note, values, note.select(['row_id']))
  })
}
