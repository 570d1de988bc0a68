import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  allRights,
  createBusinessObjects,
  createDiskDocumentStore,
  createMemoryStore,
  createModel,
  createPrincipal,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import { createEventHub, createUserDirectory, systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCheapPasswords } from '../../../../../tests/cheap-passwords.js'
import { eventsRouter } from '../events/events-router.js'
import { accessLog } from '../middleware/access-log.js'
import { restRouter } from '../router/rest-router.js'
import { basic, createCaller } from '../testing/caller.js'
import type { Answer, CallService } from '../testing/caller.js'
import { openEventSource } from '../testing/event-source.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { createAuthentication } from './authentication.js'
import { loginRouter } from './login-router.js'

useCheapPasswords()

/** In a field that ann may not see, and in a record that ann may not see. */
const [margin, foreign] = ['twelve percent', 'not for ann']

const Task = defineObject({
  name: 'Task',
  indexable: ['tas_code'],
  events: true,
  fields: {
    tas_code: { type: 'string', length: 40, key: true },
    tas_owner: { type: 'string', length: 40 },
    tas_margin: { type: 'string', length: 40 },
    tas_file: { type: 'document' },
  },
  crosstabs: { owners: { lines: ['tas_owner'] }, margins: { lines: ['tas_margin'] } },
  publications: { table: { format: 'csv', scope: 'both', fields: ['tas_code', 'tas_owner'] } },
  actions: {
    touch: {
      scope: 'both',
      async run({ service, principal, record }) {
        await service.update(principal, 'Task', String(record?.row_id), { tas_owner: 'touched' })
      },
    },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'steward-view-as-'))
const model = createModel([...systemObjects, Task])
const store = createMemoryStore()
const directory = createUserDirectory({ model, store })
const system = systemPrincipal()
const ids: Record<string, string> = {}
const lines: { readonly user?: string; readonly viewAs?: string }[] = []
let server: TestServer
let call: CallService
let token: string

const authentication = createAuthentication({
  authenticator: directory,
  tokens: { secret: 'x'.repeat(32) },
})
const hub = createEventHub({ model, store, pollMs: 10 })
const service = createBusinessObjects({
  model,
  store,
  documents: createDiskDocumentStore({ folder }),
  onChange() {
    hub.notify()
    directory.clear()
    authentication.clear()
  },
})

beforeAll(async () => {
  const create = async (object: string, values: Record<string, unknown>) =>
    (ids[String(Object.values(values)[0])] = (await service.create(system, object, values)).row_id)
  for (const usr_login of ['boss', 'chief', 'ann', 'süß', 'gone'])
    await create('User', { usr_login, usr_password: `${usr_login}-password`, usr_active: usr_login !== 'gone' })
  for (const grp_name of ['ADMIN', 'STAFF']) await create('Group', { grp_name })
  for (const [user, group] of [
    ['boss', 'ADMIN'],
    ['chief', 'ADMIN'],
    ['ann', 'STAFF'],
    ['süß', 'STAFF'],
  ] as const)
    await service.create(system, 'Responsibility', { rsp_login_id: ids[user], rsp_group_id: ids[group] })
  await service.create(system, 'Grant', {
    grt_group_id: ids['STAFF'],
    grt_object: 'Task',
    grt_rights: 'CRUDA',
    grt_filter: 'tas_owner = [LOGIN]',
    grt_hidden_fields: 'tas_margin',
  })
  await create('Task', { tas_code: 'mine', tas_owner: 'ann', tas_margin: margin })
  await create('Task', { tas_code: foreign, tas_owner: 'boss', tas_margin: margin })
  const app = new Koa()
  app.silent = true
  app.use(accessLog({ format: 'pino', logger: { info: (line) => void lines.push(line) } }))
  app.use(loginRouter(authentication).routes())
  const options = { authenticate: authentication.authenticate, viewAs: directory.principalOfLogin }
  app.use(eventsRouter(service, hub, options).routes())
  app.use(restRouter(service, options).routes())
  app.use(restRouter(service, { ...options, viewAs: undefined, prefix: '/plain' }).routes())
  app.use(
    restRouter(service, {
      ...options,
      prefix: '/public',
      authenticate({ state }) {
        state['anonymous'] = true
        return createPrincipal({ login: 'public', rights: allRights })
      },
    }).routes(),
  )
  hub.start()
  server = await serve(app)
  call = createCaller(server.url, null)
  token = (await as('boss', 'POST', '/api/login')).text
})
afterAll(async () => {
  await hub.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

type Sent = { json?: unknown; body?: string; headers?: Record<string, string>; see?: string }

function as(user: string, method: string, path: string, { see, headers, ...sent }: Sent = {}): Promise<Answer> {
  const authorization = basic(user, `${user}-password`)
  return call(method, path, {
    ...sent,
    headers: { authorization, ...headers, ...(see !== undefined && { 'x-view-as': encodeURIComponent(see) }) },
  })
}

const asAnn = (method: string, path: string, sent: Sent = {}) =>
  as('boss', method, `/api/rest${path}`, { see: 'ann', ...sent })

describe('an administrator with X-View-As', () => {
  it.each([
    '/Task/',
    '/Task/?_timestamps=true',
    '/Task/?_cursor=&_pagesize=10',
    '/Task/?_page=0',
    '/Task/?_indexsearch=mine',
    '/_index/?_indexsearch=mine',
    '/Task/?_crosstab=owners',
    '/Task/publication:table',
    '/Task/?_metadata=true',
    '/Task/?_doc=true',
    '/?_doc=true&_output=openapi',
  ])('GET %s answers what the user may read', async (path) => {
    const answer = await asAnn('GET', path)
    expect([answer.status, answer.headers.get('vary')]).toEqual([200, expect.stringContaining('X-View-As')])
    expect(answer.text).not.toMatch(new RegExp(`${margin}|${foreign}|tas_margin`))
    expect(answer.text).toMatch(/mine|ann|tas_code/)
  })

  it('has the counts, records, parameters and POST searches of the user', async () => {
    expect((await asAnn('GET', '/Task/?_count=true')).json.count).toBe(1)
    expect((await asAnn('POST', '/Task/_search', { json: { _count: true } })).json.count).toBe(1)
    expect((await asAnn('GET', `/Task/${ids[foreign]}`)).status).toBe(404)
    expect((await asAnn('GET', `/Task/_key/${foreign}`)).status).toBe(404)
    expect((await asAnn('GET', `/Task/${ids['mine']}/_metadata`)).json).toMatchObject({ update: false, del: false })
    for (const query of ['tas_margin=a', '_order=tas_margin', '_fields=tas_margin', '_filter=tas_margin is null'])
      expect([query, (await asAnn('GET', `/Task/?${encodeURI(query)}`)).status]).toEqual([query, 400])
    expect((await asAnn('GET', '/Task/?_crosstab=margins')).status).not.toBe(200)
    for (const object of ['User', 'Grant', 'AuditEntry', 'BackgroundTask'])
      expect([object, (await asAnn('GET', `/${object}/`)).status]).toEqual([object, 403])
    expect((await as('boss', 'GET', '/api/rest/Task/?_count=true', { see: 'süß' })).json.count).toBe(0)
  })

  it('is named by the application info with the user alone, without the session and its token', async () => {
    const headers = { authorization: `Bearer ${token}` }
    for (const path of ['/', '/?session=true']) {
      const { json, text } = await asAnn('GET', path, { headers })
      expect(json.session).toEqual({ id: '', login: 'ann', userid: ids['ann'] })
      expect(text).not.toContain(token)
    }
    expect((await asAnn('GET', '/', { headers })).json.user.responsibilities).toEqual(['STAFF'])
  })

  it.each<[string, string, Sent?]>([
    ['POST', '/Task', { json: { tas_code: 'new', tas_owner: 'ann' } }],
    ['POST', '/Task?_dryrun=true', { json: { tas_code: 'new', tas_owner: 'ann' } }],
    ['PUT', '/Task/mine', { json: { tas_owner: 'boss' } }],
    ['PUT', '/Task/_key/mine', { json: { tas_owner: 'boss' } }],
    ['DELETE', '/Task/mine'],
    ['POST', '/Task/mine?_method=DELETE', { json: {} }],
    ['POST', '/Task/mine', { json: {}, headers: { 'x-http-method-override': 'PUT' } }],
    ['POST', '/Task/_batch', { json: [{ action: 'create', values: { tas_code: 'new', tas_owner: 'ann' } }] }],
    ['POST', '/Task', { json: { tas_code: 'new' }, headers: { 'idempotency-key': 'k1' } }],
    ['GET', '/Task/mine/action:touch'],
    ['POST', '/Task/mine?_action=touch'],
    ['GET', '/Task/action:touch?_count=true'],
    ['PUT', '/Task/mine/_document/tas_file', { body: 'text', headers: { 'content-type': 'text/plain' } }],
    ['DELETE', '/_task/1'],
    ['PUT', '/User/boss', { json: { usr_password: 'taken-over-1' } }],
  ])('%s %s is refused, as ann and as another administrator', async (method, path, sent) => {
    const before = JSON.stringify(await records())
    const address = `/api/rest${path.replace(/(?<=Task\/|User\/)(mine|boss)/, (name) => ids[name] as string)}`
    for (const see of ['ann', 'chief', 'boss']) {
      const answer = await as('boss', method, address, { ...sent, see })
      expect([see, answer.status, answer.json.code]).toEqual([see, 403, 'ERR_RIGHT'])
      expect(answer.json.error).toContain(`nothing can be changed as "${see}"`)
    }
    expect(JSON.stringify(await records())).toBe(before)
  })

  it('keeps entity tags apart: one of another view is answered in full', async () => {
    const path = `/Task/${ids['mine']}`
    const own = await as('boss', 'GET', `/api/rest${path}`)
    const seen = await asAnn('GET', path, { headers: { 'if-none-match': own.headers.get('etag') as string } })
    expect([seen.status, seen.json.tas_margin]).toEqual([200, undefined])
    const tag = seen.headers.get('etag') as string
    expect((await asAnn('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304)
    const again = await as('boss', 'GET', `/api/rest${path}`, { headers: { 'if-none-match': tag } })
    expect([again.status, again.json.tas_margin]).toEqual([200, margin])
    expect((await as('ann', 'GET', `/api/rest${path}`)).json).toEqual(seen.json)
  })

  it('follows grants from the next call on', async () => {
    const group = await service.create(system, 'Group', { grp_name: 'READERS' })
    const member = { rsp_login_id: ids['ann'], rsp_group_id: group.row_id }
    const joined = await service.create(system, 'Responsibility', member)
    await service.create(system, 'Grant', { grt_group_id: group.row_id, grt_object: 'User', grt_rights: 'R' })
    expect((await asAnn('GET', '/User/')).status).toBe(200)
    await service.delete(system, 'Responsibility', joined.row_id)
    expect((await asAnn('GET', '/User/')).status).toBe(403)
  })

  it('is described to administrators alone, on what reads', async () => {
    const document = async (user: string, base = '/api/rest') =>
      (await as(user, 'GET', `${base}/?_doc=true&_output=openapi`)).json as {
        components: { parameters: object }
        paths: Record<string, Record<string, { parameters?: { $ref?: string }[] }>>
      }
    const { components, paths } = await document('boss')
    expect(components.parameters).toHaveProperty(['rest.X-View-As'], expect.objectContaining({ in: 'header' }))
    const takes = (method: string) =>
      paths['/Task']?.[method]?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/rest.X-View-As')
    expect([takes('get'), takes('post') ?? false]).toEqual([true, false])
    expect(JSON.stringify(await document('ann'))).not.toContain('X-View-As')
    expect(JSON.stringify(await document('boss', '/plain'))).not.toContain('X-View-As')
  })

  it('is logged with both users', async () => {
    await expect.poll(() => lines.some(({ user, viewAs }) => user === 'boss' && viewAs === 'süß')).toBe(true)
    expect(lines.some(({ user, viewAs }) => viewAs === 'ann' && user !== 'boss')).toBe(false)
  })

  it('gets the events of the user, until the user is switched off', async () => {
    const headers = { authorization: basic('boss', 'boss-password'), 'x-view-as': 'ann' }
    const stream = await openEventSource(`${server.url}/api/events`, headers)
    await service.create(system, 'Task', { tas_code: 'hidden event', tas_owner: 'boss' })
    const { row_id } = await service.create(system, 'Task', { tas_code: 'event', tas_owner: 'ann' })
    await expect.poll(() => stream.events.map(({ data }) => data.row_id)).toEqual([row_id])
    await service.update(system, 'User', ids['ann'] as string, { usr_active: false })
    await service.create(system, 'Task', { tas_code: 'next event', tas_owner: 'ann' })
    await stream.ended
    expect(stream.events).toHaveLength(1)
    expect((await asAnn('GET', '/Task/')).status).toBe(400)
    await service.update(system, 'User', ids['ann'] as string, { usr_active: true })
    const refused = await openEventSource(`${server.url}/api/events`, {
      ...headers,
      authorization: basic('ann', 'ann-password'),
    })
    expect(refused.response.status).toBe(403)
  })
})

describe('X-View-As is refused', () => {
  it.each(['boss', 'ann', 'gone', 'nobody', '%'])(
    'to a user who is not an administrator, whatever it names: %s',
    async (see) => {
      const answer = await as('ann', 'GET', '/api/rest/Task/', { see })
      expect([answer.status, answer.json.code, answer.json.error]).toEqual([
        403,
        'ERR_RIGHT',
        'Only administrators may see what other users see (X-View-As).',
      ])
    },
  )

  it('without credentials, also where these have all rights', async () => {
    expect((await call('GET', '/api/rest/Task/', { headers: { 'x-view-as': 'ann' } })).status).toBe(401)
    expect((await call('GET', '/public/Task/')).status).toBe(200)
    expect((await call('GET', '/public/Task/', { headers: { 'x-view-as': 'ann' } })).status).toBe(403)
  })

  it.each(['gone', 'nobody', 'boss '])('for a user who is not active: %s', async (see) => {
    const answer = await as('boss', 'GET', '/api/rest/Task/', { see })
    expect([answer.status, answer.json.code]).toEqual([400, 'ERR_BAD_REQUEST'])
    expect(answer.json.error).toContain('is not an active user')
  })

  it.each(['', '%zz', '%00'])('for what is not a login: "%s"', async (text) => {
    const answer = await as('boss', 'GET', '/api/rest/Task/', { headers: { 'x-view-as': text } })
    expect([text, answer.status]).toEqual([text, 400])
  })

  it('by a service that does not offer it, and by sign-in and sign-out', async () => {
    expect((await as('boss', 'GET', '/plain/Task/', { see: 'ann' })).json.error).toContain('does not take the header')
    for (const path of ['/api/login', '/api/logout'])
      expect([path, (await as('boss', 'POST', path, { see: 'ann' })).status]).toEqual([path, 400])
  })
})

async function records(): Promise<unknown[]> {
  const found: unknown[] = []
  for (const object of ['Task', 'User'])
    for await (const batch of await service.search(system, object, { timestamps: true })) found.push(...batch)
  return found
}
