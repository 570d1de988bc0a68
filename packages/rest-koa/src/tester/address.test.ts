import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draftOf, hashOf } from './address.js'
import { emptyDraft } from './draft.js'
import type { Draft } from './draft.js'
import { operations } from './operations.js'

describe('the address of what was entered', () => {
  test('is short, and names object and operation', () => {
    expect(hashOf({ ...emptyDraft, object: 'Movie', operation: 'get', rowId: '17' })).toBe('#/Movie/get?rowId=17')
    expect(hashOf({ ...emptyDraft, operation: 'info' })).toBe('#//info')
  })

  test('gives back what was entered, but for bodies, parameters and files', () => {
    const text = fc.string({ unit: 'grapheme' })
    const drafts = fc.record({
      object: text,
      operation: fc.constantFrom(...operations.map(({ name }) => name)),
      rowId: text,
      condition: text,
      order: text,
      fields: fc.array(text),
      filters: fc.array(fc.record({ field: text, value: text })),
      cursor: fc.option(text, { nil: undefined }),
      cubes: fc.boolean(),
      atomic: fc.boolean(),
    })
    fc.assert(
      fc.property(drafts, (entered) => {
        const draft: Draft = { ...emptyDraft, ...entered }
        const secret = { body: '{"password":"secret"}', parameters: { password: 'secret' } }
        const hash = hashOf({ ...draft, ...secret })
        expect(hash).not.toContain('secret')
        expect(draftOf(hash)).toEqual(draft)
      }),
    )
  })

  test.each(['', '#', '#/Movie', '#/Movie/fly', '#answer', '#/Movie/get/more'])('%j is none', (hash) => {
    expect(draftOf(hash)).toBeUndefined()
  })

  test('takes nothing that has another form', () => {
    const hash = '#/%E0%A4%A/search?fields=7&filters=x&cubes="yes"&unknown=1&body=x&rowId=1'
    expect(draftOf(hash)).toEqual({ ...emptyDraft, operation: 'search', rowId: '1' })
  })
})
