import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RestError, mostMessages } from '../../errors.js'
import { defineObject } from '../definition/define-object.js'
import { createDiskDocumentStore } from '../documents/disk-document-store.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from './create-business-objects.js'

const boss = systemPrincipal({ login: 'boss' })
const model = createModel([
  defineObject({
    name: 'Note',
    fields: {
      not_code: { type: 'string' },
      not_file: { type: 'document' },
      not_tags: { type: 'multi-enum', values: ['a', 'b'] },
      not_data: { type: 'object' },
    },
    actions: { echo: { scope: 'global', parameters: { text: { type: 'string' } }, run: () => 'done' } },
  }),
])
/** Nothing is ever kept there. */
const documents = createDiskDocumentStore({ folder: join(tmpdir(), 'steward-not-used') })
const service = createBusinessObjects({ model, store: createMemoryStore(), documents })
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown${at}`, at]))

async function refusal(call: Promise<unknown>): Promise<RestError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!RestError.is(error)) throw new Error(`not refused by a RestError: ${String(error)}`)
  return error
}

it.each([
  ['create', (count: number) => service.create(boss, 'Note', many(count))],
  ['action', (count: number) => service.action(boss, 'Note', 'echo', { parameters: many(count) })],
  ['batch', (count: number) => service.batch(boss, 'Note', [{ action: 'create', values: many(count) }])],
])('%s reports the first 100 of many mistakes, and how many there are', async (_name, call) => {
  const few = await refusal(call(mostMessages))
  expect(few.messages).toHaveLength(mostMessages)
  expect(few.message).toMatch(/ \(and 99 more\)$/)
  const lots = await refusal(call(50_000))
  expect(lots.messages).toHaveLength(mostMessages)
  expect(lots.message).toMatch(/ \(and at least 100 more\)$/)
})

it('batch() of items on their own answers 100 messages in all, and why each was refused', async () => {
  const items = Array.from({ length: 30 }, () => ({ action: 'create' as const, values: many(10) }))
  const results = await service.batch(boss, 'Note', items, { atomic: false })
  expect(results.map((result) => ('messages' in result ? result.messages.length : -1))).toEqual([
    ...Array<number>(10).fill(10),
    ...Array<number>(20).fill(0),
  ])
  expect(results.every((result) => 'error' in result && result.error.includes('unknown0'))).toBe(true)
})

it('a name of megabytes is cut in the error about it', async () => {
  const { message, messages } = await refusal(service.create(boss, 'Note', { ['x'.repeat(3_000_000)]: 1 }))
  expect(message.length).toBeLessThan(200)
  expect(messages[0]?.field).toHaveLength(100)
})

it('values with too many parts are refused, each part looked at once', async () => {
  const put = async (values: object) => (await refusal(service.create(boss, 'Note', values))).message
  const list = Array.from({ length: 50_001 }, () => 'a')
  expect(await put({ not_tags: list })).toBe('Field "not_tags" must have at most 10000 codes.')
  expect(await put({ not_tags: 'a;'.repeat(10_001) })).toBe('Field "not_tags" must have at most 10000 codes.')
  const tooMany = 'Field "not_data" must have at most 50000 members and items in all.'
  expect(await put({ not_data: list })).toBe(tooMany)
  expect(await put({ not_data: Object.fromEntries(list.map((_, at) => [`k${at}`, 1])) })).toBe(tooMany)
  expect(await put({ not_data: Array.from({ length: 300 }, () => list.slice(0, 300)) })).toBe(tooMany)
})

it('a document has a name of at most 255 characters', async () => {
  const { message } = await refusal(
    service.create(boss, 'Note', { not_file: { name: 'x'.repeat(256), content: 'QUJD' } }),
  )
  expect(message).toBe('Field "not_file" has a "name" of more than 255 characters.')
})

// Pattern by pattern this took time that grows with the square of the length: minutes.
it.each([`${' '.repeat(3_000_000)}!`, `${'QUJD'.repeat(700_000)}=${'\n'.repeat(700_000)}=`, 'QQ==='])(
  'content that is not base64 is refused in one pass',
  async (content) => {
    const { message } = await refusal(service.create(boss, 'Note', { not_file: { name: 'a', content } }))
    expect(message).toBe('Field "not_file" has a "content" that is not base64.')
  },
)
