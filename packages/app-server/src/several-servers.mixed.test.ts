/** @module-tag mixed */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { freshDatabase, needs } from '../../../tests/servers/index.js'
import { basic, makeFolder } from './running-app-for-test.js'
import { adminPassword, serveHere, type Answer } from './serve-here-for-test.js'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

/** Shorter than anything is kept in memory without a look at the database, so generous for one second. */
const soon = { timeout: 25_000 }

const admin = { ...basic('admin', adminPassword), 'content-type': 'application/json' }
const ann = basic('ann', 'passport')

/** Calls of one server. */
type Call = (method: string, path: string, headers?: Record<string, string>, body?: object) => Promise<Answer>

interface Server {
  readonly origin: string
  readonly call: Call
}

/** Two servers, started at the same time, each with a pool and caches of its own. */
async function startTwo(database: string): Promise<[Server, Server]> {
  const { folder, remove } = await makeFolder({
    'app.yaml': 'name: shop\nversion: 1.0.0\nlog: { format: none }\nevents: { allowPrivateWebhooks: true }\n',
    'objects/note.yaml': 'name: Note\nevents: true\nfields:\n  not_text: { type: string }\n',
  })
  cleanUps.push(remove)
  return Promise.all([startOne(folder, database), startOne(folder, database)])
}

async function startOne(folder: string, database: string): Promise<Server> {
  const { port, call, close } = await serveHere(folder, database)
  cleanUps.push(close)
  return {
    origin: `http://127.0.0.1:${port}`,
    call: (method, path, headers = admin, body) => call(method, `/api/${path}`, headers, body),
  }
}

async function create(call: Call, object: string, values: object): Promise<string> {
  const { status, text } = await call('POST', `rest/${object}`, admin, values)
  expect([status, text]).toEqual([200, expect.anything()])
  return (JSON.parse(text) as { row_id: string }).row_id
}

async function changesHoldOnBoth(database: string): Promise<void> {
  const [{ call: one }, { call: two }] = await startTwo(database)
  const user = await create(one, 'User', { usr_login: 'ann', usr_password: 'passport' })
  const group = await create(one, 'Group', { grp_name: 'CLERK' })
  const responsibility = await create(one, 'Responsibility', { rsp_login_id: user, rsp_group_id: group })
  const read = async () => (await two('GET', 'rest/Note', ann)).status
  expect(await read()).toBe(403)

  await create(one, 'Grant', { grt_group_id: group, grt_object: 'Note', grt_rights: 'R' })
  await expect.poll(read, soon).toBe(200)
  await one('DELETE', `rest/Responsibility/${responsibility}`)
  await expect.poll(read, soon).toBe(403)

  const token = { Authorization: `Bearer ${(await one('POST', 'login', ann)).text.trim()}` }
  const withToken = async () => (await two('GET', 'rest/Note', token)).status
  expect(await withToken()).toBe(403)
  expect((await one('POST', 'logout', token)).status).toBe(200)
  await expect.poll(withToken, soon).toBe(401)

  const tester = async () => (await two('GET', 'tester/')).status
  expect(await tester()).toBe(200)
  await create(one, 'SystemParam', { sys_code: 'USE_API_TESTER', sys_value: 'no' })
  await expect.poll(tester, soon).toBe(404)

  expect((await one('PUT', `rest/User/${user}`, admin, { usr_active: false })).status).toBe(200)
  await expect.poll(read, soon).toBe(401)
}

test(
  'changes of rights, users, parameters and tokens hold on the other server of an SQLite file',
  { tags: 'core' },
  async () => {
    await changesHoldOnBoth('sqlite:several.db')
  },
)

test('a stream of events ends on the other server when its user is switched off, though it gets no other request', async () => {
  const [{ call: one }, { origin }] = await startTwo('sqlite:streams.db')
  const user = await create(one, 'User', { usr_login: 'ann', usr_password: 'passport' })
  const group = await create(one, 'Group', { grp_name: 'CLERK' })
  await create(one, 'Responsibility', { rsp_login_id: user, rsp_group_id: group })
  await create(one, 'Grant', { grt_group_id: group, grt_object: 'Note', grt_rights: 'R' })
  const stream = await fetch(`${origin}/api/events`, { headers: ann })
  expect(stream.status).toBe(200)
  let received = ''
  let hasEnded = false
  const read = async () => {
    for await (const chunk of stream.body as AsyncIterable<Uint8Array>) received += new TextDecoder().decode(chunk)
    hasEnded = true
  }
  void read()
  await create(one, 'Note', { not_text: 'first' })
  await expect.poll(() => received, soon).toContain('"Note"')
  expect((await one('PUT', `rest/User/${user}`, admin, { usr_active: false })).status).toBe(200)
  const endsAtTheNextEvent = async () => {
    await create(one, 'Note', { not_text: 'next' })
    return hasEnded
  }
  await expect.poll(endsAtTheNextEvent, soon).toBe(true)
})

test('webhooks of a user who was switched off on either server are not called', async () => {
  const servers = await startTwo('sqlite:webhooks.db')
  const [{ call: one }] = servers
  const receiver = createServer((_request, response) => response.end())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  cleanUps.push(async () => receiver.close())
  const user = await create(one, 'User', { usr_login: 'ann', usr_password: 'passport' })
  const group = await create(one, 'Group', { grp_name: 'CLERK' })
  await create(one, 'Responsibility', { rsp_login_id: user, rsp_group_id: group })
  await create(one, 'Grant', { grt_group_id: group, grt_object: 'Note', grt_rights: 'R' })
  await create(one, 'Webhook', {
    whk_name: 'w',
    whk_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    whk_secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    whk_user_id: user,
  })
  /** How the delivery of a new record ended. */
  const outcome = async (call: Call) => {
    const note = await create(call, 'Note', { not_text: 'new' })
    const find = async () => {
      const { text } = await call('GET', `rest/WebhookDelivery/?whd_object=Note&whd_row_id=${note}`)
      return (JSON.parse(text) as { whd_status: string }[])[0]?.whd_status
    }
    await expect.poll(find, soon).toMatch(/done|skipped/)
    return find()
  }
  // One of them sends, it is unknown which: in one of the rounds it gets no requests.
  for (const { call } of servers) {
    const setActive = async (active: boolean) => {
      const { status } = await call('PUT', `rest/User/${user}`, admin, { usr_active: active })
      expect(status).toBe(200)
    }
    await setActive(true)
    await expect.poll(() => outcome(call), soon).toBe('done')
    await setActive(false)
    await expect.poll(() => outcome(call), soon).toBe('skipped')
  }
})

for (const name of ['postgresql', 'mysql'] as const)
  needs(name, (url) => {
    test(`changes of rights, users, parameters and tokens hold on the other server, ${name}`, async () => {
      const database = await freshDatabase(url)
      cleanUps.push(() => database.drop())
      await changesHoldOnBoth(database.url)
    })
  })
