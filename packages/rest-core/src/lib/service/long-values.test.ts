import { expect, it } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from './create-business-objects.js'

const Note = defineObject({
  name: 'Note',
  fields: {
    not_text: { type: 'text' },
    not_html: { type: 'html' },
    not_object: { type: 'object' },
    not_longer: { type: 'text', length: 2 ** 21 },
    not_list: { type: 'object', length: 20 },
  },
})
const model = createModel([Note])
const store = createMemoryStore()
const service = createBusinessObjects({ model, store })
const ann = systemPrincipal({ login: 'ann' })
const mebi = 2 ** 20

it.each([
  ['not_text', 'x'.repeat(mebi), 'at most 1048576 characters'],
  ['not_html', '<b>'.padEnd(mebi, 'x'), 'at most 1048576 characters'],
  ['not_longer', 'x'.repeat(2 * mebi), 'at most 2097152 characters'],
])('%s takes as many characters as its length, and no more', async (field, value, text) => {
  expect(await service.create(ann, 'Note', { [field]: value })).toMatchObject({ [field]: value })
  await expect(service.create(ann, 'Note', { [field]: `${value}x` })).rejects.toMatchObject({
    messages: [{ code: 'ERR_LENGTH', field, text: expect.stringContaining(text) as string }],
  })
})

it('the length of an object is that of its JSON', async () => {
  const value = { a: 'x'.repeat(mebi - 8) }
  expect(await service.create(ann, 'Note', { not_object: value })).toMatchObject({ not_object: value })
  const [long, list] = [{ b: `${value.a}x` }, ['12345', '12345', '12345']]
  await expect(service.create(ann, 'Note', { not_object: long, not_list: list })).rejects.toMatchObject({
    messages: [
      { code: 'ERR_LENGTH', text: 'Field "not_object" must have at most 1048576 characters as JSON.' },
      { code: 'ERR_LENGTH', text: 'Field "not_list" must have at most 20 characters as JSON.' },
    ],
  })
})

it('a longer value that is there is read, and may be sent again as it is', async () => {
  const note = model.object('Note')
  const long = { not_text: 'x'.repeat(2 * mebi), not_object: ['x'.repeat(2 * mebi)] }
  const { row_id: id } = await store.insert(note, long, note.select([]))
  expect(await service.get(ann, 'Note', id)).toMatchObject(long)
  expect(await service.update(ann, 'Note', id, { ...long, not_html: 'new' })).toMatchObject({
    ...long,
    not_html: 'new',
  })
  for (const changed of [{ not_text: `${long.not_text}y` }, { not_object: [...long.not_object, 1] }])
    await expect(service.update(ann, 'Note', id, changed)).rejects.toMatchObject({ code: 'ERR_VALIDATION' })
})
