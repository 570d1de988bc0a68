import { expect, test } from 'vitest'
import type { FilterTexts } from './business-objects.js'
import { Movie, boss, collect, createService } from './fixture-for-test.js'

async function filled(count = 5) {
  const parts = createService()
  const genre = await parts.service.create(boss, 'Genre', { gen_code: 'SF', gen_name: 'Science fiction' })
  for (let at = 1; at <= count; at++) {
    await parts.service.create(at % 2 ? boss : { ...boss, login: 'other' }, Movie, {
      mov_code: `M${at}`,
      mov_title: `Movie ${at}`,
      mov_year: 2000 + at,
      mov_genre_id: at === 1 ? genre.row_id : '',
    })
  }
  const codes = async (...search: Parameters<typeof parts.service.search>) =>
    (await collect((await parts.service.search(...search)) as never)).map((record) => record['mov_code'])
  return { ...parts, codes }
}

test('search() filters by texts, sorts and pages with a stable order', async () => {
  const { codes } = await filled()
  expect(await codes(boss, 'Movie')).toEqual(['M1', 'M2', 'M3', 'M4', 'M5'])
  expect(await codes(boss, 'Movie', { filters: { mov_year: '2002;2004', mov_owner: 'boss' } })).toEqual(['M3'])
  expect(await codes(boss, 'Movie', { filters: { mov_code: ['M1', 'M5'] } })).toEqual(['M1', 'M5'])
  expect(await codes(boss, 'Movie', { filters: { mov_genre_id__gen_code: 'S%' } })).toEqual(['M1'])
  expect(await codes(boss, 'Movie', { order: [{ field: 'mov_owner', descending: true }], page: 0 })).toEqual([
    'M2',
    'M4',
  ])
  expect(await codes(boss, 'Movie', { order: [{ field: 'mov_owner', descending: true }], page: 1 })).toEqual([
    'M1',
    'M3',
  ])
  expect(await codes(boss, 'Movie', { page: 1, pageSize: 3 })).toEqual(['M4', 'M5'])
  expect(await codes(boss, 'Movie', { page: 9 })).toEqual([])
})

test('count() numbers pages from 0', async () => {
  const { service } = await filled()
  expect(await service.count(boss, Movie)).toEqual({ count: 5, page: 0, maxpage: 2, pagesize: 2 })
  expect(await service.count(boss, Movie, { filters: { mov_code: 'none' } })).toEqual({
    count: 0,
    page: 0,
    maxpage: 0,
    pagesize: 2,
  })
})

test('chosen fields come in the chosen order after the row id', async () => {
  const { service } = await filled(1)
  const [record] = await collect(
    await service.search(boss, 'Movie', { fields: ['mov_genre_id__gen_name', 'mov_code'] }),
  )
  expect(Object.keys(record ?? {})).toEqual(['row_id', 'mov_genre_id__gen_name', 'mov_code'])
})

test.each([
  [{ page: -1 }, 'The page must be'],
  [{ page: 1.5 }, 'The page must be'],
  [{ page: 0, pageSize: 0 }, 'The page size must be'],
  [{ page: 0, pageSize: 1001 }, 'The page size must be'],
  [{ filters: { nothing: 'x' } }, 'has no field "nothing"'],
  [{ filters: { mov_pin: 'x' } }, 'has no field "mov_pin"'],
  [{ filters: { mov_secret: 'x' } }, 'has no field "mov_secret"'],
  [{ filters: { mov_year: 'late' } }, 'mov_year'],
  [{ order: [{ field: 'mov_pin', descending: false }] }, 'has no field "mov_pin"'],
  [{ fields: ['mov_secret'] }, 'has no field "mov_secret"'],
  [{ filters: { op: 'and', terms: 'x' } }, 'has no field "op"'],
])('search() refuses %j before any row', async (request, text) => {
  const { service } = await filled(1)
  await expect(service.search(boss, 'Movie', request)).rejects.toThrow(text)
})

test('a user sees, filters, sorts and changes granted rows and fields only', async () => {
  const { service, codes, user } = await filled()
  const reader = user('other', [
    { object: 'Movie', letters: 'RU', filter: 'mov_owner = [LOGIN]', hidden: ['mov_year'] },
    { object: 'Genre', letters: 'R', hidden: ['gen_name'] },
  ])
  expect(await codes(reader, 'Movie')).toEqual(['M2', 'M4'])
  expect((await service.count(reader, Movie)).count).toBe(2)
  const [own] = await collect(await service.search(reader, 'Movie', { fields: ['mov_code'] }))
  const [foreign] = await collect(await service.search(boss, 'Movie', { fields: ['mov_code'] }))
  const seen = await service.get(reader, 'Movie', own?.row_id ?? '')
  expect(seen).not.toHaveProperty('mov_year')
  expect(seen).not.toHaveProperty('mov_genre_id__gen_name')
  expect(seen).toHaveProperty('mov_genre_id__gen_code')
  for (const filters of [
    { mov_year: '2002' },
    { mov_year: 'no year' },
    { mov_genre_id__gen_name: 'x' },
  ] as FilterTexts[]) {
    await expect(service.search(reader, 'Movie', { filters })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      messages: [{ code: 'ERR_UNKNOWN_FIELD' }],
    })
  }
  await expect(service.update(reader, 'Movie', own?.row_id ?? '', { mov_year: 1999 })).rejects.toMatchObject({
    messages: [{ code: 'ERR_UNKNOWN_FIELD' }],
  })
  await expect(service.get(reader, 'Movie', foreign?.row_id ?? '')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(service.update(reader, 'Movie', foreign?.row_id ?? '', { mov_title: 'x' })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
  await expect(service.update(reader, 'Movie', own?.row_id ?? '', { mov_owner: 'boss' })).rejects.toMatchObject({
    code: 'ERR_RIGHT',
  })
  expect(await service.update(reader, 'Movie', own?.row_id ?? '', { mov_title: 'Mine' })).toMatchObject({
    mov_title: 'Mine',
  })
  await expect(service.create(reader, 'Movie', { mov_code: 'N', mov_title: 'N' })).rejects.toMatchObject({
    code: 'ERR_RIGHT',
  })
  await expect(service.delete(reader, 'Movie', own?.row_id ?? '')).rejects.toMatchObject({ code: 'ERR_RIGHT' })
  await expect(service.search(reader, 'Review')).rejects.toMatchObject({ code: 'ERR_RIGHT' })
})

test('several grants unite: rows of any of them, fields that one of them shows', async () => {
  const { codes, service, user } = await filled()
  const reader = user('r', [
    { object: 'Movie', letters: 'R', filter: "mov_code = 'M1'", hidden: ['mov_year', 'mov_title'] },
    { object: 'Movie', letters: 'R', filter: "mov_code <> 'none'", hidden: ['mov_year'] },
  ])
  expect(await codes(reader, 'Movie')).toHaveLength(5)
  const [record] = await collect(await service.search(reader, 'Movie'))
  expect(record).toHaveProperty('mov_title')
  expect(record).not.toHaveProperty('mov_year')
})

test('an unknown object is not found', async () => {
  const { service } = createService()
  await expect(service.search(boss, 'Nothing')).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
    message: expect.stringContaining('"Nothing"'),
  })
  await expect(service.search(boss, '__proto__')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test("relative dates of a filter follow the service's clock", async () => {
  const { codes } = await filled()
  // Movies are of 2026-05-06, the day of the clock.
  expect(await codes(boss, 'Movie', { filters: { mov_since: '[DATE]' } })).toHaveLength(5)
  expect(await codes(boss, 'Movie', { filters: { mov_since: '>[DATE:-1d]' } })).toHaveLength(5)
  expect(await codes(boss, 'Movie', { filters: { mov_since: '>[DATE]' } })).toHaveLength(0)
})
