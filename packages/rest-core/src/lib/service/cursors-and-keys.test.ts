import { describe, expect, test } from 'vitest'
import { StoreError } from '../../errors.js'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import type { BusinessRecord } from '../model/model.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import { createRights } from '../rights/create-rights.js'
import type { ObjectStore } from '../store.js'
import type { SearchRequest } from './business-objects.js'
import { createBusinessObjects } from './create-business-objects.js'

const Person = defineObject({
  name: 'Person',
  fields: {
    per_name: { type: 'string', key: true },
    per_salary: { type: 'integer' },
    per_text: { type: 'text' },
    per_when: { type: 'datetime' },
  },
  order: ['-per_salary'],
})
const Keyless = defineObject({ name: 'Keyless', fields: { kls_text: { type: 'string' } } })

const boss = systemPrincipal({ login: 'boss' })

async function create(wrap: (store: ObjectStore) => ObjectStore = (store) => store) {
  const model = createModel([Person, Keyless])
  const store = wrap(createMemoryStore())
  const service = createBusinessObjects({ model, store })
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries())
    await service.create(boss, 'Person', { per_name: name, per_salary: 77_000 - at, per_text: name.repeat(2000 * at) })
  const hiding = (field: string) => {
    const grants = [{ object: 'Person', letters: 'CRU', hidden: [field] }]
    return createPrincipal({ login: 'clerk', rights: createRights(model, grants, {}) })
  }
  async function page(request: SearchRequest, principal = boss) {
    const records: BusinessRecord[] = []
    for await (const batch of await service.search(principal, 'Person', request)) records.push(...batch)
    const last = records.at(-1) as BusinessRecord
    return { records, next: () => service.nextCursor(principal, 'Person', request, last) }
  }
  return { service, store, hiding, page }
}

describe('a cursor', () => {
  test('reveals nothing about a field that the user does not see, although the object is sorted by it', async () => {
    const { hiding, page } = await create()
    const seen = await page({ cursor: '', pageSize: 2 })
    expect(Buffer.from(seen.next() as string, 'base64url').toString()).toContain('76999')
    const hidden = await page({ cursor: '', pageSize: 2 }, hiding('per_salary'))
    expect(Buffer.from(hidden.next() as string, 'base64url').toString()).toBe('[2,"Person","row_id",["2"]]')
  })

  test('holds no values that are too long for a header', async () => {
    const { page } = await create()
    const { records, next } = await page({ cursor: '', pageSize: 3, order: [{ field: 'per_text', descending: false }] })
    expect(records).toHaveLength(3)
    expect(next).toThrow(/too long for a cursor/)
  })

  test('belongs to a record of a search by cursor', async () => {
    const { service, page } = await create()
    const { records } = await page({ page: 0 })
    expect(() => service.nextCursor(boss, 'Person', { cursor: '' }, records[0] as BusinessRecord)).toThrow(TypeError)
  })

  test('gives up where a column holds more than its field shows, in place of pages that never end', async () => {
    // As a database does that compares fractions of seconds, which records do not show.
    const { page } = await create((store) => ({
      ...store,
      async *search(object, query) {
        for await (const batch of store.search(object, { ...query, where: undefined }))
          yield batch.map((record) => ({ ...record, per_when: '2026-01-01 00:00:00' }))
      },
    }))
    const request = {
      pageSize: 2,
      order: [
        { field: 'per_when', descending: false },
        { field: 'row_id', descending: true },
      ],
    }
    const cursor = (await page({ ...request, cursor: '' })).next() as string
    await expect(page({ ...request, pageSize: 9, cursor })).rejects.toThrow(/holds more than is shown/)
  })
})

describe('a functional key', () => {
  test('of which a member is hidden, or that is not there, finds nothing', async () => {
    const { service, hiding } = await create()
    for (const [principal, object] of [
      [hiding('per_name'), 'Person'],
      [boss, 'Keyless'],
    ] as const) {
      const error = {
        code: 'ERR_NOT_FOUND',
        message: `Object "${object}" has no functional key; use the row ids of its records.`,
      }
      await expect(service.findByKey(principal, object, ['a'])).rejects.toMatchObject(error)
      await expect(service.upsert(principal, object, {})).rejects.toMatchObject(error)
    }
  })

  test('that others create or delete at the same moment is looked up again', async () => {
    let meanwhile: (() => Promise<unknown>) | undefined
    const { service } = await create((store) => ({
      ...store,
      async insert(...given) {
        const others = meanwhile
        meanwhile = undefined
        await others?.()
        return store.insert(...given)
      },
    }))
    meanwhile = () => service.create(boss, 'Person', { per_name: 'new', per_salary: 1 })
    expect(await service.upsert(boss, 'Person', { per_name: 'new', per_salary: 2 })).toMatchObject({
      created: false,
      record: { per_salary: 2 },
    })
  })
})

describe('in a transaction', () => {
  test('neither a dry run, nor a batch that is none, nor a request that is done once can be', async () => {
    const { service } = await create()
    await service.transaction(async (inside) => {
      await expect(inside.dryRun(async () => {})).rejects.toThrow(/part of a transaction/)
      await expect(inside.batch(boss, 'Person', [], { atomic: false })).rejects.toThrow(/all or nothing/)
      const request = { key: 'k', fingerprint: 'f' }
      await expect(inside.once(boss, request, async () => ({}) as never)).rejects.toThrow(/inside a transaction/)
    })
  })

  test('a batch takes part, and goes with it', async () => {
    const { service } = await create()
    const items = [{ action: 'create', values: { per_name: 'gone' } }] as const
    const undone = service.transaction(async (inside) => {
      expect(await inside.batch(boss, 'Person', items)).toMatchObject([{ status: 200 }])
      throw new StoreError('busy', 'undone')
    })
    await expect(undone).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    expect((await service.count(boss, 'Person')).count).toBe(4)
  })
})
