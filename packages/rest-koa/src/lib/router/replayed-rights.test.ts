import {
  allRights,
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  createRights,
  defineObject,
} from '@steward/rest-core'
import type { GrantData, Rights } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCaller, type CallService } from '../testing/caller.js'
import { serve, type TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'

const Note = defineObject({
  name: 'Note',
  fields: { not_code: { type: 'string', key: true }, not_text: { type: 'string' } },
  actions: { shout: { scope: 'global', run: () => 'loud' }, whisper: { run: () => 'quiet' } },
})
const model = createModel([...systemObjects, Note])

let rights: Rights = allRights
let server: TestServer
let call: CallService
let keys = 0

beforeAll(async () => {
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const app = new Koa()
  const authenticate = () => createPrincipal({ userId: '7', login: 'ann', rights })
  app.use(restRouter(service, { authenticate }).routes())
  server = await serve(app)
  call = createCaller(`${server.url}/api/rest`, null)
})
afterAll(() => server.close())

async function create(not_text: string): Promise<string> {
  rights = allRights
  const { json } = await call('POST', '/Note', { json: { not_code: `note ${keys++}`, not_text } })
  return json.row_id
}

const requests: [string, (id: string) => [string, string, unknown?], GrantData][] = [
  ['a create', () => ['POST', '/Note', { not_code: `new ${keys}` }], { object: 'Note', letters: 'RUDA' }],
  ['an update', (id) => ['PUT', `/Note/${id}`, { not_text: 'mine' }], { object: 'Note', letters: 'CRDA' }],
  [
    'an update of other rows',
    (id) => ['PUT', `/Note/${id}`, { not_text: 'mine' }],
    { object: 'Note', letters: 'CRUDA', filter: "not_text = 'theirs'" },
  ],
  ['a delete', (id) => ['DELETE', `/Note/${id}`], { object: 'Note', letters: 'CRUA' }],
  ['an upsert', () => ['PUT', `/Note/_key/k${keys}`, { not_text: 'mine' }], { object: 'Note', letters: 'RDA' }],
  [
    'a batch',
    (id) => [
      'POST',
      '/Note/_batch',
      [
        { action: 'create', values: { not_code: `b ${keys}` } },
        { action: 'update', row_id: id, values: { not_text: 'x' } },
      ],
    ],
    { object: 'Note', letters: 'CRDA' },
  ],
  ['a global action', () => ['POST', '/Note/action:shout'], { object: 'Note', letters: 'CRUD' }],
  [
    'an action about a record',
    (id) => ['POST', `/Note/${id}/action:whisper`],
    { object: 'Note', letters: 'CRUDA', actions: ['shout'] },
  ],
]

it.each(requests)('the answer to %s is not given again to whom the right was taken away', async (_what, make, left) => {
  const [method, path, json] = make(await create('mine'))
  const headers = { 'idempotency-key': `key-${keys}` }
  const send = () => call(method, path, { headers, ...(json !== undefined && { json }) })
  const first = await send()
  expect(first.status, first.text).toBe(200)

  rights = createRights(model, [left], { LOGIN: 'ann' })
  const refused = await send()
  expect([refused.status === 404 ? 403 : refused.status, refused.headers.get('idempotency-replayed')]).toEqual([
    403,
    null,
  ])

  rights = allRights
  const again = await send()
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
})
