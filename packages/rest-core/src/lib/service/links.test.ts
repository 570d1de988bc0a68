import { describe, expect, test } from 'vitest'
import { describeService } from '../documentation/describe-service.js'
import { objectMetadata } from '../metadata/object-metadata.js'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createRights, type GrantData } from '../rights/create-rights.js'
import { createPrincipal } from '../rights/principal.js'
import type { Query } from '../store.js'
import { createBusinessObjects } from './create-business-objects.js'
import { Genre, Movie, Review, boss, collect, createService } from './fixture-for-test.js'

const movies: GrantData = { object: 'Movie', letters: 'CRU' }
const openGenres: GrantData = { object: 'Genre', letters: 'R', filter: "gen_code = 'open'" }

async function filled(hooks: Parameters<typeof createService>[0] = {}) {
  const parts = createService(hooks)
  const { service } = parts
  const open = await service.create(boss, 'Genre', { gen_code: 'open', gen_name: 'Open' })
  const shut = await service.create(boss, 'Genre', { gen_code: 'shut', gen_name: 'Shut' })
  const alien = await service.create(boss, 'Movie', {
    mov_code: 'ALIEN',
    mov_title: 'Alien',
    mov_year: 1979,
    mov_genre_id: shut.row_id,
  })
  return { ...parts, open: open.row_id, shut: shut.row_id, alien: alien.row_id }
}

describe('references', () => {
  test('may be sent back unchanged, and changed to what the user may read', async () => {
    const { service, user, open, shut, alien } = await filled()
    const bob = user('bob', [movies, openGenres])
    const record = await service.get(bob, 'Movie', alien)
    expect(record).toMatchObject({ mov_genre_id: shut, mov_genre_id__gen_name: '' })
    const changed = await service.update(bob, 'Movie', alien, { ...record, mov_year: 1980 })
    expect(changed).toMatchObject({ mov_year: 1980, mov_genre_id: shut, mov_genre_id__gen_name: '' })
    const moved = await service.update(bob, 'Movie', alien, { mov_genre_id: open })
    expect(moved).toMatchObject({ mov_genre_id__gen_name: 'Open' })
    await expect(service.update(bob, 'Movie', alien, { mov_genre_id: shut })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      messages: [
        {
          code: 'ERR_REFERENCE',
          field: 'mov_genre_id',
          text: `Field "mov_genre_id" refers to Genre "${shut}", which does not exist.`,
        },
      ],
    })
  })

  test('to what the user may not read are not reported as unchanged where the user may not read the record', async () => {
    const { service, user, open, shut, alien } = await filled()
    const writer = user('w', [{ object: 'Movie', letters: 'U' }])
    const texts = await Promise.all(
      [open, shut].map((id) => service.update(writer, 'Movie', alien, { mov_genre_id: id }).catch(String)),
    )
    expect(texts.map((text) => String(text).replace(/"\d+"/, 'id'))).toStrictEqual(
      [texts[0], texts[0]].map((text) => String(text).replace(/"\d+"/, 'id')),
    )
    expect(String(texts[0])).toContain('which does not exist')
  })

  test('that hooks set are not asked about', async () => {
    const parts = await filled({
      Movie: {
        initCreate({ values }) {
          values['mov_genre_id'] = '2'
        },
      },
    })
    const bob = parts.user('bob', [movies, openGenres])
    const made = await parts.service.create(bob, 'Movie', { mov_code: 'X', mov_title: 'X', mov_genre_id: '1' })
    expect(made).toMatchObject({ mov_genre_id: '2', mov_genre_id__gen_name: '' })
  })

  test('to an object with public display are set, shown and filtered whatever the rights on it, but for hidden fields', async () => {
    const model = createModel([{ ...Genre, display: 'public' }, Movie, Review])
    const service = createBusinessObjects({ model, store: createMemoryStore(), documents: {} as never })
    const { row_id: id } = await service.create(boss, 'Genre', { gen_code: 'SF', gen_name: 'Science fiction' })
    const userWith = (...grants: GrantData[]) =>
      createPrincipal({ login: 'bob', rights: createRights(model, [movies, ...grants], {}) })
    const without = userWith()
    const withFilter = userWith({ object: 'Genre', letters: 'R', filter: "gen_code = 'none'" })
    for (const [code, bob] of [
      ['M1', without],
      ['M2', withFilter],
    ] as const) {
      const made = { mov_code: code, mov_title: 'Alien', mov_genre_id: id }
      expect(await service.create(bob, 'Movie', made)).toMatchObject({ mov_genre_id__gen_name: 'Science fiction' })
      const filters = { mov_genre_id__gen_code: 'SF' }
      expect(await collect(await service.search(bob, 'Movie', { filters }))).not.toHaveLength(0)
      await expect(service.get(bob, 'Genre', id)).rejects.toMatchObject({ status: expect.any(Number) as number })
    }
    const blind = userWith({ object: 'Genre', letters: 'U', hidden: ['gen_name'] })
    const [record] = await collect(await service.search(blind, 'Movie'))
    expect(record).toHaveProperty('mov_genre_id__gen_code')
    expect(record).not.toHaveProperty('mov_genre_id__gen_name')
  })

  test('from several records of an import or batch see those that were made before', async () => {
    const { service, user } = await filled()
    const bob = user('bob', [movies, { object: 'Genre', letters: 'CR', filter: 'created_by = [LOGIN]' }])
    const made = await service.transaction(async (inside) => {
      const { row_id: id } = await inside.create(bob, 'Genre', { gen_code: 'mine', gen_name: 'Mine' })
      return inside.create(bob, 'Movie', { mov_code: 'M', mov_title: 'M', mov_genre_id: id })
    })
    expect(made).toMatchObject({ mov_genre_id__gen_name: 'Mine' })
  })
})

describe('joined fields', () => {
  test('of an object that the user may not read are unknown, and in no description', async () => {
    const { service, model, user, alien } = await filled()
    await service.create(boss, 'Review', { rev_movie_id: alien })
    const bob = user('bob', [movies, { object: 'Review', letters: 'CR' }])
    for (const [object, name] of [
      ['Movie', 'mov_genre_id__gen_name'],
      ['Review', 'rev_movie_id__mov_genre_id__gen_name'],
    ] as const) {
      const unknown = { code: 'ERR_BAD_REQUEST', message: `Object "${object}" has no field "${name}".` }
      await expect(service.search(bob, object, { filters: { [name]: 'a' } })).rejects.toMatchObject(unknown)
      await expect(service.search(bob, object, { fields: [name] })).rejects.toMatchObject(unknown)
      await expect(service.search(bob, object, { order: [{ field: name, descending: false }] })).rejects.toMatchObject(
        unknown,
      )
      expect(Object.keys((await collect(await service.search(bob, object)))[0] ?? {})).not.toContain(name)
      expect(JSON.stringify(objectMetadata(bob, model.object(object), 'none'))).not.toContain(name)
    }
    const interfaceOf = {
      title: '',
      version: '',
      base: '',
      level: '5.1',
      authorizationHeader: '',
      parameters: [],
      routes: [],
    }
    const described = JSON.stringify(describeService({ model, principal: bob, service: interfaceOf }))
    expect(described).toContain('rev_movie_id__mov_title')
    expect(described).not.toContain('gen_name')
  })

  test('are hidden by any member of their chain', async () => {
    const { service, user, alien } = await filled()
    await service.create(boss, 'Review', { rev_movie_id: alien })
    const all: GrantData = { object: '*', letters: 'R' }
    const only = (...hidden: GrantData[]) =>
      user('bob', [
        ...hidden,
        ...['Genre', 'Movie', 'Review']
          .filter((name) => hidden.every(({ object }) => object !== name))
          .map((object) => ({ ...all, object })),
      ])
    for (const bob of [
      only({ object: 'Movie', letters: 'R', hidden: ['mov_genre_id'] }),
      only({ object: 'Movie', letters: 'R', hidden: ['mov_genre_id__gen_name'] }),
      only({ object: 'Review', letters: 'R', hidden: ['rev_movie_id'] }),
      only({ object: 'Genre', letters: 'R', hidden: ['gen_name'] }),
    ]) {
      const [review] = await collect(await service.search(bob, 'Review'))
      expect(review).not.toHaveProperty('rev_movie_id__mov_genre_id__gen_name')
    }
    expect((await collect(await service.search(only(), 'Review')))[0]).toHaveProperty(
      'rev_movie_id__mov_genre_id__gen_name',
      'Shut',
    )
  })

  test('in conditions of hooks and grants are those that are stored, whatever the user sees', async () => {
    const { service, user } = await filled({
      Movie: {
        preSearch(search) {
          const shut = { op: '=', field: 'mov_genre_id__gen_code', value: 'shut' } as const
          search.where = search.where ? { op: 'and', terms: [search.where, shut] } : shut
        },
      },
    })
    const bob = user('bob', [{ ...movies, filter: "mov_genre_id__gen_name = 'Shut'" }, openGenres])
    expect(await collect(await service.search(bob, 'Movie', { filters: { mov_title: 'A*' } }))).toMatchObject([
      { mov_title: 'Alien', mov_genre_id__gen_code: '' },
    ])
    const filters = { mov_genre_id__gen_code: 'shut' }
    expect(await collect(await service.search(bob, 'Movie', { filters }))).toHaveLength(0)
  })

  test('cost nothing where rights do not limit them: the store is asked as it was for everybody', async () => {
    const { model, store, user } = await filled()
    const asked: Query[] = []
    const service = createBusinessObjects({
      model,
      documents: {} as never,
      store: {
        ...store,
        search(object, query) {
          asked.push(query)
          return store.search(object, query)
        },
        count(object, where, options) {
          expect(options?.guards).toBeUndefined()
          return store.count(object, where)
        },
      },
    })
    const request = { filters: { mov_genre_id__gen_code: 'shut' } }
    const full = user('full', [movies, { object: 'Genre', letters: 'R' }])
    for (const principal of [boss, full]) {
      await collect(await service.search(principal, 'Movie', request))
      await service.count(principal, 'Movie', request)
    }
    const expected = { op: '=', field: 'mov_genre_id__gen_code', value: 'shut' }
    expect(asked.map(({ where, guards, select }) => [where, guards, select.key])).toStrictEqual([
      [expected, undefined, '*'],
      [expected, undefined, '*'],
    ])
  })
})

describe('grants', () => {
  test('hide from reading what no grant with R shows, and from writing what none with C or U does', async () => {
    const { service, user, alien } = await filled()
    const reader: GrantData = { object: 'Movie', letters: 'R', hidden: ['mov_year'] }
    const runner = user('runner', [reader, { object: '*', letters: 'A' }])
    expect(await service.get(runner, 'Movie', alien)).not.toHaveProperty('mov_year')
    const blind = user('blind', [reader, { object: 'Movie', letters: 'U' }])
    expect(await service.update(blind, 'Movie', alien, { mov_year: 1980 })).not.toHaveProperty('mov_year')
    expect(await service.get(boss, 'Movie', alien)).toMatchObject({ mov_year: 1980 })
    const shy = user('shy', [
      { object: 'Movie', letters: 'R' },
      { object: 'Movie', letters: 'U', hidden: ['mov_year'] },
    ])
    expect(await service.update(shy, 'Movie', alien, { mov_year: 1999 })).toMatchObject({ mov_year: 1980 })
    const none = user('none', [reader, { object: 'Movie', letters: 'U', hidden: ['mov_year'] }])
    await expect(service.update(none, 'Movie', alien, { mov_year: 1 })).rejects.toMatchObject({
      messages: [{ code: 'ERR_UNKNOWN_FIELD', field: 'mov_year' }],
    })
  })

  test('that let write but not read are answered the row id only', async () => {
    const { service, user, alien } = await filled()
    const writer = user('w', [
      { object: 'Movie', letters: 'CU' },
      { object: 'Movie', letters: 'R', filter: "mov_code = 'MINE'" },
    ])
    expect(await service.update(writer, 'Movie', alien, { mov_title: 'x' })).toStrictEqual({ row_id: alien })
    const made = await service.create(writer, 'Movie', { mov_code: 'MINE', mov_title: 'Mine' })
    expect(made).toMatchObject({ mov_title: 'Mine' })
    const depositor = user('d', [{ object: 'Movie', letters: 'C' }])
    const left = await service.create(depositor, 'Movie', { mov_code: 'LEFT', mov_title: 'Left' })
    expect(Object.keys(left)).toStrictEqual(['row_id'])
  })
})

describe('refusals', () => {
  test('of a taken key reveal neither hidden members nor keys of records that the user may not change', async () => {
    const Seat = defineObject({
      name: 'Seat',
      fields: {
        sea_row: { type: 'string', key: true },
        sea_secret: { type: 'string', key: true },
        sea_note: { type: 'integer' },
      },
    })
    const model = createModel([Seat])
    const service = createBusinessObjects({ model, store: createMemoryStore() })
    const userWith = (grant: Partial<GrantData>) =>
      createPrincipal({ login: 'bob', rights: createRights(model, [{ object: 'Seat', letters: 'RU', ...grant }], {}) })
    await service.create(boss, 'Seat', { sea_row: 'a', sea_secret: 'x' })
    const { row_id: id } = await service.create(boss, 'Seat', { sea_row: 'b', sea_secret: 'x' })
    const textsFor = async (bob: ReturnType<typeof userWith>, values: object) =>
      service
        .update(bob, 'Seat', id, values)
        .catch(({ messages }) => messages.map(({ text }: { text: string }) => text))
    for (const values of [{ sea_row: 'a' }, { sea_row: 'a', sea_note: 'none' }]) {
      expect(await textsFor(userWith({}), values)).toContain('Another record already has sea_row "a", sea_secret "x".')
      expect(String(await textsFor(userWith({ hidden: ['sea_secret'] }), values))).toContain('already has this key')
    }
    const stranger = userWith({ filter: "sea_row = 'none'" })
    expect(String(await textsFor(stranger, { sea_row: 'a', sea_note: 'none' }))).not.toContain('already has')
  })

  test('of a deletion count the records only that the user may read', async () => {
    const { service, user, shut } = await filled()
    const movie = { mov_title: 'x', mov_genre_id: shut }
    await service.create(boss, 'Movie', { ...movie, mov_code: 'ALIENS' })
    const remove: GrantData = { object: 'Genre', letters: 'RD' }
    const textFor = async (...grants: GrantData[]) =>
      service
        .delete(user('bob', [remove, ...grants]), 'Genre', shut)
        .catch(({ messages }) => messages[0].text as string)
    const general = 'Other records refer to it; delete or change them first.'
    expect(await textFor()).toBe(general)
    expect(await textFor({ ...movies, hidden: ['mov_genre_id'] })).toBe(general)
    expect(await textFor({ ...movies, filter: "mov_code = 'NONE'" })).toBe(general)
    expect(await textFor({ ...movies, filter: "mov_code = 'ALIEN'" })).toContain('1 record of Movie refer')
    expect(await textFor(movies)).toContain('2 records of Movie refer')
  })
})
