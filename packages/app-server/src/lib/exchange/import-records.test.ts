import { expect, test } from 'vitest'
import { createPrincipal, createRights } from '@steward/rest-core'
import type { BusinessObjects, Principal } from '@steward/rest-core'
import type { RestError } from '@steward/rest-core/errors'
import { allOf, boss, emptyService, pieces } from './exchange-for-test.js'
import type { Attachments } from './import-record.js'
import { importRecords } from './import-records.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'
import { readXml } from './read-xml.js'

interface Block {
  readonly name: string
  readonly action?: string
  readonly data: object
}

function load(
  service: BusinessObjects,
  blocks: readonly Block[],
  attachments?: Attachments,
  principal: Principal = boss,
) {
  return importRecords(service, principal, readJson(pieces(JSON.stringify(blocks)), { attachments }))
}

/** The texts of a refused import. */
async function refusal(run: Promise<unknown>): Promise<string[]> {
  const { messages, message } = await run.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: RestError) => error,
  )
  return messages.length > 0 ? messages.map(({ text }) => text) : [message]
}

const sf = { name: 'Genre', data: { gen_code: 'SF', gen_name: 'Science fiction' } }
const alien = { mov_code: 'ALIEN', mov_title: 'Alien', 'mov_genre_id.gen_code': 'SF', mov_year: '1979' }

test('records are created, found again by key, and changed only where they differ', async () => {
  const service = await emptyService()
  const blocks = [sf, { name: 'Movie', data: [alien] }]
  const one = { created: 0, updated: 0, deleted: 0, unchanged: 0 }
  expect(await load(service, blocks)).toEqual({ Genre: { ...one, created: 1 }, Movie: { ...one, created: 1 } })
  expect(await load(service, blocks)).toEqual({ Genre: { ...one, unchanged: 1 }, Movie: { ...one, unchanged: 1 } })
  expect(
    await load(service, [{ name: 'Movie', data: { mov_code: 'ALIEN', mov_year: 1980, mov_title: 'Alien' } }]),
  ).toEqual({
    Movie: { ...one, updated: 1 },
  })
  expect(await allOf(service, 'Movie')).toMatchObject([{ mov_title: 'Alien', mov_year: 1980, mov_state: 'draft' }])
  const gone = [{ name: 'Movie', action: 'delete', data: [{ mov_code: 'ALIEN' }, { mov_code: 'NONE' }] }]
  expect(await load(service, gone)).toEqual({ Movie: { ...one, deleted: 1, unchanged: 1 } })
})

test.each([
  ['JSON', (text: string) => readJson(pieces(`[{"name":"Genre","data":{"gen_code":"SF","${text}":"x"}}]`))],
  ['CSV', (text: string) => readCsv(pieces(`gen_code,${text}\nSF,x\n`), { object: 'Genre' })],
  [
    'XML',
    (text: string) =>
      readXml(
        pieces(
          `<objects><object><name>Genre</name><data><gen_code>SF</gen_code><${text}>x</${text}></data></object></objects>`,
        ),
      ),
  ],
])('%s: names that no object has are refused, also __proto__ and constructor', async (_name, read) => {
  const service = await emptyService()
  for (const text of ['nope', '__proto__', 'constructor']) {
    const texts = await refusal(importRecords(service, boss, read(text)))
    expect(texts.join()).toContain(`Object "Genre" has no field "${text}".`)
  }
  expect(await allOf(service, 'Genre')).toEqual([])
})

test('a record with thousands of names, or a name with many parts, is refused before work is done per name', async () => {
  const service = await emptyService()
  const names = Object.fromEntries(Array.from({ length: 4_001 }, (_, at) => [`u${at}`, 1]))
  expect((await refusal(load(service, [{ name: 'Genre', data: names }]))).join()).toContain(
    'The record has 4001 values, 4000 is the limit.',
  )
  const path = `gen_parent_id.${'gen_parent_id.'.repeat(300_000)}gen_code`
  expect((await refusal(load(service, [{ name: 'Genre', data: { [path]: 'x' } }]))).join()).toContain(
    'has more than 20 parts',
  )
})

test('insert refuses what is there, update what is not, and nothing of the file is kept', async () => {
  const service = await emptyService()
  await load(service, [sf])
  const drama = { name: 'Genre', data: { gen_code: 'DR' } }
  expect(await refusal(load(service, [drama, { ...sf, action: 'insert' }]))).toEqual([
    'record 2: Genre: Another record already has gen_code "SF".',
  ])
  expect(await refusal(load(service, [drama, { name: 'Movie', action: 'update', data: alien }]))).toEqual([
    'record 2: Movie: There is no Movie with mov_code "ALIEN" to update.',
  ])
  expect(await allOf(service, 'Genre')).toHaveLength(1)
})

test('all mistakes are reported with their places; what only follows from them is not', async () => {
  const service = await emptyService()
  const lines = [
    'mov_code,mov_title,mov_genre_id.gen_code,mov_year,wrong',
    'A,Alpha,SF,2000,',
    'b,,SF,1700,x',
    ',Gamma,SF,2000,',
    'D,Delta,NONE,2000,',
  ]
  await load(service, [sf])
  const records = readCsv(pieces(lines.join('\n')), { object: 'Movie', file: 'movies.csv' })
  expect(await refusal(importRecords(service, boss, records))).toEqual([
    'movies.csv, line 2: Movie: Object "Movie" has no field "wrong".',
    'movies.csv, line 3: Movie: Object "Movie" has no field "wrong".',
    'movies.csv, line 3: Movie: Field "mov_code" must match the pattern [A-Z0-9]+, not "b".',
    'movies.csv, line 3: Movie: Field "mov_title" is required.',
    'movies.csv, line 3: Movie: Field "mov_year" must be at least 1888, not 1700.',
    'movies.csv, line 4: Movie: Object "Movie" has no field "wrong".',
    'movies.csv, line 4: Movie: Field "mov_code" is required.',
  ])
  expect(await allOf(service, 'Movie')).toEqual([])
})

test('a column of the key that is misspelt is named beside the field that is missing', async () => {
  const service = await emptyService()
  const records = readCsv(pieces('Gen_Code,gen_name\nSF,x\n'), { object: 'Genre', file: 'genres.csv' })
  expect(await refusal(importRecords(service, boss, records))).toEqual([
    'genres.csv, line 2: Genre: Field "gen_code" is needed to find the record: it is part of the functional key.',
    'genres.csv, line 2: Genre: Object "Genre" has no field "Gen_Code".',
  ])
})

test('at most 100 messages are reported', async () => {
  const service = await emptyService()
  const data = Array.from({ length: 300 }, () => ({ gen_code: 'x'.repeat(30) }))
  expect(await refusal(load(service, [{ name: 'Genre', data }]))).toHaveLength(100)
})

test('references go by keys, through keys that hold references themselves', async () => {
  const service = await emptyService()
  const review = { 'rev_movie_id.mov_code': 'ALIEN', rev_author: 'ann', rev_text: 'good' }
  const answer = { ans_no: 1, 'ans_review_id.rev_movie_id.mov_code': 'ALIEN', 'ans_review_id.rev_author': 'ann' }
  const none = { ans_no: 2, 'ans_review_id.rev_movie_id.mov_code': '', 'ans_review_id.rev_author': '' }
  const blocks = [sf, { name: 'Movie', data: alien }, { name: 'Review', data: review }]
  await load(service, [...blocks, { name: 'Answer', data: [answer, none] }])
  const [{ ans_review_id: id }, second] = (await allOf(service, 'Answer')) as [Record<string, string>, object]
  expect(await service.get(boss, 'Review', id as string)).toMatchObject({ rev_text: 'good' })
  expect(second).toMatchObject({ ans_review_id: '' })
  const wrong = (values: object) => refusal(load(service, [{ name: 'Answer', data: { ans_no: 3, ...values } }]))
  expect(await wrong({ 'ans_review_id.rev_author': 'ann' })).toEqual([
    'record 1: Answer: The key of "Review" is not complete; give ans_review_id.rev_movie_id, ans_review_id.rev_author.',
  ])
  expect(await wrong({ 'ans_review_id.rev_text': 'x' })).toEqual([
    'record 1: Answer: "ans_review_id.rev_text" is not part of the functional key of "Review"; give ans_review_id.rev_movie_id, ans_review_id.rev_author.',
  ])
  expect(await wrong({ ...answer, ans_no: 4, 'ans_review_id.rev_author': 'bob' })).toEqual([
    'record 1: Answer: Field "ans_review_id": there is no Review with rev_movie_id.mov_code "ALIEN", rev_author "bob".',
  ])
  expect(await wrong({ 'ans_no.x': 1 })).toEqual([
    'record 1: Answer: "ans_no.x": "ans_no" is neither a reference nor a document.',
  ])
  expect(await wrong({ ans_review_id: '1', 'ans_review_id.rev_author': 'ann' })).toContain(
    'record 1: Answer: "ans_review_id" is given by row id and by key; give one of them.',
  )
})

test('a reference that may be empty may point at a record that comes later, or at the record itself', async () => {
  const service = await emptyService()
  const genre = { gen_code: 'A', gen_name: 'a', 'gen_parent_id.gen_code': 'B', 'gen_best_id.mov_code': 'ALIEN' }
  const self = { gen_code: 'SF', 'gen_parent_id.gen_code': 'SF' }
  const blocks = [
    { name: 'Genre', data: [genre, { gen_code: 'B' }, self] },
    { name: 'Movie', data: alien },
  ]
  expect(await load(service, blocks)).toMatchObject({ Genre: { created: 3, updated: 0 } })
  expect(await load(service, blocks)).toMatchObject({ Genre: { updated: 0, unchanged: 3 } })
  const [first, second, third] = (await allOf(service, 'Genre')) as Record<string, string>[]
  expect([first?.['gen_parent_id'], third?.['gen_parent_id']]).toEqual(['2', '3'])
  expect([first?.['gen_best_id'], second?.['gen_parent_id']]).toEqual(['1', ''])
  expect(await refusal(load(service, [{ name: 'Genre', data: { ...genre, 'gen_parent_id.gen_code': 'Z' } }]))).toEqual([
    'record 1: Genre: Field "gen_parent_id": there is no Genre with gen_code "Z".',
  ])
})

test('read-only fields, states and passwords are taken; an empty password keeps the one that is there', async () => {
  const service = await emptyService()
  const data = { ...alien, mov_state: 'public', mov_rank: 7, mov_pin: 'secret', mov_secret: 's', created_by: 'ann' }
  await load(service, [sf, { name: 'Movie', data }])
  expect(await service.get(boss, 'Movie', '1', { timestamps: true })).toMatchObject({
    mov_state: 'public',
    mov_rank: 7,
    created_by: 'ann',
  })
  const again = await load(service, [{ name: 'Movie', data: { mov_code: 'ALIEN', mov_pin: '', mov_state: 'public' } }])
  expect(again).toMatchObject({ Movie: { unchanged: 1 } })
})

test('documents come with their content, or from the ZIP; the same content again is not a change', async () => {
  const service = await emptyService()
  const attachments: Attachments = {
    read: async (path) => (path === 'd/a.txt' ? Buffer.from('hello') : undefined),
  }
  const movie = (values: object) => [sf, { name: 'Movie', data: { ...alien, ...values } }]
  const stored = async () =>
    (await service.get(boss, 'Movie', '1', { fields: ['mov_poster'], inlineDocuments: true }))['mov_poster']
  const outcome = async (values: object) =>
    Object.entries((await load(service, movie(values), attachments))['Movie'] ?? {}).find(
      ([, count]) => count === 1,
    )?.[0]
  expect(await outcome({ mov_poster: 'd/a.txt' })).toBe('created')
  expect(await stored()).toMatchObject({ name: 'a.txt', mime: 'text/plain', size: 5, content: 'aGVsbG8=' })
  expect(await outcome({ mov_poster: { name: 'a.txt', content: 'aGVsbG8=' } })).toBe('unchanged')
  expect(await outcome({ 'mov_poster.file': 'd/a.txt', 'mov_poster.name': 'b', 'mov_poster.mime': 'a/b' })).toBe(
    'updated',
  )
  expect(await stored()).toMatchObject({ name: 'b', mime: 'a/b' })
  expect(await outcome({})).toBe('unchanged')
  expect(await refusal(load(service, movie({ mov_poster: 'd/b.txt' }), attachments))).toEqual([
    'record 2: Movie: Field "mov_poster" refers to "d/b.txt", which is not in the ZIP.',
  ])
  expect(await refusal(load(service, movie({ mov_poster: 'd/a.txt' })))).toEqual([
    'record 2: Movie: Field "mov_poster" refers to "d/a.txt"; only a ZIP holds documents.',
  ])
  expect(await refusal(load(service, movie({ 'mov_poster.size': 1 }), attachments))).toEqual([
    'record 2: Movie: "mov_poster.size": a document has name, mime, and content or file.',
  ])
  expect(await outcome({ mov_poster: '' })).toBe('updated')
  expect(await stored()).toBe('')
})

test('objects without a functional key can only be inserted; unknown objects are refused', async () => {
  const service = await emptyService()
  const note = { name: 'Note', data: { not_text: 'x' } }
  expect(await refusal(load(service, [note]))).toEqual([
    'record 1: Note: "Note" has no functional key to find records by; use the action insert.',
  ])
  expect(await load(service, [{ ...note, action: 'insert' }])).toMatchObject({ Note: { created: 1 } })
  expect(await refusal(load(service, [{ name: 'Nothing', data: {} }]))).toEqual([
    'record 1: Nothing: Object "Nothing" does not exist, or you may not see it.',
  ])
})

test('a reference to a record that the user may not read is refused like one that is not there, by key and by row id', async () => {
  const service = await emptyService()
  await load(service, [sf, { name: 'Genre', data: { gen_code: 'OWN', gen_name: 'Own' } }])
  const hidden = await service.findByKey(boss, 'Genre', ['SF'])
  const grants = [
    { object: 'Movie', letters: 'CRU' },
    { object: 'Genre', letters: 'R', filter: "gen_code = 'OWN'" },
  ]
  const bob = createPrincipal({ login: 'bob', rights: createRights(service.model, grants, {}) })
  const movie = { mov_code: 'ALIEN', mov_title: 'Alien' }
  for (const [own, secret, none] of [
    [{ 'mov_genre_id.gen_code': 'OWN' }, { 'mov_genre_id.gen_code': 'SF' }, { 'mov_genre_id.gen_code': 'XX' }],
    [{}, { mov_genre_id: hidden }, { mov_genre_id: '999' }],
  ] as const) {
    const texts = (data: object) =>
      refusal(load(service, [{ name: 'Movie', data: { ...movie, ...data } }], undefined, bob))
    const [refused, missing] = [await texts(secret), await texts(none)]
    expect(missing).toHaveLength(1)
    expect(refused).toEqual(missing.map((text) => text.replace('XX', 'SF').replace('999', hidden)))
    if (Object.keys(own).length > 0)
      await load(service, [{ name: 'Movie', data: { ...movie, ...own } }], undefined, bob)
  }
})
