/**
 * @module-tag mixed
 * @module-tag continued
 */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { basic, makeFolder, startApp } from './running-app-for-test.js'
import type { RunningApp } from './running-app-for-test.js'

const files = {
  'app.yaml':
    'name: shop\nversion: 1.0.0\nlog: { level: warn, format: none }\nevents: { allowPrivateWebhooks: true }\n',
  'objects/product.yaml': `
name: Product
events: true
audit: true
fields:
  prd_code: { type: string, length: 20, key: true }
`,
}
const key = Buffer.alloc(32, 5)
const headers = { ...basic('admin', 'secret-one'), 'content-type': 'application/json' }
const env = { STEWARD_ADMIN_PASSWORD: 'secret-one' }
const closers: (() => Promise<unknown>)[] = []

afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function start(folder: string, more: Record<string, string> = {}): Promise<RunningApp> {
  const app = await startApp([folder], { env: { ...env, ...more } })
  closers.push(() => app.end('SIGKILL'))
  return app
}

async function post(app: RunningApp, path: string, body: object) {
  const response = await fetch(`${app.origin}/api/rest/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { row_id: string }
}

const get = async (app: RunningApp, path: string) =>
  (await (await fetch(`${app.origin}/api/rest/${path}`, { headers })).json()) as Record<string, unknown>[]

/** What it reports to the program that may put it to sleep. */
const activityOf = async (app: RunningApp) =>
  ((await (await fetch(`${app.origin}/health.json`)).json()) as { readonly activity: unknown }).activity

/** As if the dead process had given back what it claimed. */
function endClaims(folder: string): void {
  const database = new Database(join(folder, 'data', 'shop.db'))
  database.exec('update sys_lease set lse_owner = null')
  database.close()
}

/** A listener, or none. */
async function createReceiver() {
  const received: { body: string; headers: NodeJS.Dict<string | string[]> }[] = []
  let answers = false
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      received.push({ body, headers: request.headers })
      if (answers) response.writeHead(200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    listen: () => (answers = true),
  }
}

/** What the first test left running: it has sent two events. */
let app: RunningApp

it('a server that is killed between commit and delivery delivers after its restart', { tags: 'core' }, async () => {
  const { folder, remove } = await makeFolder(files)
  closers.push(remove)
  const receiver = await createReceiver()
  const first = await start(folder)
  await post(first, 'Webhook', {
    whk_name: 'w',
    whk_url: receiver.url,
    whk_secret: `whsec_${key.toString('base64')}`,
  })
  const ids = [
    (await post(first, 'Product', { prd_code: 'one' })).row_id,
    (await post(first, 'Product', { prd_code: 'two' })).row_id,
  ]
  // The call hangs: it is not delivered when the server dies.
  await expect.poll(() => receiver.received.length).toBe(1)
  expect(await activityOf(first)).toEqual({ actions: 0, webhooks: 1 })
  await first.end('SIGKILL')
  endClaims(folder)
  receiver.listen()
  app = await start(folder)
  await expect.poll(async () => (await get(app, 'WebhookDelivery?whd_status=done')).length).toBe(2)
  await expect.poll(() => activityOf(app)).toEqual({ actions: 0, webhooks: 0 })
  const [hung, ...delivered] = receiver.received
  expect(delivered.map(({ body }) => (JSON.parse(body) as { data: { row_id: string } }).data.row_id)).toEqual(ids)
  expect(hung?.headers['webhook-id']).toBe(delivered[0]?.headers['webhook-id'])
  for (const { body, headers: sent } of delivered) {
    const text = `${String(sent['webhook-id'])}.${String(sent['webhook-timestamp'])}.${body}`
    expect(sent['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(text).digest('base64')}`)
  }
})

it('streams are at both addresses, and end when the server stops', async () => {
  const open = (path: string) => fetch(`${app.origin}${path}`, { headers })
  const streams = await Promise.all([open('/api/events'), open('/shop/api/events?object=Product')])
  expect(streams.map(({ status }) => status)).toEqual([200, 200])
  expect((await fetch(`${app.origin}/api/events`)).status).toBe(401)
  const texts = streams.map((stream) => stream.text())
  const { row_id: id } = await post(app, 'Product', { prd_code: 'three' })
  const [entry] = await get(app, `AuditEntry?aud_row_id=${id}&aud_object=Product`)
  expect(entry).toMatchObject({ aud_object: 'Product', aud_login: 'admin', aud_request: expect.stringMatching(/./) })
  const outbox = () => get(app, 'Event?evt_number=is not null')
  await expect.poll(async () => (await outbox()).length).toBe(3)
  expect(await app.end()).toBe(0)
  for (const text of await Promise.all(texts)) expect(text).toContain(`data: {"object":"Product","row_id":"${id}"`)
})

it('a neutralised server calls no webhook, and one that no longer is does not report what happened meanwhile', async () => {
  const { folder, remove } = await makeFolder(files)
  closers.push(remove)
  const receiver = await createReceiver()
  receiver.listen()
  const neutralised = await start(folder, { STEWARD_NEUTRALISED: 'true' })
  expect(neutralised.output()).toContain('It is neutralised: webhooks are not called, nothing is sent out.')
  expect(neutralised.errors()).toContain('Neutralised: webhooks are not called')
  expect(await (await fetch(`${neutralised.origin}/health`)).text()).toContain('neutralised=true\n')
  const secret = `whsec_${key.toString('base64')}`
  await post(neutralised, 'Webhook', { whk_name: 'w', whk_url: receiver.url, whk_secret: secret })
  await post(neutralised, 'Product', { prd_code: 'quiet' })
  // Before it has come to pass the event by.
  await neutralised.end('SIGKILL')
  const heard = await start(folder)
  const { row_id: loud } = await post(heard, 'Product', { prd_code: 'loud' })
  await expect.poll(() => receiver.received.length).toBe(1)
  expect(receiver.received[0]?.body).toContain(`"row_id":"${loud}"`)
  expect(await get(heard, 'WebhookDelivery')).toHaveLength(1)
})
