import type { ObjectMetadata } from '@steward/rest-core'
import { beforeAll, expect, it, vi } from 'vitest'
import { emptyDraft } from './draft.js'

let tree: typeof import('./object-tree.js')
beforeAll(async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  vi.stubGlobal('document', { documentElement: { dataset: {} } })
  vi.stubGlobal('navigator', { languages: ['en'] })
  tree = await import('./object-tree.js')
  return () => vi.unstubAllGlobals()
})

const metadata = {
  indexable: false,
  fields: [{ name: 'prd_name', type: 3, ref: null }],
  actions: [{ name: 'raise', label: 'Raise the price' }],
  publications: [],
  crosstabs: [{ name: 'kinds', label: 'kinds' }],
} as unknown as ObjectMetadata

it('leavesOf() has what the metadata say, and no operation that the object or the level lacks', () => {
  const groups = tree.leavesOf('Product', metadata, '3.0')
  expect(groups.map(({ id }) => id)).toEqual(['operations', 'actions', 'crosstabs'])
  const names = groups[0]?.leaves.map(({ lead }) => lead.operation)
  expect(names).toContain('search')
  for (const name of ['page', 'indexSearch', 'upload', 'info', 'action']) expect(names).not.toContain(name)
  expect(groups[1]?.leaves).toEqual([
    { text: 'Raise the price (raise)', lead: { object: 'Product', operation: 'action', action: 'raise' } },
  ])
})

it('draftOfLead() keeps what was entered for the same object alone', () => {
  const draft = { ...emptyDraft, object: 'Product', rowId: '7', parameters: { by: '1' } }
  expect(tree.draftOfLead(draft, { object: 'Product', operation: 'get' })).toMatchObject({ rowId: '7', parameters: {} })
  expect(tree.draftOfLead(draft, { object: 'Place', operation: 'get' })).toMatchObject({ rowId: '', object: 'Place' })
})
