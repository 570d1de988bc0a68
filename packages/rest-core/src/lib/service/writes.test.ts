import crypto from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { replaceScrypt } from '../../../../../tests/cheap-passwords.js'
import { RestError, StoreError } from '../../errors.js'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createRights, type GrantData } from '../rights/create-rights.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectStore, StoreSession } from '../store.js'
import type { BusinessObjects } from './business-objects.js'
import { createBusinessObjects } from './create-business-objects.js'
import type { Change } from './service-context.js'
import { verifyPasswordHash } from '../security/password.js'
import { Movie, boss, collect, createService } from './fixture-for-test.js'

const alien = { mov_code: 'ALIEN', mov_title: 'Alien' }
/** The start of a picture is enough to be taken for one. */
const png = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1').toString('base64')

test('create() answers the complete record with defaults, initial state and joined fields', async () => {
  const { service } = createService()
  const genre = await service.create(boss, 'Genre', { gen_code: 'SF', gen_name: 'Science fiction' })
  const movie = await service.create(boss, Movie, { ...alien, mov_year: '1979', mov_genre_id: genre.row_id })
  expect(movie).toEqual({
    row_id: movie.row_id,
    mov_code: 'ALIEN',
    mov_title: 'Alien',
    mov_year: 1979,
    mov_state: 'draft',
    mov_rank: null,
    mov_origin: '',
    mov_since: '2026-05-06',
    mov_owner: 'boss',
    mov_genre_id: genre.row_id,
    mov_genre_id__gen_code: 'SF',
    mov_genre_id__gen_name: 'Science fiction',
    mov_poster: '',
  })
  expect(await service.get(boss, Movie, movie.row_id)).toEqual(movie)
})

test('create() keeps who created and when, update() who updated and when', async () => {
  const { service } = createService()
  const { row_id: id } = await service.create(boss, Movie, alien)
  const other = { ...boss, login: 'other' }
  await service.update(other, Movie, id, { mov_title: 'Aliens' })
  expect(await service.get(boss, 'Movie', id, { timestamps: true })).toMatchObject({
    created_by: 'boss',
    created_dt: '2026-05-06 12:00:00',
    updated_by: 'other',
    updated_dt: '2026-05-06 12:00:00',
  })
  expect(await service.get(boss, 'Movie', id)).not.toHaveProperty('created_by')
})

test('create() ignores row id, joined, read-only and technical fields', async () => {
  const { service } = createService()
  const movie = await service.create(
    boss,
    'Movie',
    { ...alien, row_id: '77', mov_rank: 5, mov_genre_id__gen_name: 'x', created_by: 'x' },
    { timestamps: true },
  )
  expect(movie).toMatchObject({ mov_rank: null, created_by: 'boss' })
  expect(movie.row_id).not.toBe('77')
})

test('create() names everything that is wrong at once', async () => {
  const { service } = createService()
  await service.create(boss, Movie, alien)
  const wrong = { mov_code: 'ALIEN', mov_year: 1500, mov_state: 'public', mov_genre_id: '99', mov_tittle: 'x' }
  const error = await service.create(boss, 'Movie', wrong).catch((refusal: unknown) => refusal)
  expect(error).toMatchObject({ code: 'ERR_VALIDATION', status: 400 })
  expect((error as RestError).messages.map(({ code, field }) => `${code} ${field}`).toSorted()).toEqual([
    'ERR_REFERENCE mov_genre_id',
    'ERR_REQUIRED mov_title',
    'ERR_TRANSITION mov_state',
    'ERR_TYPE mov_year',
    'ERR_UNKNOWN_FIELD mov_tittle',
    'ERR_USERKEY mov_code',
  ])
})

test.each([
  [{ ...alien, mov_code: 'x'.repeat(21) }, 'ERR_LENGTH'],
  [{ ...alien, mov_code: 'alien' }, 'ERR_PATTERN'],
  [{ ...alien, mov_state: 'gone' }, 'ERR_ENUM'],
  [{ ...alien, mov_title: 'a\0b' }, 'ERR_TYPE'],
  [{ ...alien, mov_title: '\ud800' }, 'ERR_TYPE'],
  [JSON.parse('{"mov_code":"A","mov_title":"A","__proto__":{"x":1}}'), 'ERR_UNKNOWN_FIELD'],
  [{ ...alien, constructor: 'x' }, 'ERR_UNKNOWN_FIELD'],
])('create() refuses %j with %s', async (values, code) => {
  const { service } = createService()
  const error = (await service.create(boss, Movie, values).catch((refusal: unknown) => refusal)) as RestError
  expect(error.messages.map((message) => message.code)).toContain(code)
})

test.each([null, [], 'text', 5])('create() refuses the body %j', async (body) => {
  const { service } = createService()
  await expect(service.create(boss, 'Movie', body)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
})

test('of several creates with one functional key at once, one wins and the others say which key', async () => {
  const { service } = createService()
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => service.create(boss, Movie, alien)))
  const losers = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as RestError)
  expect(losers).toHaveLength(9)
  for (const { code, messages } of losers) {
    expect(code).toBe('ERR_CONFLICT')
    expect(messages).toMatchObject([
      { code: 'ERR_USERKEY', field: 'mov_code', text: 'Another record already has mov_code "ALIEN".' },
    ])
  }
})

test('update() changes the given fields only and answers the whole record', async () => {
  const { service } = createService()
  const movie = await service.create(boss, Movie, { ...alien, mov_year: 1979, mov_origin: 'US' })
  const changed = await service.update(boss, Movie, movie.row_id, { mov_title: 'Alien (1979)', mov_origin: 'UK' })
  expect(changed).toEqual({ ...movie, mov_title: 'Alien (1979)' })
})

test('blanks do not satisfy "required"; a value that has more is kept as it is', async () => {
  const { service } = createService()
  for (const blank of [' ', '\t\n', '\u00A0', '\u3000\u2003', '\u200B\uFEFF', '\u00AD', '\u2060 \u3164']) {
    const refused = service.create(boss, Movie, { mov_code: blank, mov_title: blank })
    await expect(refused, JSON.stringify(blank)).rejects.toMatchObject({
      messages: [
        { code: 'ERR_REQUIRED', field: 'mov_code' },
        { code: 'ERR_REQUIRED', field: 'mov_title' },
      ],
    })
  }
  const { row_id: id, mov_title: title } = await service.create(boss, Movie, { ...alien, mov_title: ' \u00A0A ' })
  expect(title).toBe(' \u00A0A ')
  await expect(service.update(boss, Movie, id, { mov_title: ' ' })).rejects.toMatchObject({ code: 'ERR_VALIDATION' })
  expect(await service.update(boss, Movie, id, { mov_origin: '', mov_secret: ' ' })).toMatchObject({ mov_title: title })
})

test('an image field takes pictures only, by their content', async () => {
  const { service, documents } = createService()
  const text = { name: 'a.png', mime: 'image/png', content: Buffer.from('hello').toString('base64') }
  await expect(service.create(boss, Movie, { ...alien, mov_poster: text })).rejects.toMatchObject({
    messages: [
      {
        code: 'ERR_TYPE',
        field: 'mov_poster',
        text: 'Field "mov_poster" must contain a picture (png, jpeg, gif, webp, avif, bmp, tiff, svg), not text.',
      },
    ],
  })
  expect(documents.ids()).toEqual([])
  const claimed = { name: 'a.html', mime: 'text/html', content: png }
  const { row_id: id } = await service.create(boss, Movie, { ...alien, mov_poster: claimed })
  expect(await service.get(boss, Movie, id, { inlineDocuments: true })).toMatchObject({
    mov_poster: { mime: 'image/png' },
  })
})

test('update() cannot empty a required field', async () => {
  const { service } = createService()
  const { row_id: id } = await service.create(boss, Movie, alien)
  await expect(service.update(boss, Movie, id, { mov_title: '' })).rejects.toMatchObject({
    messages: [{ code: 'ERR_REQUIRED', field: 'mov_title' }],
  })
})

test('update() of a row that is gone is not found', async () => {
  const { service } = createService()
  const { row_id: id } = await service.create(boss, Movie, alien)
  await service.delete(boss, Movie, id)
  await expect(service.update(boss, Movie, id, { mov_title: 'x' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(service.delete(boss, Movie, id)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test.each(['abc', '', '1.5', '99999999999999999999', "1' or '1'='1", '%'])(
  'a row id %j that cannot be one is not found',
  async (id) => {
    const { service } = createService()
    await expect(service.get(boss, Movie, id)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    await expect(service.update(boss, Movie, id, {})).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    await expect(service.delete(boss, Movie, id)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  },
)

test('update() with a precondition that fails changes nothing', async () => {
  const { service } = createService()
  const { row_id: id } = await service.create(boss, Movie, alien)
  const precondition = (record?: { [field: string]: unknown }) => record?.['mov_title'] === 'Other'
  await expect(service.update(boss, Movie, id, { mov_title: 'x' }, { precondition })).rejects.toMatchObject({
    code: 'ERR_PRECONDITION',
    status: 412,
  })
  await expect(service.delete(boss, Movie, id, { precondition })).rejects.toMatchObject({ code: 'ERR_PRECONDITION' })
  expect(await service.get(boss, Movie, id)).toMatchObject({ mov_title: 'Alien' })
})

test('a writer who may not read a record learns nothing about it from preconditions, states and keys', async () => {
  const { service, user } = createService()
  const { row_id: id } = await service.create(boss, Movie, alien)
  await service.create(boss, Movie, { ...alien, mov_code: 'TAKEN', mov_title: 'Taken' })
  const writers = {
    blind: user('blind', [{ object: 'Movie', letters: 'CU' }]),
    filtered: user('filtered', [
      { object: 'Movie', letters: 'CU' },
      { object: 'Movie', letters: 'R', filter: "mov_title = 'Other'" },
    ]),
    hidden: user('hidden', [
      { object: 'Movie', letters: 'U' },
      { object: 'Movie', letters: 'R', hidden: ['mov_state'] },
    ]),
  }
  for (const [name, writer] of Object.entries(writers)) {
    const refused = service.update(writer, Movie, id, { mov_state: 'archived' })
    await expect(refused, name).rejects.toMatchObject({
      messages: [{ code: 'ERR_TRANSITION', text: 'Field "mov_state" cannot go to "archived" from its present state.' }],
    })
    const seen: unknown[] = []
    const precondition = (record?: object) => seen.push(record) > 0
    await service.update(writer, Movie, id, {}, { precondition })
    const [record] = seen
    if (name === 'hidden') expect(record).toMatchObject({ mov_title: 'Alien' })
    else expect(record).toBeUndefined()
    expect(record ?? {}).not.toHaveProperty('mov_state')
  }
})

test('a duplicate key says stored members of it only to those who may read them', async () => {
  const Line = defineObject({
    name: 'Line',
    fields: {
      lin_order: { type: 'string', length: 20, key: true },
      lin_item: { type: 'string', length: 20, key: true },
    },
  })
  const model = createModel([Line])
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const user = (...grants: GrantData[]) => createPrincipal({ login: 'u', rights: createRights(model, grants, {}) })
  const { row_id: id } = await service.create(boss, 'Line', { lin_order: 'SECRET', lin_item: 'a' })
  await service.create(boss, 'Line', { lin_order: 'SECRET', lin_item: 'b' })
  const refusal = async (principal: Principal) =>
    service.update(principal, 'Line', id, { lin_item: 'b' }).then(String, (error: RestError) => error.messages[0]?.text)
  expect(await refusal(user({ object: 'Line', letters: 'U' }))).toBe(
    'Another record already has lin_order, lin_item "b".',
  )
  expect(await refusal(user({ object: 'Line', letters: 'RU' }))).toContain('lin_order "SECRET"')
})

test('a state follows granted transitions only; the refusal names them', async () => {
  const { service, user } = createService()
  const writer = user('writer', [{ object: '*', letters: 'CRUD' }])
  const { row_id: id } = await service.create(writer, Movie, alien)
  await expect(service.update(writer, Movie, id, { mov_state: 'archived' })).rejects.toMatchObject({
    messages: [
      {
        code: 'ERR_TRANSITION',
        text: 'Field "mov_state" cannot go from "draft" to "archived"; allowed from there: public.',
      },
    ],
  })
  expect(await service.update(writer, Movie, id, { mov_state: 'public' })).toMatchObject({ mov_state: 'public' })
  await expect(service.update(boss, Movie, id, { mov_state: 'draft' })).rejects.toMatchObject({
    messages: [{ code: 'ERR_TRANSITION' }],
  })
  expect(await service.update(boss, Movie, id, { mov_state: 'archived' })).toMatchObject({ mov_state: 'archived' })
})

test('a transition that is kept to a group may be made with all rights, as by an administrator', async () => {
  const { service, user } = createService()
  const writer = user('writer', [{ object: '*', letters: 'CRUD' }])
  for (const [principal, outcome] of [
    [writer, 'ERR_TRANSITION'],
    [systemPrincipal(), 'archived'],
  ] as const) {
    const { row_id: id } = await service.create(writer, Movie, { ...alien, mov_code: principal.login.toUpperCase() })
    const state = await service.update(principal, Movie, id, { mov_state: 'archived' }).then(
      (record) => record['mov_state'],
      (error: RestError) => error.messages[0]?.code,
    )
    expect(state).toBe(outcome)
  }
})

test('delete() of a row that others refer to says who refers to it', async () => {
  const { service } = createService()
  const { row_id: id } = await service.create(boss, 'Genre', { gen_code: 'SF', gen_name: 'Science fiction' })
  await service.create(boss, Movie, { ...alien, mov_genre_id: id })
  await expect(service.delete(boss, 'Genre', id)).rejects.toMatchObject({
    code: 'ERR_CONFLICT',
    messages: [
      {
        code: 'ERR_REFERENCE',
        field: 'mov_genre_id',
        text: '1 record of Movie refer to it by "mov_genre_id"; delete or change them first.',
      },
    ],
  })
})

test('delete() takes children along, with their hooks', async () => {
  const deleted: string[] = []
  const { service } = createService({
    Review: { postDelete: ({ record }) => void deleted.push(record['rev_text'] as string) },
  })
  const { row_id: id } = await service.create(boss, Movie, alien)
  const review = await service.create(boss, 'Review', { rev_movie_id: id, rev_text: 'good' })
  expect(await service.delete(boss, Movie, id)).toEqual({ row_id: id })
  expect(deleted).toEqual(['good'])
  await expect(service.get(boss, 'Review', review.row_id)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test('a password is kept as a hash, never answered, and not changed by an empty one', async () => {
  const { service, store, model } = createService()
  const { row_id: id } = await service.create(boss, Movie, { ...alien, mov_pin: 's3cret' })
  const answer = await service.update(boss, Movie, id, { mov_pin: '' })
  expect(JSON.stringify(answer)).not.toContain('mov_pin')
  const object = model.object('Movie')
  const stored = await store.get(object, id, { select: object.select(['mov_pin']) })
  expect(stored?.['mov_pin']).not.toContain('s3cret')
  expect(await verifyPasswordHash('s3cret', stored?.['mov_pin'] as string)).toBe(true)
})

test('an upload is stored and inlined on demand; a replaced one goes', async () => {
  const { service, documents } = createService()
  const content = png
  const movie = await service.create(boss, 'Movie', { ...alien, mov_poster: { name: 'poster.png', content } })
  expect(documents.ids()).toEqual([movie['mov_poster']])
  expect(
    await service.get(boss, 'Movie', movie.row_id, { inlineDocuments: true, inlineThumbnails: ['mov_poster'] }),
  ).toMatchObject({
    mov_poster: {
      name: 'poster.png',
      mime: 'image/png',
      size: 8,
      content,
      thumbnail: 'AQID',
      path: 'Movie/mov_poster',
    },
  })
  const kept = await service.update(boss, 'Movie', movie.row_id, { mov_poster: movie['mov_poster'], mov_title: 'x' })
  expect(kept['mov_poster']).toBe(movie['mov_poster'])
  const changed = await service.update(boss, 'Movie', movie.row_id, { mov_poster: { name: 'b.png', content } })
  expect(documents.ids()).toEqual([changed['mov_poster']])
  await service.delete(boss, 'Movie', movie.row_id)
  expect(documents.ids()).toEqual([])
})

test('an upload goes again when the record is refused by the database', async () => {
  const { service, documents } = createService()
  await service.create(boss, Movie, alien)
  const again = { ...alien, mov_poster: { name: 'p.png', content: png } }
  await expect(service.create(boss, Movie, again)).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
  expect(documents.ids()).toEqual([])
})

test('a record never points to a content that was removed, also when the answer of the database is lost', async () => {
  const lost = new StoreError('unavailable', 'The connection is lost.')
  const store = createMemoryStore()
  let fails = false
  /** Carries out what it is asked for, whose answer never comes. */
  const deaf = {
    ...store,
    insert: (...given) => store.insert(...given).then(orLost),
    update: (...given) => store.update(...given).then(orLost),
    transaction: <T>(work: (session: StoreSession) => Promise<T>) => store.transaction(work).then(orLost),
  } as ObjectStore
  function orLost<T>(result: T): T {
    if (fails) throw lost
    return result
  }
  const { service, documents } = createService({}, { store: deaf })
  const poster = { name: 'p.png', content: png }
  const { row_id } = await service.create(boss, 'Movie', { mov_code: 'B', mov_title: 'B', mov_poster: poster })
  fails = true
  const attempts = [
    () => service.create(boss, 'Movie', { ...alien, mov_poster: poster }),
    () => service.update(boss, 'Movie', row_id, { mov_poster: poster }),
    () =>
      service.upload(boss, 'Movie', row_id, 'mov_poster', Readable.from([Buffer.from(png, 'base64')]), {
        name: 'a.png',
      }),
  ]
  for (const attempt of attempts) {
    await expect(attempt()).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    const movies = await collect(await service.search(boss, 'Movie'))
    const held = movies.map((movie) => movie['mov_poster'] as string)
    expect(held).toHaveLength(2)
    expect(documents.ids()).toEqual(expect.arrayContaining(held))
  }
})

test('a record that is kept although a later hook failed keeps its content', async () => {
  const fail = () => {
    throw new RestError('ERR_RIGHT', 'Not now.')
  }
  const { service, documents } = createService({ Movie: { postSave: fail } })
  const poster = { name: 'p.png', content: png }
  await service.transaction(async (inside) => {
    await expect(inside.create(boss, 'Movie', { ...alien, mov_poster: poster })).rejects.toThrow('Not now.')
  })
  const [movie] = await collect(await service.search(boss, 'Movie'))
  expect(documents.ids()).toEqual([movie?.['mov_poster']])
})

test('a write is carried out again when the database undid it to let others proceed, a few times', async () => {
  const store = createMemoryStore()
  let victims = 0
  const contended = {
    ...store,
    async transaction<T>(work: (session: StoreSession) => Promise<T>): Promise<T> {
      return store.transaction(async (session) => {
        const result = await work(session)
        if (victims-- > 0) throw new StoreError('busy', 'A deadlock.', { repeatable: true })
        return result
      })
    },
  } as ObjectStore
  let saved = 0
  const { service, documents, model } = createService({ Movie: { postSave: () => void saved++ } }, { store: contended })
  const poster = { name: 'p.png', content: png }
  victims = 2
  const movie = await service.create(boss, 'Movie', { ...alien, mov_pin: 'secret', mov_poster: poster })
  expect([saved, documents.ids()]).toEqual([3, [movie['mov_poster']]])
  const object = model.object('Movie')
  const stored = await store.get(object, movie.row_id, { select: object.select(['mov_pin']) })
  expect(await verifyPasswordHash('secret', stored?.['mov_pin'] as string)).toBe(true)

  victims = 1
  const replaced = await service.upload(
    boss,
    'Movie',
    movie.row_id,
    'mov_poster',
    Readable.from([Buffer.from(png, 'base64')]),
    {
      name: 'b.png',
    },
  )
  expect(documents.ids()).toEqual([replaced['mov_poster']])

  victims = 1
  const runs: string[] = []
  const work = async (inside: BusinessObjects) =>
    void runs.push((await inside.create(boss, 'Genre', { gen_code: 'D', gen_name: 'Drama' })).row_id)
  await expect(service.transaction(work)).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE', retryAfterSeconds: 1 })
  expect(runs).toHaveLength(1)
  victims = 1
  await service.transaction(work, { repeat: true })
  expect(runs).toHaveLength(3)

  victims = Infinity
  await expect(service.delete(boss, 'Movie', movie.row_id)).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
  victims = 0
  expect(documents.ids()).toEqual([replaced['mov_poster']])
})

test('no transaction is open while a password is hashed, also when a hook reads', async () => {
  const store = createMemoryStore()
  let open = 0
  const counting = {
    ...store,
    transaction: <T>(work: (session: StoreSession) => Promise<T>) =>
      store.transaction((session) => {
        open++
        return work(session).finally(() => open--)
      }),
  } as ObjectStore
  const { scrypt } = crypto
  const openWhileHashed: number[] = []
  const watched = ((...given: Parameters<typeof scrypt>) => {
    openWhileHashed.push(open)
    scrypt(...given)
  }) as typeof scrypt
  replaceScrypt(watched)
  onTestFinished(() => replaceScrypt(scrypt))

  let reads = 0
  const preValidate = async ({ service: inside }: { readonly service: BusinessObjects }) => {
    await inside.count(boss, 'Movie', {})
    expect(open).toBe(1)
    reads++
  }
  const { service } = createService({ Movie: { preValidate } }, { store: counting })
  const { row_id } = await service.create(boss, 'Movie', { ...alien, mov_pin: 'secret' })
  await service.update(boss, 'Movie', row_id, { mov_pin: 'another' })
  expect([reads, openWhileHashed]).toEqual([2, [0, 0]])
})

test("a record cannot be given another record's document", async () => {
  const { service } = createService()
  const movie = await service.create(boss, 'Movie', { ...alien, mov_poster: { name: 'p.png', content: png } })
  const theft = { mov_code: 'B', mov_title: 'B', mov_poster: movie['mov_poster'] }
  await expect(service.create(boss, 'Movie', theft)).rejects.toMatchObject({
    messages: [{ code: 'ERR_REFERENCE', field: 'mov_poster' }],
  })
})

test('transaction() keeps everything or nothing', async () => {
  const { service } = createService()
  const failing = service.transaction(async (inside) => {
    await inside.create(boss, Movie, alien)
    await inside.create(boss, 'Movie', { mov_code: 'B' })
  })
  await expect(failing).rejects.toMatchObject({ code: 'ERR_VALIDATION' })
  expect(await collect(await service.search(boss, 'Movie'))).toEqual([])
  await service.transaction((inside) => inside.create(boss, Movie, alien))
  expect((await service.count(boss, Movie)).count).toBe(1)
})

test('onChange reports what was committed, and nothing else', async () => {
  const onChange = vi.fn<(change: Change) => void>()
  const { service, model } = createService({}, { onChange })
  const { row_id: rowId } = await service.create(boss, Movie, alien)
  await service.create(boss, Movie, alien).catch(() => {})
  await service.transaction(async (inside) => {
    await inside.update(boss, Movie, rowId, { mov_title: 'x' })
    expect(onChange).toHaveBeenCalledTimes(1)
  })
  await service.delete(boss, Movie, rowId)
  const object = model.object('Movie')
  expect(onChange.mock.calls.map(([change]) => change)).toEqual([
    { object, operation: 'create', rowId },
    { object, operation: 'update', rowId },
    { object, operation: 'delete', rowId },
  ])
})

test('restore takes a record as it was: read-only, create-only and technical fields, and any state', async () => {
  const { service } = createService()
  const created = { created_by: 'ann', created_dt: '2001-02-03 04:05:06', updated_by: 'bob' }
  const values = { ...alien, ...created, mov_rank: 7, mov_origin: 'US', mov_state: 'archived' }
  const { row_id: id } = await service.create(boss, 'Movie', values, { restore: true })
  expect(await service.get(boss, 'Movie', id, { timestamps: true })).toMatchObject({
    ...values,
    updated_dt: '2026-05-06 12:00:00',
  })
  const changes = { mov_origin: 'FR', mov_state: 'draft', mov_rank: 8, updated_by: 'carl', row_id: '99' }
  await service.update(boss, 'Movie', id, changes, { restore: true })
  expect(await service.get(boss, 'Movie', id, { timestamps: true })).toMatchObject({
    ...values,
    ...changes,
    row_id: id,
  })
  await expect(service.create(boss, Movie, { ...alien, mov_title: '' }, { restore: true })).rejects.toMatchObject({
    code: 'ERR_VALIDATION',
  })
})
