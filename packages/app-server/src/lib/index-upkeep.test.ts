import { createBusinessObjects, createMemoryStore, createModel, systemPrincipal } from '@steward/rest-core'
import type { ObjectDefinition, ObjectStore } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { startIndexUpkeep } from './index-upkeep.js'

const boss = systemPrincipal({ login: 'boss' })
const rows = 2_345
let store: ObjectStore
let lines: string[]

beforeEach(async () => {
  store = createMemoryStore()
  lines = []
  const service = serviceWith(false)
  await service.transaction(async (inside) => {
    for (let n = 0; n < rows; n++) await inside.create(boss, 'Note', { not_text: `note ${n}`, not_more: 'more' })
  })
})

function serviceWith(indexable: ObjectDefinition['indexable'] & {}) {
  const fields = { not_text: { type: 'string' }, not_more: { type: 'string' } } as const
  return createBusinessObjects({ model: createModel([...systemObjects, { name: 'Note', indexable, fields }]), store })
}

async function upkeep(indexable: ObjectDefinition['indexable'] & {}, freshTables: string[] = []) {
  const service = serviceWith(indexable)
  lines = []
  const logger = pino(
    { base: null },
    { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) },
  )
  const running = await startIndexUpkeep({ service, logger, freshTables: new Set(freshTables) })
  const count = async (text: string) => (await service.countIndex(boss, 'Note', { text })).count
  return { ...running, count }
}

test('rows that were there become findable, once; the log shows the progress', async () => {
  const { done, count } = await upkeep(['not_text'])
  await done
  expect([await count('note'), await count('2344'), await count('more')]).toEqual([rows, 1, 0])
  expect(lines).toEqual([
    'Index search: the index of Note is being built',
    `Index search: Note: ${rows} rows`,
    `Index search: the index of Note is up to date; ${rows} rows were written`,
  ])
  await (
    await upkeep(['not_text'])
  ).done
  expect(lines).toEqual([])
})

test('another definition of the index builds it again', async () => {
  await (
    await upkeep(['not_text'])
  ).done
  const { done, count } = await upkeep(['not_text', 'not_more'])
  await done
  expect(await count('more')).toBe(rows)
})

test('work that was stopped is done by the next start', async () => {
  const { stop, count } = await upkeep(['not_text'])
  await stop()
  expect(await count('2344')).toBe(0)
  await (
    await upkeep(['not_text'])
  ).done
  expect(await count('2344')).toBe(1)
})

test('a new table needs nothing, and without indexed objects nothing is written', async () => {
  const before = await store.count(serviceWith(false).model.object('SystemParam'))
  await (
    await upkeep(false)
  ).done
  expect(await store.count(serviceWith(false).model.object('SystemParam'))).toBe(before)
  await (
    await upkeep(['not_text'], ['note'])
  ).done
  expect(lines).toEqual([])
  await (
    await upkeep(['not_text'])
  ).done
  expect(lines).toEqual([])
})

test('a failure is logged, and the next start tries again', async () => {
  const { search } = store
  store.search = (object, query) => {
    if (object.name === 'Note') throw new Error('broken')
    return search(object, query)
  }
  await (
    await upkeep(['not_text'])
  ).done
  expect(lines.at(-1)).toContain('the rebuild failed')
  store.search = search
  const { done, count } = await upkeep(['not_text'])
  await done
  expect(await count('note')).toBe(rows)
})
