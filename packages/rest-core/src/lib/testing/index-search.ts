import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { indexWords } from '../index-search/index-words.js'
import { parseIndexText } from '../index-search/parse-index-text.js'
import { createModel } from '../model/create-model.js'
import type { IndexHit, IndexQuery, StoreSession } from '../store.js'
import { core } from './core.js'
import { expectStoreError } from './failures.js'
import { everything } from './reading.js'
import { schemaTools } from './schema-tools.js'
import { useStore, type StoreFactory } from './store-under-test.js'

const model = createModel([
  {
    name: 'Shelf',
    table: 'idx_shelf',
    timestamps: false,
    fields: { shl_name: { type: 'string', length: 50, key: true } },
  },
  {
    name: 'Book',
    table: 'idx_book',
    timestamps: false,
    indexable: ['boo_title'],
    fields: {
      boo_title: { type: 'text' },
      boo_year: { type: 'integer' },
      boo_shelf: { type: 'reference', object: 'Shelf', display: ['shl_name'], onDelete: 'cascade' },
    },
  },
])
const shelf = model.object('Shelf')
const book = model.object('Book')
const select = everything(book)

/** Titles by a short name; each name says what finds the book. */
const titles = {
  short: 'A 42 is the answer',
  stop: 'The who',
  accents: 'Émile à la Crème: İstanbul, Ödön & Straße',
  greek: 'ΛΟΓΟΣ και μύθος',
  cyrillic: 'Война и мир',
  hebrew: 'שלום עולם',
  arabic: 'ألف ليلة وليلة',
  hindi: 'हिन्दी भाषा',
  han: '東京物語',
  kana: 'カタカナとひらがな',
  hangul: '한국어 사전',
  thai: 'ภาษาไทย',
  gothic: '\u{10330}\u{10331}\u{10332} ab\u{10330}',
  deseret: '\u{10400}\u{10401}',
  digits: '٤٢ ½ ①',
  long: `${'x'.repeat(79)}yz end`,
  wars: 'Star Wars: a new hope',
  warsTwice: 'Star Wars, star wars',
  trek: 'Star Trek wars',
  quotes: `It's "quoted" -- star* (x) +y ~z @1 <b> \\ ' ; drop table idx_book`,
  empty: '',
}
type Name = keyof typeof titles

export function testIndexSearch(factory: StoreFactory): void {
  describe('index search', core(), () => {
    const used = useStore(factory, model)
    const ids = new Map<string, Name>()

    beforeEach(({ skip }) => {
      if (!used.store.capabilities.indexSearch) skip(`${used.store.capabilities.name} has no index search`)
    })

    beforeAll(async () => {
      if (!used.store.capabilities.indexSearch) return
      await used.store.transaction(async (session) => {
        for (const [at, name] of (Object.keys(titles) as Name[]).entries())
          ids.set((await insert(session, titles[name], { boo_year: 2000 + at })).row_id, name)
      })
    })

    function insert(session: StoreSession, title: string, values = {}) {
      return session.insert(book, { boo_title: title, idx_words: indexWords(title), ...values }, select)
    }

    function search(text: string, query: Partial<IndexQuery> = {}, session: StoreSession = used.store) {
      return session.searchIndex(book, { select, terms: parseIndexText(text), ...query })
    }

    function namesOf(hits: readonly IndexHit[]): string[] {
      return hits.map(({ record }) => ids.get(record.row_id) ?? String(record['boo_title']))
    }

    async function found(text: string, session: StoreSession = used.store): Promise<string[]> {
      const terms = parseIndexText(text)
      const names = namesOf(await session.searchIndex(book, { select, terms })).toSorted()
      expect(await session.countIndex(book, { terms }), text).toBe(names.length)
      return names
    }

    test.for<[text: string, ...names: Name[]]>([
      ['answer', 'short'],
      ['ANSWER', 'short'],
      ['answe'],
      ['nswer'],
      ['a', 'short', 'accents', 'wars'],
      ['42', 'short'],
      ['4'],
      ['4*', 'short'],
      ['the', 'short', 'stop'],
      ['who the', 'stop'],
      ['the answer 42', 'short'],
      ['the answer 43'],
      ['emile', 'accents'],
      ['ÉMILE e\u0301mi*', 'accents'],
      ['creme istanbul', 'accents'],
      ['İSTANBUL ıstanbul', 'accents'],
      ['odon STRASSE straße', 'accents'],
      ['λογος', 'greek'],
      ['λόγος ΜΎΘΟΣ', 'greek'],
      ['λογοσ*', 'greek'],
      ['мир', 'cyrillic'],
      ['ВОЙ*', 'cyrillic'],
      ['"и мир"', 'cyrillic'],
      ['שלום', 'hebrew'],
      ['ليلة', 'arabic'],
      ['भाषा', 'hindi'],
      ['東京', 'han'],
      ['京物', 'han'],
      ['京東'],
      ['カナ', 'kana'],
      ['ひらがな', 'kana'],
      ['한국어', 'hangul'],
      ['한국*', 'hangul'],
      ['ไทย', 'thai'],
      ['\u{10330}\u{10331}\u{10332}', 'gothic'],
      ['\u{10330}\u{10331}'],
      ['\u{10330}*', 'gothic'],
      ['ab'],
      ['ab* \u{10330}\u{10331}\u{10332}', 'gothic'],
      ['\u{10428}\u{10429}', 'deseret'],
      ['"٤٢ 1"', 'digits'],
      [`${'x'.repeat(79)}y`, 'long'],
      [`${'x'.repeat(79)}yabc`, 'long'],
      ['x'.repeat(79)],
      ['xx* end', 'long'],
      ['wars star', 'wars', 'warsTwice', 'trek'],
      ['"star wars"', 'wars', 'warsTwice'],
      ['"wars star"', 'warsTwice'],
      ['"star war*"', 'wars', 'warsTwice'],
      ['"star tr*" wars', 'trek'],
      ['"wars a new" hop*', 'wars'],
      ['"a hope"'],
      ['star:wars', 'wars', 'warsTwice'],
      [`it's`, 'quotes'],
      ['"quoted star" "drop table"', 'quotes'],
    ])('%s finds %s', async ([text, ...names]) => {
      expect(await found(text)).toStrictEqual(names.toSorted())
    })

    test.for([
      `answer') or 1=1 --`,
      `answer" OR "mir`,
      `answer' | 'mir`,
      'answer NOT mir',
      'answer OR mir',
      '-answer',
      '+answer ~mir',
      'boo_title:answer',
      'idx_words : answer',
      'NEAR(answer mir, 5)',
      'answer & !mir',
      'answer <-> mir',
      'answer:*A',
      '>answer <mir',
      '@1 answer',
      '{answer}',
      '^answer',
      '%',
      'answer\\',
      '\\" answer',
      '$1 ? :x @y',
    ])('%s is words and nothing else', async (text) => {
      let terms
      try {
        terms = parseIndexText(text)
      } catch {
        return
      }
      const words = terms.flatMap((term) => term.words)
      const expected = Object.entries(titles).filter(([, title]) => {
        const there = ` ${indexWords(title)} `
        return terms.every((term) => there.includes(` ${term.words.join(' ')}${term.prefix ? '' : ' '}`))
      })
      expect(words.length).toBeGreaterThan(0)
      expect(await found(text)).toStrictEqual(expected.map(([name]) => name).toSorted())
    })

    test('answers the selected fields, joined ones too, and never the words', async () => {
      const { row_id: boo_shelf } = await used.store.insert(shelf, { shl_name: 'joined' }, shelf.selection)
      const record = await insert(used.store, 'selected wholly', { boo_shelf })
      expect(record).not.toHaveProperty('idx_words')
      expect(await search('wholly')).toStrictEqual([{ record, score: expect.any(Number) }])
      expect(record).toMatchObject({ boo_shelf__shl_name: 'joined' })
      const [hit] = await search('wholly', { select: book.select(['boo_title']) })
      expect(hit?.record).toStrictEqual({ row_id: record.row_id, boo_title: 'selected wholly' })
    })

    test('also matches a filter, on linked objects too', async () => {
      const { row_id: boo_shelf } = await used.store.insert(shelf, { shl_name: 'filtered' }, shelf.selection)
      await insert(used.store, 'filtered one', { boo_shelf, boo_year: 1 })
      await insert(used.store, 'filtered two', { boo_year: 2 })
      const where = { op: '=', field: 'boo_year', value: 2 } as const
      const joined = { op: '=', field: 'boo_shelf__shl_name', value: 'filtered' } as const
      expect(namesOf(await search('filtered', { where }))).toStrictEqual(['filtered two'])
      expect(namesOf(await search('filtered', { where: joined }))).toStrictEqual(['filtered one'])
      expect(namesOf(await search('"filtered o*"', { where: joined, limit: 5, offset: 0 }))).toStrictEqual([
        'filtered one',
      ])
      expect(await used.store.countIndex(book, { terms: parseIndexText('filtered'), where: joined })).toBe(1)
    })

    test('best first: the oftener a word, the better; equal ones by row id; pages together hold all once', async () => {
      const other = 'filler '.repeat(3)
      const texts = ['ranked', ...Array<string>(4).fill(`ranked ${other}`), `ranked ranked ranked ${other}`]
      for (const text of texts) await insert(used.store, text.trim())
      const all = await search('ranked')
      const scores = all.map(({ score }) => score)
      expect(scores).toStrictEqual(scores.toSorted((a, b) => b - a))
      expect(all).toHaveLength(texts.length)
      for (const score of scores) expect(score).toBeGreaterThan(0)
      const places = all.map(({ record }) => record['boo_title'])
      expect(places.indexOf(texts[5]?.trim())).toBeLessThan(places.indexOf(texts[1]?.trim()))
      const equal = all.filter(({ record }) => record['boo_title'] === texts[1]?.trim())
      expect(new Set(equal.map(({ score }) => score)).size).toBe(1)
      const order = equal.map(({ record }) => Number(record.row_id))
      expect(order).toStrictEqual(order.toSorted((a, b) => a - b))
      const pages = []
      for (let offset = 0; offset < 8; offset += 2) pages.push(...(await search('ranked', { limit: 2, offset })))
      expect(pages).toStrictEqual(all)
      expect(await search('ranked', { offset: 4 })).toStrictEqual(all.slice(4))
    })

    test('follows updates and deletes, cascades too', async () => {
      const { row_id } = await insert(used.store, 'before everything')
      expect(await found('before')).toHaveLength(1)
      await used.store.update(book, row_id, { boo_title: 'after all', idx_words: 'after all' }, { select })
      expect([await found('before'), await found('after')]).toStrictEqual([[], ['after all']])
      await used.store.update(book, row_id, { boo_year: 7 }, { select })
      expect(await found('after')).toStrictEqual(['after all'])
      await used.store.update(book, row_id, { idx_words: '' }, { select })
      expect(await found('after')).toStrictEqual([])
      await used.store.update(book, row_id, { idx_words: 'again' }, { select })
      expect(await found('again')).toHaveLength(1)
      expect(await used.store.delete(book, row_id)).toBe(true)
      expect(await found('again')).toStrictEqual([])

      const { row_id: boo_shelf } = await used.store.insert(shelf, { shl_name: 'cascade' }, shelf.selection)
      await insert(used.store, 'cascading away', { boo_shelf })
      expect(await found('cascading')).toHaveLength(1)
      await used.store.delete(shelf, boo_shelf)
      expect(await found('cascading')).toStrictEqual([])
    })

    test('a transaction finds what it wrote, others when it has ended', async () => {
      const { row_id } = await insert(used.store, 'committed earlier')
      await used.store.transaction(async (session) => {
        await insert(session, 'uncommitted fresh words')
        await session.update(book, row_id, { idx_words: 'committed changed' }, { select })
        expect(await found('uncommitted', session)).toHaveLength(1)
        expect(await found('"fresh wor*" uncommitted', session)).toHaveLength(1)
        expect(await found('"words fresh"', session)).toHaveLength(0)
        expect(await found('committed changed', session)).toHaveLength(1)
        expect(await found('committed earlier', session)).toHaveLength(0)
        expect(await search('uncommitted', { limit: 1, offset: 1 }, session)).toStrictEqual([])
      })
      expect([await found('uncommitted'), await found('changed')].map(({ length }) => length)).toStrictEqual([1, 1])
    })

    test('a transaction that is undone leaves no words', async () => {
      const { row_id } = await insert(used.store, 'undone never')
      let outside: Promise<string[]>[] = []
      const attempt = used.store.transaction(async (session) => {
        await insert(session, 'rolled back')
        await session.update(book, row_id, { idx_words: 'rolled too' }, { select })
        expect(await found('rolled', session)).toHaveLength(2)
        // Not awaited: a store may let readers wait for the end of the transaction.
        outside = [found('rolled'), found('undone')]
        throw new Error('stop')
      })
      await expect(attempt).rejects.toThrow('stop')
      expect(await Promise.all(outside)).toStrictEqual([[], ['undone never']])
      expect([await found('rolled'), await found('undone')]).toStrictEqual([[], ['undone never']])
    })

    test('words that are read are those that were written', async () => {
      const { index } = book
      if (!index) throw new Error('Book has an index.')
      const words = { object: book, key: 'words', fields: [book.id, index.words] }
      for (const title of [...Object.values(titles), 'a b a b a', 'the end '.repeat(100).trim()]) {
        const { row_id } = await insert(used.store, title)
        expect(await used.store.get(book, row_id, { select: words })).toStrictEqual({
          row_id,
          idx_words: indexWords(title),
        })
        await used.store.delete(book, row_id)
      }
    })

    test('an object without an index is refused', async () => {
      const terms = parseIndexText('a')
      await expectStoreError('internal', used.store.searchIndex(shelf, { select: shelf.selection, terms }))
      await expectStoreError('internal', used.store.countIndex(shelf, { terms }))
    })

    describe('in tables', () => {
      const { makeTable, expectSynced } = schemaTools(used)
      const fields = { name: { type: 'string' } } as const

      beforeEach(({ skip }) => {
        if (!used.store.capabilities.migrations) skip(`${used.store.capabilities.name} has no tables`)
      })
      afterEach(async () => {
        // What other objects have is not touched by what happens to these.
        expect(await found('who the')).toStrictEqual(['stop'])
      })

      test('is made, added to rows that are there, taken away and dropped', async () => {
        const { define, thing, insert: insertThing, rows } = makeTable()
        const [plain, indexed] = [define(fields), define(fields, undefined, { indexable: true })]
        await used.store.sync(plain)
        const { row_id } = await insertThing(plain, { name: 'old' })
        const plan = await expectSynced(indexed, ['addColumn', 'addIndex'])
        expect(plan.steps.map(({ column }) => column)).toStrictEqual(['idx_words', 'idx_words'])

        const object = thing(indexed)
        const find = async (text: string) =>
          (await used.store.searchIndex(object, { select: object.selection, terms: parseIndexText(text) })).map(
            ({ record }) => record['name'],
          )
        expect(await find('old')).toStrictEqual([])
        await used.store.update(object, row_id, { idx_words: 'old' }, { select: object.selection })
        await used.store.insert(object, { name: 'new', idx_words: 'new' }, object.selection)
        expect([await find('old'), await find('new')]).toStrictEqual([['old'], ['new']])

        const { leftover } = await expectSynced(plain, ['dropIndex'])
        expect(leftover).toStrictEqual([{ table: object.table, column: 'idx_words' }])
        await insertThing(plain, { name: 'between' })
        await expectSynced(indexed, ['addIndex'])
        expect([await find('old'), await find('between')]).toStrictEqual([['old'], []])

        await used.store.sync(plain, { destructive: true })
        expect(await used.store.plan(plain)).toStrictEqual({ steps: [], leftover: [] })
        expect(await rows(plain)).toHaveLength(3)
        await expectSynced(indexed, ['addColumn', 'addIndex'])
        expect(await find('old')).toStrictEqual([])
      })

      test('goes along when a table is renamed, a column changes, a reference is added', async () => {
        const { name, table, define, thing } = makeTable()
        const before = define({ name: { type: 'string', length: 100 } }, undefined, { indexable: true })
        await used.store.sync(before)
        const add = (given: typeof before, text: string) =>
          used.store.insert(thing(given), { name: text, idx_words: text }, thing(given).selection)
        await add(before, 'first')
        const changed = define(
          { name: { type: 'string', length: 200 }, own: { type: 'reference', object: name } },
          undefined,
          { indexable: ['name'] },
        )
        await expectSynced(changed)
        await add(changed, 'second')
        const shorter = define(
          { name: { type: 'string', length: 50 }, own: { type: 'reference', object: name } },
          undefined,
          {
            indexable: ['name'],
          },
        )
        await used.store.sync(shorter, { destructive: true })
        await add(shorter, 'third')
        const after = define({ name: { type: 'string', length: 50 } }, undefined, {
          name: `${name}New`,
          renamedFrom: table,
          indexable: ['name'],
        })
        await expectSynced(after)
        await add(after, 'fourth')
        const object = thing(after)
        for (const text of ['first', 'second', 'third', 'fourth'])
          expect(await used.store.countIndex(object, { terms: parseIndexText(text) }), text).toBe(1)
      })

      test('finds rows of tables with ids of their own, best first, then by these', async () => {
        const { define, thing } = makeTable()
        const given = define(
          { row_id: { type: 'id', values: 'string', column: 'code', readOnly: false }, ...fields },
          undefined,
          { indexable: true },
        )
        await expectSynced(given)
        const object = thing(given)
        for (const row_id of ['b', 'C', 'a', 'é'])
          await used.store.insert(object, { row_id, name: 'same', idx_words: 'same' }, object.selection)
        const query = { select: object.selection, terms: parseIndexText('same') }
        const ids = (hits: readonly IndexHit[]) => hits.map(({ record }) => record.row_id)
        expect(ids(await used.store.searchIndex(object, query))).toStrictEqual(['C', 'a', 'b', 'é'])
        expect(ids(await used.store.searchIndex(object, { ...query, limit: 2, offset: 1 }))).toStrictEqual(['a', 'b'])
        const where = { op: '<>', field: 'row_id', value: 'a' } as const
        expect(await used.store.countIndex(object, { terms: query.terms, where })).toBe(3)
        await used.store.delete(object, 'b')
        expect(await used.store.countIndex(object, { terms: query.terms })).toBe(3)
      })

      test('is a StoreError "schema" where sync has not been', async () => {
        const { define, thing } = makeTable()
        const object = thing(define(fields, undefined, { indexable: true }))
        const query = { select: object.selection, terms: parseIndexText('a') }
        await expectStoreError('schema', used.store.searchIndex(object, query))
        await expectStoreError('schema', used.store.countIndex(object, query))
      })
    })
  })
}
