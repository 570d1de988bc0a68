import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  createRights,
  defineObject,
  systemPrincipal,
} from '@steward/rest-core'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCaller } from '../testing/caller.js'
import type { CallService } from '../testing/caller.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'

const Song = defineObject({
  name: 'Song',
  fields: {
    son_title: { type: 'string', key: true },
    son_year: { type: 'integer' },
    son_fee: { type: 'integer' },
  },
  actions: {
    drop: {
      scope: 'global',
      parameters: { why: { type: 'string' } },
      async run({ records }) {
        let count = 0
        for await (const batch of await records()) count += batch.length
        return count
      },
    },
  },
  crosstabs: { years: { lines: ['son_year'] } },
})
const Secret = defineObject({ name: 'Secret', fields: { sec_text: { type: 'string' } } })

const model = createModel([Song, Secret])
const boss = systemPrincipal({ login: 'boss' })
const singer = createPrincipal({
  login: 'singer',
  rights: createRights(model, [{ object: 'Song', letters: 'CRU', hidden: ['son_fee'] }], {}),
})
let server: TestServer
let call: CallService

beforeAll(async () => {
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  for (const son_year of [1990, 1991, 1990])
    await service.create(boss, 'Song', { son_title: `S${son_year}${Math.random()}`, son_year })
  const app = new Koa()
  app.use(
    restRouter(service, { authenticate: ({ req }) => (req.headers['x-user'] === 'singer' ? singer : boss) }).routes(),
  )
  server = await serve(app)
  call = createCaller(`${server.url}/api/rest`, null)
})
afterAll(() => server.close())

describe('lists', () => {
  it.each([
    ['_fields=son_year&_fields=son_title', '_fields=son_year,son_title'],
    ['_order=-son_year&_order=son_title', '_order=-son_year,son_title'],
    [
      '_fields=son_year&_fields=son_title,son_fee&_order=son_title',
      '_fields=son_year,son_title,son_fee&_order=son_title',
    ],
  ])('may be repeated: %s', async (repeated, listed) => {
    const answer = await call('GET', `/Song/?${repeated}`)
    expect([answer.status, answer.json]).toEqual([200, (await call('GET', `/Song/?${listed}`)).json])
  })

  it.each(['_page=0&_page=0', '_count=true&_count=true', '_filter=son_year=1990&_filter=son_year=1991'])(
    'others may not be: %s',
    async (query) => {
      const { status, json } = await call('GET', `/Song/?${query}`)
      expect([status, json.error]).toEqual([400, expect.stringContaining('is given more than once')])
    },
  )
})

describe('flags', () => {
  it.each(
    ['_count', '_metadata', '_doc', '_crosstabcubes', '_timestamps', '_dryrun', 'session'].flatMap((name) => [
      [name, 'false'],
      [name, '0'],
    ]),
  )('%s=%s asks for nothing', async (name, value) => {
    const path = name === 'session' ? '/' : '/Song/'
    const { status, text } = await call('GET', `${path}?${name}=${value}`)
    expect([status, text]).toEqual([200, (await call('GET', path)).text])
  })

  it.each(['_count', '_metadata', '_doc', '_timestamps', '_crosstab=years&_crosstabcubes'])(
    '%s is true or false, nothing else',
    async (name) => {
      const { status, json } = await call('GET', `/Song/?${name}=maybe`)
      expect([status, json.error]).toEqual([400, expect.stringContaining('is "maybe"; give true or false.')])
    },
  )

  it('_atomic=false has a meaning of its own', async () => {
    expect((await call('GET', '/Song/?_atomic=false')).status).toBe(400)
  })
})

describe('proposals', () => {
  it.each([
    ['/song/', ' Did you mean "Song"?'],
    ['/Songs/1', ' Did you mean "Song"?'],
    ['/Songs/_count', ' Did you mean "Song"?'],
    ['/Secrets/', ''],
    ['/Nothing/', ''],
  ])('%s: an object that the user may use is proposed%s', async (path, proposal) => {
    const { status, json } = await call('GET', path, { headers: { 'x-user': 'singer' } })
    const name = path.split('/')[1] as string
    expect([status, json.code]).toEqual([404, 'ERR_NOT_FOUND'])
    expect(json.error).toBe(`Object "${name}" does not exist, or you may not see it.${proposal}`)
  })

  it('a field that is misspelt in a body is proposed, but none that is hidden', async () => {
    const create = async (json: object) =>
      (await call('POST', '/Song', { json, headers: { 'x-user': 'singer' } })).json.messages[0].text
    expect(await create({ son_titel: 'x' })).toBe('Object "Song" has no field "son_titel". Did you mean "son_title"?')
    expect(await create({ son_fees: 1 })).toBe('Object "Song" has no field "son_fees".')
  })
})

it.each(['01', '+1', '%201', '1%20', '-0'])('a record has one address, not /Song/%s', async (rowId) => {
  expect((await call('GET', '/Song/1')).status).toBe(200)
  for (const method of ['GET', 'DELETE']) expect((await call(method, `/Song/${rowId}`)).status).toBe(404)
})

describe('a global action', () => {
  it.each([
    'son_title=',
    'why=x&son_title=',
    'son_year=;',
    'nmin__son_year=',
    'son_year=1990&son_year=',
    'son_title=&_count=true',
  ])('is refused with an empty filter: %s', async (query) => {
    for (const method of ['GET', 'POST']) {
      const { status, json } = await call(method, `/Song/action:drop?${query}`)
      expect([status, json.error]).toEqual([
        400,
        expect.stringMatching(/^Filter "(?:son|nmin).*" is empty, so the action/),
      ])
    }
  })

  it('runs on all records without any', async () => {
    expect((await call('GET', '/Song/action:drop')).json).toEqual({ result: 3 })
    expect((await call('GET', '/Song/action:drop?why=&son_year=1990')).json).toEqual({ result: 2 })
  })
})
