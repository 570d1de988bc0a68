import { expect, test } from 'vitest'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { loadRecords } from './load-records.js'

const model = createModel([{ name: 'Movie', fields: { mov_title: { type: 'string' } } }])
const header = '{"format":"steward-records","version":1,"application":{"name":"a","version":"1"}}'
const movie = '{"object":"Movie","fields":["row_id","mov_title"]}'
const row = '["1","Metropolis"]'
const end = '{"end":{"Movie":1}}'

async function load(...lines: string[]) {
  const store = createMemoryStore()
  const counts = await loadRecords({ model, store }, bytes(lines.join('\n')))
  return { counts, count: await store.count(model.object('Movie')) }
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'latin1')
}

test('a whole dump is loaded', async () => {
  expect(await load(header, movie, row, end)).toEqual({ counts: { Movie: 1 }, count: 1 })
  expect(await load(header, '{"end":{}}', '')).toMatchObject({ counts: {} })
})

test.each([
  ['nothing', [''], 'line 1'],
  ['no end', [header, movie, row], 'is incomplete'],
  ['half a line', [header, movie, row.slice(0, 7)], 'line 3'],
  ['another file', ['PK\u0003\u0004'], 'damaged'],
  ['other JSON', ['{"a":1}'], 'not a dump of records'],
  ['null', ['null'], 'not a dump of records'],
  ['another version', [header.replace('1', '9')], 'version 9'],
  ['fewer records than it says', [header, movie, row, '{"end":{"Movie":2}}'], 'it has 1 records of Movie'],
  ['an object less than it says', [header, movie, row, '{"end":{"Movie":1,"Actor":1}}'], 'it has no records of Actor'],
  ['an object more than it says', [header, movie, row, '{"end":{}}'], 'says that it has none'],
  ['something behind the end', [header, movie, row, end, row], 'after its end'],
  ['an unknown object', [header, movie.replace('Movie', 'Film'), row, end], 'no object "Film"'],
  ['an unknown field', [header, movie.replace('mov_title', 'x'), row, end], 'no field "x"'],
  ['an object twice', [header, movie, movie, row, end], 'comes twice'],
  ['no row ids', [header, '{"object":"Movie","fields":["mov_title"]}', '["x"]', end], 'no row ids'],
  ['an empty row id', [header, movie, '["","x"]', end], 'no row id'],
  ['a record of no object', [header, row, end], 'other fields'],
  ['a record with more fields', [header, movie, '["1","x","y"]', end], 'other fields'],
  ['a number', [header, movie, '7', end], 'neither an object nor a record'],
  ['bytes that are no UTF-8', [header, movie, '["1","\u00ff"]', end], 'not valid UTF-8'],
])('refuses a dump with %s', async (_what, lines, reason) => {
  await expect(load(...lines)).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    message: expect.stringContaining(reason),
  })
})

test('a store that cannot load or dump says so', async () => {
  const { load: _, ...store } = createMemoryStore()
  await expect(loadRecords({ model, store }, bytes(header))).rejects.toMatchObject({ code: 'internal' })
})
