import { describe, expect, test } from 'vitest'
import { StoreError } from '../../errors.js'
import type { StoreSession } from '../store.js'
import { core } from './core.js'
import { expectIsStoreError, expectStoreError } from './failures.js'
import { item, model, person, region } from './model.js'
import { everything, readAll } from './reading.js'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

export function testTransactions(factory: StoreFactory): void {
  describe('transactions', core(), () => {
    const used = useStore(factory, model)
    const select = item.select(['itm_code', 'itm_integer', 'itm_string'])

    function insertItem(session: StoreSession = used.store, itm_code = unique('item')) {
      return session.insert(item, { itm_code, itm_integer: 0 }, select)
    }
    function countItems(itm_code: string, session: StoreSession = used.store): Promise<number> {
      return session.count(item, { op: 'like', field: 'itm_code', pattern: `${itm_code}%` })
    }

    test('a transaction that resolves is kept and passes its result on', async () => {
      const code = unique('kept')
      const result = await used.store.transaction(async (session) => {
        const record = await insertItem(session, `${code}-a`)
        await insertItem(session, `${code}-b`)
        return session.update(item, record.row_id, { itm_integer: 7 }, { select })
      })
      expect(result).toMatchObject({ itm_integer: 7 })
      expect(await used.store.get(item, result?.row_id as string, { select })).toStrictEqual(result)
      expect(await countItems(code)).toBe(2)
    })

    test('a transaction that rejects is undone wholly and passes its error on', async () => {
      const code = unique('undone')
      const [changed, deleted] = [await insertItem(), await insertItem()]
      const error = new Error('stop')
      const attempt = used.store.transaction(async (session) => {
        await insertItem(session, code)
        await session.update(item, changed.row_id, { itm_integer: 1, itm_string: 'x' }, { select })
        await session.delete(item, deleted.row_id)
        expect(await countItems(code, session)).toBe(1)
        throw error
      })
      await expect(attempt).rejects.toBe(error)
      expect(await countItems(code)).toBe(0)
      expect(await used.store.get(item, changed.row_id, { select })).toStrictEqual(changed)
      expect(await used.store.get(item, deleted.row_id, { select })).toStrictEqual(deleted)
    })

    test('an undone transaction frees its keys and restores the ones it gave up', async () => {
      const [taken, given] = [unique('region'), unique('region')]
      const { row_id } = await used.store.insert(region, { reg_code: given }, region.selection)
      const attempt = used.store.transaction(async (session) => {
        await session.insert(region, { reg_code: taken }, region.selection)
        await session.delete(region, row_id)
        await session.insert(region, { reg_code: given }, region.selection)
        throw new Error('stop')
      })
      await expect(attempt).rejects.toThrow('stop')
      await expect(used.store.insert(region, { reg_code: taken }, region.selection)).resolves.toBeDefined()
      await expectStoreError('unique', used.store.insert(region, { reg_code: given }, region.selection))
    })

    test('work that throws immediately, or returns no promise, ends its transaction', async () => {
      const attempt = used.store.transaction(() => {
        throw new TypeError('at once')
      })
      await expect(attempt).rejects.toThrow(TypeError)
      expect(await used.store.transaction(async () => undefined)).toBeUndefined()
      await insertItem()
    })

    test('a session reads, searches and counts what it wrote', async () => {
      const code = unique('own')
      await used.store.transaction(async (session) => {
        const record = await insertItem(session, code)
        expect(await session.get(item, record.row_id, { select })).toStrictEqual(record)
        expect(await countItems(code, session)).toBe(1)
        const where = { op: '=', field: 'itm_code', value: code } as const
        expect(await readAll(session.search(item, { select, where, order: item.order }))).toStrictEqual([record])
        const owner = await session.insert(person, { per_last: code, per_first: 'a' }, person.selection)
        const linked = await session.update(
          item,
          record.row_id,
          { itm_owner: owner.row_id },
          { select: everything(item) },
        )
        expect(linked).toMatchObject({ itm_owner__per_last: code })
      })
    })

    test('others do not see what is undone later', async () => {
      const code = unique('unseen')
      const record = await insertItem()
      let outside: Promise<unknown>[] = []
      const attempt = used.store.transaction(async (session) => {
        await insertItem(session, code)
        await session.update(item, record.row_id, { itm_string: 'uncommitted' }, { select })
        // Not awaited: a store may let readers wait for the end of the transaction.
        outside = [used.store.get(item, record.row_id, { select }), countItems(code)]
        await Promise.race([Promise.all(outside), turns()])
        throw new Error('stop')
      })
      await expect(attempt).rejects.toThrow('stop')
      expect(await Promise.all(outside)).toStrictEqual([record, 0])
    })

    test('others see all of a transaction or nothing', async () => {
      const code = unique('whole')
      const seen: Promise<number>[] = []
      await used.store.transaction(async (session) => {
        for (let n = 0; n < 5; n++) {
          await insertItem(session, `${code}-${n}`)
          const reading = countItems(code)
          seen.push(reading)
          await Promise.race([reading, turns()])
        }
      })
      for (const count of await Promise.all(seen)) expect([0, 5]).toContain(count)
      expect(await countItems(code)).toBe(5)
    })

    test('concurrent transactions that read with a lock and write lose nothing', async () => {
      const { row_id } = await insertItem()
      // Two connections that wait for each other in one process would stop it where a driver is synchronous.
      const other = used.store.capabilities.concurrentWriters ? await used.reopen() : undefined
      const attempts = Array.from({ length: 12 }, (_, number) =>
        (number % 2 && other ? other : used.store).transaction(async (session) => {
          const record = await session.get(item, row_id, { select, lock: true })
          await turns()
          return session.update(item, row_id, { itm_integer: (record?.itm_integer as number) + 1 }, { select })
        }),
      )
      await Promise.all(attempts)
      expect(await used.store.get(item, row_id, { select })).toMatchObject({ itm_integer: 12 })
    })

    test('of two transactions that wait for each other one continues, and the other does too or is "busy"', async () => {
      const [a, b] = [await insertItem(), await insertItem()]
      const lockBoth = (first: string, second: string) =>
        used.store.transaction(async (session) => {
          await session.update(item, first, { itm_integer: 1 }, { select })
          await turns()
          return session.update(item, second, { itm_integer: 1 }, { select })
        })
      const outcomes = await Promise.allSettled([lockBoth(a.row_id, b.row_id), lockBoth(b.row_id, a.row_id)])
      expect(outcomes.map(({ status }) => status)).toContain('fulfilled')
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue
        expectIsStoreError('busy', outcome.reason)
        expect(outcome.reason).toMatchObject({ retry: true })
      }
      await Promise.all([lockBoth(a.row_id, b.row_id), insertItem()])
    })

    test('get with a lock finds what get finds', async () => {
      const record = await insertItem()
      await used.store.transaction(async (session) => {
        expect(await session.get(item, record.row_id, { select: everything(item), lock: true })).toMatchObject(record)
        const where = { op: '=', field: 'itm_integer', value: 1 } as const
        expect(await session.get(item, record.row_id, { select, where, lock: true })).toBeUndefined()
        expect(await session.get(item, '999999999', { select, lock: true })).toBeUndefined()
      })
    })

    test('many transactions at once all end', async () => {
      const code = unique('many')
      const attempts = Array.from({ length: 40 }, (_, number) =>
        used.store.transaction(async (session) => {
          await insertItem(session, `${code}-${number}`)
          if (number % 4 === 0) throw new Error('stop')
        }),
      )
      const outcomes = await Promise.allSettled(attempts)
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10)
      expect(await countItems(code)).toBe(30)
    })

    test('a refused statement whose error is swallowed never makes a lost write look committed', async () => {
      const [code, taken] = [unique('swallowed'), unique('taken')]
      await insertItem(used.store, taken)
      const committed = await used.store
        .transaction(async (session) => {
          await insertItem(session, `${code}-a`)
          await expectStoreError('unique', insertItem(session, taken))
        })
        .then(
          () => true,
          (error: unknown) => {
            expect(error).toSatisfy(StoreError.is)
            return false
          },
        )
      expect(await countItems(code)).toBe(committed ? 1 : 0)
    })

    test('a session is of no use after its transaction', async () => {
      let kept: StoreSession | undefined
      const { row_id } = await used.store.transaction(async (session) => {
        kept = session
        return insertItem(session)
      })
      const session = kept as StoreSession
      const before = await used.store.count(item)
      for (const call of [
        () => insertItem(session),
        () => session.get(item, row_id, { select }),
        () => session.count(item),
        () => session.update(item, row_id, { itm_integer: 1 }, { select }),
        () => session.delete(item, row_id),
      ]) {
        await expect(call()).rejects.toSatisfy(StoreError.is)
      }
      expect(await used.store.count(item)).toBe(before)
    })
  })
}

/** Time for other work that is ready to run, and for answers of a server near by. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
