import { expect, test } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import type { ObjectDefinition } from '../definition/definition.js'
import { createModel } from '../model/create-model.js'
import { systemObjects } from '../system/system-objects.js'
import { lintModel, type LintModelOptions } from './lint-model.js'

const Genre = defineObject({ name: 'Genre', fields: { gen_name: { type: 'string', key: true } }, order: ['gen_name'] })
const Film = defineObject({
  name: 'Film',
  fields: {
    flm_code: { type: 'string', key: true },
    flm_title: { type: 'string', index: true },
    flm_genre_id: { type: 'reference', object: 'Genre' },
  },
  order: ['flm_title'],
})
const unmentioned: LintModelOptions = { isMentioned: () => false, isInCode: () => false }

function lint(definitions: readonly ObjectDefinition[], options: Partial<LintModelOptions> = {}) {
  return lintModel(createModel([...systemObjects, ...definitions]), { ...unmentioned, ...options })
}

function filmWith(part: object): ObjectDefinition[] {
  return [Genre, { ...Film, ...part }]
}

function fieldsWith(fields: object): ObjectDefinition[] {
  return filmWith({ fields: { ...Film.fields, ...fields } })
}

test('lintModel() finds nothing in objects that are linked, keyed and indexed', () => {
  expect(lint([Genre, Film])).toEqual([])
})

test('unused-object: an object that nothing refers to or mentions; records, code or a mention are a use', () => {
  const Old = defineObject({ name: 'Old', fields: { old_text: { type: 'string', key: true } } })
  const all = [Genre, Film, Old]
  expect(lint(all)).toMatchObject([{ rule: 'unused-object', severity: 'info', object: 'Old', path: [] }])
  expect(lint(all, { rows: () => 0 })).toMatchObject([{ rule: 'unused-object', severity: 'warning' }])
  expect(lint(all, { rows: () => 1 })).toEqual([])
  expect(lint(all, { isMentioned: ({ name }) => name === 'Old' })).toEqual([])
  expect(lint([Genre, Film, { ...Old, hooks: { preDelete() {} } }])).toEqual([])
  expect(lint([Old])).toEqual([])
})

test('unused-field: a hidden field that no code reads, a read-only field that no code sets', () => {
  const hidden = fieldsWith({ flm_secret: { type: 'string', hidden: true } })
  const readOnly = fieldsWith({ flm_sum: { type: 'integer', readOnly: true } })
  for (const definitions of [hidden, readOnly]) {
    expect(lint(definitions)).toMatchObject([{ rule: 'unused-field', severity: 'warning', object: 'Film' }])
    expect(lint(definitions, { isInCode: () => true })).toEqual([])
  }
  expect(lint(readOnly, { isFilled: () => true })).toEqual([])
  expect(lint(fieldsWith({ flm_day: { type: 'date', readOnly: true, default: '[DATE]' } }))).toEqual([])
})

test('unused-field: a field that is empty in all of many records', () => {
  const isFilled: LintModelOptions['isFilled'] = ({ name }) => name !== 'flm_title'
  expect(lint([Genre, Film], { rows: () => 100, isFilled })).toMatchObject([
    { rule: 'unused-field', severity: 'info', path: ['fields', 'flm_title'] },
  ])
  expect(lint([Genre, Film], { rows: () => 99, isFilled })).toEqual([])
})

test('reference-without-index: "index: false", unless the key begins with the reference', () => {
  const reference = { type: 'reference', object: 'Genre', index: false }
  expect(lint(fieldsWith({ flm_genre_id: reference }))).toMatchObject([
    { rule: 'reference-without-index', path: ['fields', 'flm_genre_id', 'index'] },
  ])
  const { flm_code, ...others } = Film.fields
  const keyed = filmWith({
    fields: { flm_genre_id: { ...reference, key: true }, flm_code, flm_title: others.flm_title },
  })
  expect(lint(keyed)).toEqual([])
})

test('slow-sort: searches sort by a field without index, or by one of a linked object', () => {
  expect(lint(fieldsWith({ flm_title: { type: 'string' } }))).toMatchObject([{ rule: 'slow-sort', path: ['order'] }])
  expect(lint(filmWith({ order: ['flm_genre_id__gen_name'] }))).toMatchObject([{ rule: 'slow-sort' }])
  expect(lint(filmWith({ order: ['-created_dt'] }))).toEqual([])
})
