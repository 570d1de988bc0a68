import type { HookContext } from './hooks.js'
import { expect, it } from 'vitest'
import type { Caller } from '../caller.js'
import type { ObjectStore } from '../store.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createBusinessObjects } from './create-business-objects.js'
import { systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from './business-objects.js'
import { defineObject } from '../definition/define-object.js'
import { createModel } from '../model/create-model.js'
import { collect, createService } from './fixture-for-test.js'

/** Where the caller stands among the arguments, or what holds it. */
const placeOf: Readonly<Record<string, number>> = {
  get: 2,
  search: 1,
  count: 2,
  aggregate: 1,
  searchIndex: 1,
  countIndex: 1,
  insert: 3,
  update: 3,
  delete: 3,
  transaction: 1,
}

/** A store that notes whose each of its calls is. */
function recording(store: ObjectStore): { store: ObjectStore; users: [string, string | undefined][] } {
  const users: [string, string | undefined][] = []
  const recorded = new Proxy(store, {
    get(target, name: keyof ObjectStore) {
      const value = target[name]
      const place = placeOf[name]
      if (typeof value !== 'function' || place === undefined) return value
      return (...args: unknown[]) => {
        const given = args[place] as (Caller & { caller?: Caller }) | undefined
        users.push([name, (given?.caller ?? given)?.user])
        return (value as (...all: unknown[]) => unknown).apply(target, args)
      }
    },
  })
  return { store: recorded, users }
}

it.each<[string, (service: BusinessObjects, ann: Principal, id: string) => Promise<unknown>]>([
  ['get()', (service, ann, id) => service.get(ann, 'Movie', id)],
  ['search()', async (service, ann) => collect(await service.search(ann, 'Movie'))],
  ['search() by cursor', async (service, ann) => collect(await service.search(ann, 'Movie', { cursor: '' }))],
  ['count()', (service, ann) => service.count(ann, 'Movie')],
  ['create()', (service, ann) => service.create(ann, 'Genre', { gen_code: 'B', gen_name: 'b' })],
  ['create() with a transaction', (service, ann) => service.create(ann, 'Movie', { mov_code: 'B', mov_title: 'b' })],
  ['update()', (service, ann, id) => service.update(ann, 'Movie', id, { mov_title: 'b' })],
  ['delete()', (service, ann, id) => service.delete(ann, 'Movie', id)],
  ['delete() of a row that is not there', (service, ann) => service.delete(ann, 'Genre', '99').catch(() => {})],
  ['findByKey()', (service, ann) => service.findByKey(ann, 'Movie', ['A'])],
  ['upsert()', (service, ann) => service.upsert(ann, 'Movie', { mov_code: 'A', mov_title: 'b' })],
  ['batch()', (service, ann, id) => service.batch(ann, 'Movie', [{ action: 'delete', row_id: id }])],
  [
    'batch() of items on their own',
    (service, ann, id) =>
      service.batch(ann, 'Movie', [{ action: 'delete', row_id: id }], { atomic: false, dryRun: true }),
  ],
  ['dryRun()', (service, ann, id) => service.dryRun((inside) => inside.delete(ann, 'Movie', id), { principal: ann })],
  [
    'transaction()',
    (service, ann, id) => service.transaction((inside) => inside.delete(ann, 'Movie', id), { principal: ann }),
  ],
  ['metadata()', (service, ann, id) => service.metadata(ann, 'Movie', { rowId: id })],
])('%s asks the store as its user, whatever it asks for', async (_name, call) => {
  const { model, user, documents } = createService()
  const { store, users } = recording(createMemoryStore())
  const service = createBusinessObjects({ model, store, documents })
  const filter = "mov_title <> 'hidden'"
  const ann = user('ann', [
    { object: 'Movie', letters: 'CRUD', filter },
    { object: 'Genre', letters: 'CRUD' },
  ])
  const { row_id: id } = await service.create(ann, 'Movie', { mov_code: 'A', mov_title: 'a' })
  users.length = 0
  await call(service, ann, id)
  expect(users.length).toBeGreaterThan(0)
  expect(users.filter(([, name]) => name !== 'ann')).toEqual([])
})

/** Opens transactions as code does that knows of no users. */
async function openTransactions(service: BusinessObjects, principal: Principal): Promise<void> {
  await service.transaction((inside) => inside.create(principal, 'Line', { text: 'a' }))
  await service.dryRun((inside) => inside.create(principal, 'Line', { text: 'b' }))
}

it.each<[string, (service: BusinessObjects, ann: Principal) => Promise<unknown>]>([
  [
    'a background action',
    async (service, ann) => {
      const started = await service.action(ann, 'Note', 'work')
      const { id } = 'task' in started ? started.task : expect.unreachable()
      await expect.poll(() => service.task(ann, id)).toMatchObject({ status: 'done' })
    },
  ],
  ['a condition of an action', (service, ann) => service.action(ann, 'Note', 'work')],
  ['a hook of searches', async (service, ann) => collect(await service.search(ann, 'Note'))],
  ['a hook of index searches', (service, ann) => service.indexSearch(ann, 'Note', { text: 'a' })],
  ['a hook of pivot tables', (service, ann) => service.crosstab(ann, 'Note', 'all', {})],
])('transactions that %s opens are those of its user', async (name, call) => {
  const opens = async ({ service, principal }: { service: BusinessObjects; principal: Principal }) => {
    await openTransactions(service, principal)
  }
  const Note = defineObject({
    name: 'Note',
    indexable: true,
    fields: { text: { type: 'string' }, amount: { type: 'integer' } },
    actions: { work: { scope: 'global', background: true, run: name.startsWith('a background') ? opens : () => {} } },
    crosstabs: { all: { lines: ['text'], values: [{ function: 'count' }] } },
    hooks: {
      ...(name.startsWith('a hook') && { preSearch: opens }),
      ...(name.startsWith('a condition') && {
        isActionEnable: (context: HookContext) => opens(context).then(() => true),
      }),
    },
  })
  const Line = defineObject({ name: 'Line', fields: { text: { type: 'string' } } })
  const { store, users } = recording(createMemoryStore())
  const service = createBusinessObjects({ model: createModel([Note, Line]), store })
  await call(service, systemPrincipal({ login: 'ann' }))
  const transactions = users.filter(([method]) => method === 'transaction')
  expect(transactions.length).toBeGreaterThan(0)
  expect(users.filter(([, login]) => login !== 'ann')).toEqual([])
})
