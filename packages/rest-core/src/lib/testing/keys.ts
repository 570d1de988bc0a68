import { describe, expect, test } from 'vitest'
import type { StoreSession, Values } from '../store.js'
import { core } from './core.js'
import { expectIsStoreError, expectStoreError } from './failures.js'
import { item, model, person, region } from './model.js'
import { everything } from './reading.js'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

export function testKeys(factory: StoreFactory): void {
  describe('keys', core(), () => {
    const used = useStore(factory, model)

    function insertPerson(values: Values, session: StoreSession = used.store) {
      return session.insert(person, { per_last: unique('person'), per_first: 'a', ...values }, everything(person))
    }

    test('insert refuses a functional key that is taken, and nothing is written', async () => {
      const reg_code = unique('region')
      await used.store.insert(region, { reg_code }, region.selection)
      const before = await used.store.count(region)
      await expectStoreError('unique', used.store.insert(region, { reg_code, reg_name: 'x' }, region.selection))
      expect(await used.store.count(region)).toBe(before)
    })

    test('a functional key of two members is one key', async () => {
      const per_last = unique('person')
      await insertPerson({ per_last, per_first: 'a' })
      await insertPerson({ per_last, per_first: 'b' })
      await insertPerson({ per_last: `${per_last}a`, per_first: 'b' })
      await expectStoreError('unique', insertPerson({ per_last, per_first: 'b' }))
    })

    test('update refuses a functional key that is taken, and nothing is written', async () => {
      const per_last = unique('person')
      await insertPerson({ per_last, per_first: 'a' })
      const record = await insertPerson({ per_last, per_first: 'b' })
      const options = { select: everything(person) }
      await expectStoreError(
        'unique',
        used.store.update(person, record.row_id, { per_first: 'a', per_email: 'a@b.example' }, options),
      )
      expect(await used.store.get(person, record.row_id, options)).toStrictEqual(record)
      expect(await used.store.update(person, record.row_id, { per_first: 'b' }, options)).toStrictEqual(record)
    })

    test('a key of a deleted or changed row is free again', async () => {
      const per_email = `${unique('mail')}@example.org`
      const record = await insertPerson({ per_email })
      await expectStoreError('unique', insertPerson({ per_email }))
      await used.store.update(person, record.row_id, { per_email: '' }, { select: person.selection })
      const second = await insertPerson({ per_email })
      await used.store.delete(person, second.row_id)
      expect((await insertPerson({ per_email })).per_email).toBe(per_email)
    })

    test('any number of rows may leave a unique field empty', async () => {
      for (const values of [{}, {}, { per_email: '' }] as Values[])
        expect((await insertPerson(values)).per_email).toBe('')
    })

    test('keys differ by case, accents, normal form and blanks at the start', async () => {
      const code = unique('clé')
      await differ([code, code.toUpperCase(), code.normalize('NFD'), code.replace('é', 'e'), ` ${code}`, `${code}\t`])
    })

    test('keys differ by blanks at the end', async () => {
      const code = unique('clé')
      await differ([code, `${code} `, `${code}  `])
    })

    async function differ(codes: readonly string[]): Promise<void> {
      const ids = new Set<string>()
      for (const reg_code of codes) ids.add((await used.store.insert(region, { reg_code }, region.selection)).row_id)
      expect(ids.size).toBe(codes.length)
      for (const reg_code of codes) {
        await expectStoreError('unique', used.store.insert(region, { reg_code }, region.selection))
        expect(await used.store.count(region, { op: '=', field: 'reg_code', value: reg_code })).toBe(1)
      }
    }

    test('of concurrent inserts with the same key exactly one wins', async ({ annotate }) => {
      const other = await used.reopen()
      if (!other) await annotate('through one store only: the factory gives no "reopen"')
      for (let round = 0; round < 5; round++) {
        const reg_code = unique('region')
        const attempts = Array.from({ length: 16 }, (_, number) =>
          (number % 2 && other ? other : used.store).insert(
            region,
            { reg_code, reg_name: String(number) },
            everything(region),
          ),
        )
        const outcomes = await Promise.allSettled(attempts)
        const [winner, ...more] = outcomes.filter((outcome) => outcome.status === 'fulfilled')
        expect(more).toHaveLength(0)
        for (const outcome of outcomes) if (outcome.status === 'rejected') expectIsStoreError('unique', outcome.reason)
        const stored = await used.store.get(region, winner?.value.row_id as string, { select: everything(region) })
        expect(stored).toStrictEqual(winner?.value)
        expect(await used.store.count(region, { op: '=', field: 'reg_code', value: reg_code })).toBe(1)
      }
    })

    test('of concurrent transactions that insert the same key exactly one commits', async () => {
      const reg_code = unique('region')
      const attempts = Array.from({ length: 6 }, () =>
        used.store.transaction(async (session) => {
          await session.insert(region, { reg_code: unique('other'), reg_name: reg_code }, region.selection)
          return session.insert(region, { reg_code }, region.selection)
        }),
      )
      const outcomes = await Promise.allSettled(attempts)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) if (outcome.status === 'rejected') expectIsStoreError('unique', outcome.reason)
      expect(await used.store.count(region, { op: '=', field: 'reg_name', value: reg_code })).toBe(1)
    })

    test('of concurrent updates that expect the same state exactly one succeeds', async () => {
      const { row_id } = await used.store.insert(item, { itm_code: unique('item'), itm_enum: 'open' }, item.selection)
      const where = { op: '=', field: 'itm_enum', value: 'open' } as const
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, number) =>
          used.store.update(
            item,
            row_id,
            { itm_enum: 'closed', itm_integer: number },
            { select: item.select(['itm_integer']), where },
          ),
        ),
      )
      const [winner, ...more] = outcomes.filter((record) => record !== undefined)
      expect(more).toHaveLength(0)
      expect(await used.store.get(item, row_id, { select: item.select(['itm_integer']) })).toStrictEqual(winner)
    })
  })
}
