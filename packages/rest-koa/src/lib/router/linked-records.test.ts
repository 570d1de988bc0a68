import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  systemPrincipal,
  createRights,
  defineObject,
} from '@steward/rest-core'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCaller } from '../testing/caller.js'
import type { CallService } from '../testing/caller.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'

const Employee = defineObject({
  name: 'Employee',
  fields: { emp_name: { type: 'string', key: true }, emp_owner: { type: 'string' } },
})
const Note = defineObject({
  name: 'Note',
  fields: {
    not_code: { type: 'string', key: true },
    not_emp_id: { type: 'reference', object: 'Employee', display: ['emp_name'] },
  },
})

const model = createModel([Employee, Note])
const grants = [
  { object: 'Employee', letters: 'R', filter: 'emp_owner = [LOGIN]' },
  { object: 'Note', letters: 'CRU' },
]
const bob = createPrincipal({ login: 'bob', rights: createRights(model, grants, { LOGIN: 'bob' }) })
const boss = systemPrincipal({ login: 'boss' })

let server: TestServer
let call: CallService
/** Row ids of the employees of bob and of another user. */
let [own, foreign] = ['', '']

beforeAll(async () => {
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  ;({ row_id: own } = await service.create(boss, 'Employee', { emp_name: 'Own', emp_owner: 'bob' }))
  ;({ row_id: foreign } = await service.create(boss, 'Employee', { emp_name: 'Secret', emp_owner: 'eve' }))
  await service.create(boss, 'Note', { not_code: 'own', not_emp_id: own })
  await service.create(boss, 'Note', { not_code: 'foreign', not_emp_id: foreign })
  const app = new Koa()
  app.silent = true
  app.use(restRouter(service, { authenticate: () => bob }).routes())
  server = await serve(app)
  call = createCaller(`${server.url}/api/rest`)
})
afterAll(() => server.close())

it.each([
  ['POST', '/Note/?_dryrun=true&_fields=not_emp_id__emp_name', (id: string) => ({ not_code: 'new', not_emp_id: id })],
  ['POST', '/Note/', (id: string) => ({ not_code: 'new', not_emp_id: id })],
  ['PUT', '/Note/1', (id: string) => ({ not_emp_id: id })],
  ['PUT', '/Note/1?_dryrun=true', (id: string) => ({ not_emp_id: id })],
  ['POST', '/Note/_batch', (id: string) => [{ action: 'create', values: { not_code: 'new', not_emp_id: id } }]],
])('%s %s refuses a record that the user may not read like one that is not there', async (method, path, body) => {
  const hidden = await call(method, path, { json: body(foreign) })
  const missing = await call(method, path, { json: body('999') })
  expect(missing.status).toBe(400)
  expect(missing.text).toContain('which does not exist')
  expect(hidden.status).toBe(400)
  expect(hidden.text).toBe(missing.text.replaceAll('999', foreign))
  const seen = await call('POST', '/Note/?_dryrun=true', { json: { not_code: 'new', not_emp_id: own } })
  expect(seen.json).toMatchObject({ not_emp_id__emp_name: 'Own' })
})

it('shows, finds and counts nothing by the fields of a record that the user may not read', async () => {
  const { json: all } = await call('GET', '/Note/?_order=not_emp_id__emp_name')
  expect(all).toMatchObject([
    { not_code: 'foreign', not_emp_id: foreign, not_emp_id__emp_name: '' },
    { not_code: 'own', not_emp_id__emp_name: 'Own' },
  ])
  expect((await call('GET', '/Note/?not_emp_id__emp_name=S*&_count=true')).json).toMatchObject({ count: 0 })
  expect((await call('GET', '/Note/?not_emp_id__emp_name=O*&_count=true')).json).toMatchObject({ count: 1 })
})

it('a record that was got can be sent back under its ETag', async () => {
  const { json, headers } = await call('GET', '/Note/2')
  expect(json).toMatchObject({ not_emp_id: foreign, not_emp_id__emp_name: '' })
  const etag = headers.get('etag') ?? ''
  const { status, json: written } = await call('PUT', '/Note/2', { json, headers: { 'if-match': etag } })
  expect([status, written]).toEqual([200, json])
})
