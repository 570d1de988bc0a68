import { expect, it } from 'vitest'
import { liveRecord, nextLive, type LiveRecord, type LiveStep } from './live.js'

const opened = liveRecord({ name: 'A', note: 'old', stock: 1 }, '1')
const second = { login: 'second' }
const after = (...steps: LiveStep[]): LiveRecord => steps.reduce(nextLive, opened)
const read = (etag: string, record: object, author?: { login: string | undefined }): LiveStep => ({
  kind: 'read',
  etag,
  record: { ...opened.record, ...record },
  author,
})
const saved = (record: object): LiveStep => ({ kind: 'saved', record: { ...opened.record, ...record } })
const told = ({ theirs, last }: LiveRecord) => [[...theirs].map(([name, { login }]) => `${login} ${name}`), last?.login]

it("nextLive() of another user's change names the user and the fields", () => {
  expect(told(after(read('2', { stock: 2, note: 'new' }, second)))).toEqual([['second note', 'second stock'], 'second'])
})

it("nextLive() of this user's own change says nothing, in whatever order event and answer come", () => {
  const mine = read('2', { name: 'B' })
  for (const steps of [
    [saved({ name: 'B' }), mine, mine],
    [mine, saved({ name: 'B' }), mine],
  ])
    expect(told(after(...steps))).toEqual([[], undefined])
})

it('nextLive() of a read after a save that another user changed before names that user once the event comes', () => {
  const both = { name: 'B', note: 'theirs' }
  const quiet = after(saved({ name: 'B' }), read('3', both), read('3', both))
  expect([told(quiet), [...quiet.unclear]]).toEqual([[[], undefined], ['note']])
  expect(told(nextLive(quiet, read('3', both, second)))).toEqual([['second note'], 'second'])
})

it('nextLive() of an event whose read has the next change already names both, one after the other', () => {
  const first = after(saved({ name: 'B' }), read('3', { name: 'B', note: 'theirs' }))
  const ahead = nextLive(first, read('4', { name: 'B', note: 'theirs', stock: 2 }, second))
  expect(told(ahead)).toEqual([['second stock'], 'second'])
  const third = nextLive(ahead, read('4', { name: 'B', note: 'theirs', stock: 2 }, { login: 'third' }))
  expect(told(third)).toEqual([['second stock', 'third note'], 'third'])
})

it('nextLive() of a save and of a closed notice starts from what the record is then', () => {
  const theirs = read('2', { note: 'theirs' }, second)
  expect(told(after(theirs, saved({ note: 'theirs', name: 'B' })))).toEqual([[], undefined])
  const closed = after(theirs, { kind: 'closed' })
  expect(told(closed)).toEqual([[], undefined])
  expect(told(nextLive(closed, read('3', { note: 'theirs', stock: 2 }, second)))).toEqual([['second stock'], 'second'])
})

it('nextLive() of a change without a login and of a deletion says that someone did it', () => {
  const anonymous = { login: undefined }
  expect(after(read('2', { stock: 2 }, anonymous)).last).toBe(anonymous)
  const gap = after(read('2', { note: 'theirs' }), read('3', { note: 'theirs', stock: 2 }, anonymous))
  expect([...gap.theirs.keys()]).toEqual(['note', 'stock'])
  expect(after({ kind: 'gone', author: second })).toMatchObject({ isGone: true, last: second })
})
