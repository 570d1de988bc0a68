import { describe, expect, test } from 'vitest'
import type { ObjectModel } from '../model/model.js'
import { createModel } from '../model/create-model.js'
import { storedFields } from '../portable/dump-records.js'
import { dumpRecords, loadRecords } from '../portable/index.js'
import type { ObjectStore, Values } from '../store.js'
import { edgeValues } from './edge-values.js'
import { expectStoreError } from './failures.js'
import { item, model, note, person, region } from './model.js'
import { readAll } from './reading.js'
import { useStore, type StoreFactory } from './store-under-test.js'

const byId = [{ field: 'row_id', descending: false }]

/** Rows that refer to later ones, to themselves and to each other. */
const rows: readonly (readonly [ObjectModel, readonly Values[]])[] = [
  [
    note,
    [
      { row_id: '7', not_text: 'answers a later one', not_reply_to: '9' },
      { row_id: '9', not_text: 'answers itself', not_reply_to: '9', not_item: '41' },
    ],
  ],
  [item, edgeRows()],
  [person, [{ row_id: '5', per_last: 'Last', per_first: 'First', per_email: '', per_region: '9007199254740993' }]],
  [
    region,
    [
      {
        row_id: '3',
        reg_code: 'three',
        reg_parent: '9007199254740993',
        created_by: 'me',
        created_dt: '2024-02-29 23:59:59',
      },
      {
        row_id: '9007199254740993',
        reg_code: 'far',
        reg_parent: '3',
        reg_area: '1234567890123456789012345678.0123456789',
      },
    ],
  ],
]

export function testBulk(factory: StoreFactory): void {
  describe('load and snapshot', () => {
    const used = useStore(factory, model)
    const read = (store: ObjectStore, object: ObjectModel) =>
      readAll(store.search(object, { select: storedFields(object), order: byId }))

    test('load() keeps nothing when its work rejects, or when a reference is broken at the end', async ({ skip }) => {
      const { store } = used
      if (!store.load) return skip(`${store.capabilities.name} cannot load`)
      const stopped = store.load(model, async (insert) => {
        await insert(region, [{ row_id: '1', reg_code: 'one' }])
        throw new Error('stop')
      })
      await expect(stopped).rejects.toThrow('stop')
      const toItself = store.load(model, (insert) =>
        insert(region, [{ row_id: '1', reg_code: 'one', reg_parent: '2' }]),
      )
      await expectStoreError('reference', toItself)
      const toAnother = store.load(model, (insert) => insert(note, [{ row_id: '1', not_item: '1' }]))
      await expectStoreError('reference', toAnother)
      const twice = store.load(model, (insert) =>
        insert(region, [
          { row_id: '1', reg_code: 'one' },
          { row_id: '2', reg_code: 'one' },
        ]),
      )
      await expectStoreError('unique', twice)
      for (const object of model.objects.values()) expect(await store.count(object)).toBe(0)
    })

    test('load() takes rows with their ids in any order, and later ones get the ids after them', async ({ skip }) => {
      const { store } = used
      if (!store.load) return skip(`${store.capabilities.name} cannot load`)
      const result = await store.load(model, async (insert) => {
        for (const [object, values] of rows) await insert(object, values)
        return 'done'
      })
      expect(result).toBe('done')
      for (const [object, values] of rows)
        for (const row of values) {
          const found = await store.get(object, row['row_id'] as string, { select: storedFields(object) })
          expect(found).toMatchObject(row)
        }
      const inserted = await store.insert(region, { reg_code: 'next' }, region.selection)
      expect(BigInt(inserted.row_id)).toBeGreaterThan(9007199254740993n)
      const other = await store.insert(note, { not_text: 'next' }, note.selection)
      expect(BigInt(other.row_id)).toBeGreaterThan(9n)
      // The references are kept again.
      await expectStoreError('reference', store.insert(note, { not_item: '999999' }, note.selection))
    })

    test('snapshot() shows one moment while others write', async ({ skip }) => {
      const { store } = used
      if (!store.snapshot) return skip(`${store.capabilities.name} has no snapshots`)
      const select = region.select(['reg_code'])
      const before = (await readAll(store.search(region, { select, order: byId }))).length
      await store.snapshot(async (session) => {
        const first = await readAll(session.search(note, { select: note.select([]), order: byId }))
        await store.insert(region, { reg_code: 'while' }, region.selection)
        await store.delete(note, first.at(-1)?.row_id as string)
        expect(await readAll(session.search(region, { select, order: byId }))).toHaveLength(before)
        expect(await readAll(session.search(note, { select: note.select([]), order: byId }))).toHaveLength(first.length)
      })
      expect(await store.count(region)).toBe(before + 1)
    })

    test('a dump holds everything, and what was loaded from it is dumped again as it was', async ({ skip }) => {
      const { store } = used
      if (!store.snapshot || !store.load) return skip(`${store.capabilities.name} cannot dump and load`)
      const before = await Promise.all([...model.objects.values()].map((object) => read(store, object)))
      const first = await dumped(store)
      // Rows that refer to each other could not be deleted.
      for (const { row_id } of await read(store, region))
        await store.update(region, row_id, { reg_parent: '' }, { select: region.select([]) })
      for (const object of [note, item, person, region])
        for (const { row_id } of await read(store, object)) await store.delete(object, row_id)
      await loadRecords({ model, store }, bytes(first))
      expect(await Promise.all([...model.objects.values()].map((object) => read(store, object)))).toStrictEqual(before)
      expect(await dumped(store)).toBe(first)
      await expect(loadRecords({ model, store }, bytes(first))).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
    })
  })

  describe('load', () => {
    const indexed = createModel([{ name: 'Page', indexable: ['pag_title'], fields: { pag_title: { type: 'string' } } }])
    const used = useStore(factory, indexed)
    const page = indexed.object('Page')

    test('records are found by their words', async ({ skip }) => {
      const { store } = used
      if (!store.load || !store.capabilities.indexSearch) return skip(`${store.capabilities.name} has no index`)
      const text = [
        { format: 'steward-records', version: 1 },
        { object: 'Page', fields: ['row_id', 'pag_title'] },
        ['12', 'Ünder the \u2028 bridge'],
        { end: { Page: 1 } },
      ]
      await loadRecords({ model: indexed, store }, bytes(text.map((line) => JSON.stringify(line)).join('\n')))
      const terms = [{ words: ['bridge'], prefix: false }]
      expect(await store.countIndex(page, { terms })).toBe(1)
    })
  })
}

async function dumped(store: ObjectStore): Promise<string> {
  let text = ''
  const clock = () => new Date(0)
  await dumpRecords({ model, store, application: { name: 'test', version: '1' }, clock }, async (more) => {
    text += more
  })
  return text
}

/** In pieces that end anywhere. */
async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += 8191) yield all.subarray(at, at + 8191)
}

/** Each edge value in some record; the last record is empty. */
function edgeRows(): Values[] {
  const most = Math.max(...Object.values(edgeValues).map((values) => values.length))
  const filled = Array.from({ length: most }, (_, at) => {
    const values = Object.entries(edgeValues).flatMap(([name, each]) => (at < each.length ? [[name, each[at]]] : []))
    return { row_id: String(40 + at), itm_code: `edge-${at}`, ...Object.fromEntries(values) } as Values
  })
  return [...filled, { row_id: '1000', itm_code: 'empty', itm_owner: '5' }]
}
