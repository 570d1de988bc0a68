import { createModel, type ObjectStore } from '@steward/rest-core'
import { beforeAll, expect, it } from 'vitest'
import { onEachServer } from '../../../test/server-stores.js'

const model = createModel([
  { name: 'Parent', fields: { par_code: { type: 'string', length: 40, key: true } }, timestamps: false },
  {
    name: 'Child',
    fields: {
      chi_parent: { type: 'reference', object: 'Parent', display: ['par_code'] },
      chi_value: { type: 'integer' },
    },
    timestamps: false,
  },
])
const parent = model.object('Parent')
const child = model.object('Child')
const { selection: select } = child

onEachServer(({ name, store: open }) => {
  let store: ObjectStore
  let code = 0
  beforeAll(async () => {
    // What waits for a lock that is held until the end of the test fails soon.
    store = open({ lockTimeoutMs: 1_000 })
    await store.sync(model)
  })

  /** A parent with two children. */
  async function family() {
    const { row_id: parentId } = await store.insert(parent, { par_code: `parent ${code++}` }, parent.selection)
    const insert = () => store.insert(child, { chi_parent: parentId, chi_value: 0 }, select)
    const [first, second] = [await insert(), await insert()]
    return { parentId, first: first.row_id, second: second.row_id, insert }
  }

  it('a lock takes the record, and not what it refers to', async () => {
    const { parentId, first, second, insert } = await family()
    const where = { op: '=', field: 'chi_parent__par_code', value: `parent ${code - 1}` } as const
    await store.transaction(async (session) => {
      const found = await session.get(child, first, { select, where, lock: true })
      expect(found).toMatchObject({ chi_parent__par_code: `parent ${code - 1}`, chi_value: 0 })
      // The same on other connections: another child, a new one, the parent itself.
      await store.transaction(async (other) => {
        expect(await other.get(child, second, { select, lock: true })).toBeDefined()
        expect(await other.get(parent, parentId, { select: parent.selection, lock: true })).toBeDefined()
      })
      await store.update(child, second, { chi_value: 1 }, { select })
      await store.update(parent, parentId, { par_code: `changed ${code}` }, { select: parent.selection })
      await insert()
      // The record itself is taken.
      await expect(store.update(child, first, { chi_value: 2 }, { select })).rejects.toMatchObject({ code: 'busy' })
      expect(await session.get(child, first, { select, where, lock: true })).toBeUndefined()
    })
  })

  it('a lock reads what is there when it is granted', async () => {
    const { first } = await family()
    const patient = open()
    let granted: Promise<unknown> = Promise.resolve()
    await store.transaction(async (session) => {
      await session.get(child, first, { select, lock: true })
      granted = patient.transaction((other) => other.get(child, first, { select, lock: true }))
      granted.catch(() => {})
      await session.update(child, first, { chi_value: 7 }, { select })
    })
    expect(await granted).toMatchObject({ chi_value: 7 })
  })

  // InnoDB has no lock that is weaker than the one of its foreign keys.
  it.runIf(name === 'postgresql')('others may refer to a record that is locked for a change', async () => {
    const { parentId, insert } = await family()
    await store.transaction(async (session) => {
      await session.get(parent, parentId, { select: parent.selection, lock: true })
      await insert()
    })
  })

  it('a record that is locked for deletion cannot be referred to', async () => {
    const { parentId, insert } = await family()
    await store.transaction(async (session) => {
      await session.get(parent, parentId, { select: parent.selection, lock: 'delete' })
      await expect(insert()).rejects.toMatchObject({ code: 'busy' })
    })
  })
})
