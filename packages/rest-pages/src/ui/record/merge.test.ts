import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { mergeSaved, type FormState } from './merge.js'

const fields = ['name', 'note', 'stock'].map((name) => ({ name, ref: null, type: 3, updatable: true }) as FieldMetadata)
const metadata = { update: true, create: true, rowidfield: 'row_id', fields } as unknown as ObjectMetadata

const before = { name: 'A', note: 'old', stock: '1' }
const form = (draft: object): FormState => ({
  metadata,
  record: before,
  etag: '1',
  base: before,
  draft: { ...before, ...draft },
})

it('mergeSaved() takes over what others saved where nothing was typed', () => {
  const latest = { metadata, record: { name: 'A', note: 'theirs', stock: '2' }, etag: '2' }
  expect(mergeSaved(form({ name: 'typed' }), latest)).toEqual({
    ...latest,
    base: latest.record,
    draft: { name: 'typed', note: 'theirs', stock: '2' },
  })
})

it('mergeSaved() keeps the entity tag of before when both changed a field, so that to save asks', () => {
  const latest = { metadata, record: { name: 'theirs', note: 'old', stock: '2' }, etag: '2' }
  expect(mergeSaved(form({ name: 'typed' }), latest)).toMatchObject({
    etag: '1',
    base: { name: 'A', note: 'old', stock: '2' },
    draft: { name: 'typed', note: 'old', stock: '2' },
  })
})

it('mergeSaved() of the same value on both sides is no conflict', () => {
  const latest = { metadata, record: { ...before, name: 'same' }, etag: '2' }
  const merged = mergeSaved(form({ name: 'same' }), latest)
  expect([merged.etag, merged.base, merged.draft]).toEqual(['2', latest.record, latest.record])
})
