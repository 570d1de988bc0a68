import { describe, expect, test } from 'vitest'
import type { BusinessRecord } from '../model/model.js'
import type { Values } from '../store.js'
import { core } from './core.js'
import { expectIsStoreError, expectStoreError } from './failures.js'
import { item, model, note, person, region } from './model.js'
import { everything } from './reading.js'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

export function testReferences(factory: StoreFactory): void {
  describe('references', core(), () => {
    const used = useStore(factory, model)

    function insertRegion(values: Values = {}) {
      return used.store.insert(region, { reg_code: unique('region'), ...values }, everything(region))
    }
    function insertPerson(values: Values = {}) {
      return used.store.insert(person, { per_last: unique('person'), per_first: 'a', ...values }, everything(person))
    }
    function insertItem(values: Values = {}) {
      return used.store.insert(item, { itm_code: unique('item'), ...values }, everything(item))
    }
    function insertNote(values: Values = {}) {
      return used.store.insert(note, { not_text: unique('note'), ...values }, everything(note))
    }
    async function isThere(object: typeof note, { row_id }: BusinessRecord): Promise<boolean> {
      return (await used.store.get(object, row_id, { select: object.select(['row_id']) })) !== undefined
    }

    test('insert and update refuse a reference to a row that is not there, and nothing is written', async () => {
      const missing = await insertPerson()
      await used.store.delete(person, missing.row_id)
      const before = await used.store.count(item)
      await expectStoreError('reference', insertItem({ itm_owner: missing.row_id }))
      expect(await used.store.count(item)).toBe(before)

      const record = await insertItem({ itm_owner: (await insertPerson()).row_id })
      const options = { select: everything(item) }
      await expectStoreError(
        'reference',
        used.store.update(item, record.row_id, { itm_owner: missing.row_id, itm_string: 'x' }, options),
      )
      expect(await used.store.get(item, record.row_id, options)).toStrictEqual(record)
    })

    test('a reference can be changed and emptied', async () => {
      const [a, b] = [await insertPerson(), await insertPerson()]
      const record = await insertItem({ itm_owner: a.row_id })
      const options = { select: item.select(['itm_owner', 'itm_owner__per_last']) }
      const changed = await used.store.update(item, record.row_id, { itm_owner: b.row_id }, options)
      expect(changed).toStrictEqual({ row_id: record.row_id, itm_owner: b.row_id, itm_owner__per_last: b.per_last })
      const emptied = await used.store.update(item, record.row_id, { itm_owner: '' }, options)
      expect(emptied).toStrictEqual({ row_id: record.row_id, itm_owner: '', itm_owner__per_last: '' })
      expect(await used.store.delete(person, b.row_id)).toBe(true)
    })

    test('delete is refused while rows refer to the row by "refuse", and nothing is changed', async () => {
      const owner = await insertPerson()
      const record = await insertItem({ itm_owner: owner.row_id })
      await expectStoreError('reference', used.store.delete(person, owner.row_id))
      expect(await isThere(person, owner)).toBe(true)
      expect(await used.store.get(item, record.row_id, { select: everything(item) })).toStrictEqual(record)
      await used.store.delete(item, record.row_id)
      expect(await used.store.delete(person, owner.row_id)).toBe(true)
    })

    test('delete empties references by "setNull"', async () => {
      const parent = await insertRegion()
      const [a, b, other] = [
        await insertRegion({ reg_parent: parent.row_id, reg_name: 'kept' }),
        await insertRegion({ reg_parent: parent.row_id }),
        await insertRegion({ reg_parent: (await insertRegion()).row_id }),
      ]
      expect(await used.store.delete(region, parent.row_id)).toBe(true)
      const options = { select: everything(region) }
      expect(await used.store.get(region, a.row_id, options)).toStrictEqual({
        ...a,
        reg_parent: '',
        reg_parent__reg_code: '',
      })
      expect(await used.store.get(region, b.row_id, options)).toMatchObject({ reg_parent: '' })
      expect(await used.store.get(region, other.row_id, options)).toStrictEqual(other)
    })

    test('delete takes rows that refer by "cascade" with it, and the rows that refer to those', async () => {
      const record = await insertItem()
      const top = await insertNote({ not_item: record.row_id })
      const reply = await insertNote({ not_reply_to: top.row_id })
      const deep = await insertNote({ not_reply_to: reply.row_id, not_item: record.row_id })
      const elsewhere = await insertNote({ not_item: (await insertItem()).row_id })
      expect(await used.store.delete(item, record.row_id)).toBe(true)
      for (const gone of [top, reply, deep]) expect(await isThere(note, gone)).toBe(false)
      expect(await isThere(note, elsewhere)).toBe(true)
    })

    test('delete follows rows that refer to themselves or to each other', async () => {
      const selfish = await insertNote()
      await used.store.update(note, selfish.row_id, { not_reply_to: selfish.row_id }, { select: note.selection })
      expect(await used.store.delete(note, selfish.row_id)).toBe(true)

      const first = await insertNote()
      const second = await insertNote({ not_reply_to: first.row_id })
      await used.store.update(note, first.row_id, { not_reply_to: second.row_id }, { select: note.selection })
      expect(await used.store.delete(note, first.row_id)).toBe(true)
      expect(await isThere(note, second)).toBe(false)

      const own = await insertRegion()
      await used.store.update(region, own.row_id, { reg_parent: own.row_id }, { select: region.selection })
      expect(await used.store.delete(region, own.row_id)).toBe(true)
    })

    test('of a concurrent delete and a new reference to the row one is refused', async () => {
      for (let round = 0; round < 5; round++) {
        const owner = await insertPerson()
        const [deleted, inserted] = await Promise.allSettled([
          used.store.delete(person, owner.row_id),
          insertItem({ itm_owner: owner.row_id }),
        ])
        expect([deleted.status, inserted.status].toSorted()).toStrictEqual(['fulfilled', 'rejected'])
        expect(await isThere(person, owner)).toBe(deleted.status === 'rejected')
        const refused: unknown =
          deleted.status === 'rejected' ? deleted.reason : (inserted as PromiseRejectedResult).reason
        // A database that finds the two waiting for each other calls it a deadlock.
        expectIsStoreError(['reference', 'busy'], refused)
      }
    })
  })
}
