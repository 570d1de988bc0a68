import { describe, expect, it } from 'vitest'
import type { ObjectDefinition } from '../definition/definition.js'
import { DefinitionError } from '../../errors.js'
import { createModel } from '../model/create-model.js'
import { recordWords, withChangedWords } from './record-words.js'
import type { IndexModel } from '../model/model.js'

const fields = {
  title: { type: 'string' },
  plot: { type: 'html' },
  kind: { type: 'enum', values: [{ code: 'f', label: 'Feature film' }] },
  year: { type: 'integer' },
  note: { type: 'text', hidden: true },
  pin: { type: 'password' },
  own: { type: 'reference', object: 'Movie' },
} as const

function modelOf(indexable: ObjectDefinition['indexable'], more: Partial<ObjectDefinition> = {}) {
  return createModel([{ name: 'Movie', fields, ...(indexable !== undefined && { indexable }), ...more }]).object(
    'Movie',
  )
}

describe('indexable', () => {
  it('true means visible texts and enums; a list may name numbers too', () => {
    const names = (indexable: ObjectDefinition['indexable']) => modelOf(indexable).index?.fields.map(({ name }) => name)
    expect(names(true)).toEqual(['title', 'plot', 'kind'])
    expect(names(['year', 'title'])).toEqual(['year', 'title'])
    expect([names(false), names(undefined)]).toEqual([undefined, undefined])
  })

  it('adds a column that is not a field', () => {
    const object = modelOf(true)
    expect(object.index?.words).toMatchObject({ column: 'idx_words', columnType: { kind: 'words' }, visible: false })
    expect(object.readable.has('idx_words')).toBe(false)
    expect(object.fields.some(({ name }) => name === 'idx_words')).toBe(false)
  })

  it.each([
    [[], 'Movie.indexable: must not be empty'],
    [['nothing'], 'Movie.indexable: there is no field "nothing"'],
    [['pin'], 'Movie.indexable: "pin" of type password has no words'],
    [['own'], 'Movie.indexable: "own" of type reference has no words'],
    [['note'], 'Movie.indexable: "note" is hidden'],
    [['title', 'title'], 'Movie.indexable: a field stands there twice'],
  ])('%j is refused: %s', (indexable, message) => {
    expect(() => modelOf(indexable)).toThrow(DefinitionError)
    expect(() => modelOf(indexable)).toThrow(message)
  })

  it('keeps the name of its column', () => {
    const taken = { fields: { title: { type: 'string', column: 'IDX_words' } } } as const
    expect(() => modelOf(true, taken)).toThrow('Movie.title: "idx_words" is kept for the index')
  })
})

describe('words of a record', () => {
  const index = modelOf(['title', 'plot', 'kind', 'year']).index as IndexModel

  it('are those of its indexed fields, codes with their labels, texts without tags', () => {
    expect(
      recordWords(index, {
        title: 'Été',
        plot: '<style>p{}</style><p class="x">A&nbsp;<b>b</b>old&eacute; c<br>d &#233;&#xe9;&#0; 1 < 2</p><!-- no -->',
        kind: 'f',
        year: 1999,
        note: 'hidden',
      }),
    ).toBe('ete a b old eacute c d ee 1 2 f feature film 1999')
    expect(recordWords(index, { kind: 'gone' })).toBe('gone')
    expect(recordWords(index, {})).toBe('')
  })

  it('are as many as every database keeps', () => {
    const words = (title: string) => recordWords(index, { title }).split(' ')
    expect(words('the '.repeat(300) + 'end')).toEqual([...Array<string>(255).fill('the'), 'end'])
    expect(words(Array.from({ length: 20_000 }, (_, n) => n).join(' '))).toHaveLength(16_000)
    expect(recordWords(index, { title: 'äbcdefghij '.repeat(30_000) }).length).toBeLessThanOrEqual(250_000)
  })

  it('of a change are worked out when an indexed field changes; the rest is read when needed', async () => {
    let reads = 0
    const old = async () => {
      reads += 1
      return { title: 'old', plot: 'plot', kind: '', year: 1 }
    }
    expect(await withChangedWords(index, { note: 'x' }, old)).toEqual({ note: 'x' })
    const all = { title: 'a', plot: 'b', kind: '', year: null }
    expect(await withChangedWords(index, all, old)).toEqual({ ...all, idx_words: 'a b' })
    expect(reads).toBe(0)
    expect(await withChangedWords(index, { title: 'new' }, old)).toEqual({ title: 'new', idx_words: 'new plot 1' })
    expect(reads).toBe(1)
  })
})
