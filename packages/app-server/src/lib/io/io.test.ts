import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { useCheapPasswords } from '../../../../../tests/cheap-passwords.js'
import { basic, makeFolder, shopFiles } from '../../running-app-for-test.js'
import { loadAppDefinition } from '../app-definition.js'
import { createApplication } from '../create-application.js'
import { createLogRing } from '../log-ring.js'
import { listen } from '../serve.js'
import { readSettings } from '../settings.js'

useCheapPasswords()

const account = { STEWARD_SERVICE_USER: 'io', STEWARD_SERVICE_PASSWORD: 's3rvice' }
const io = basic('io', 's3rvice')

const files = {
  ...shopFiles,
  'objects/review.yaml': 'name: Review\nindexable: true\nfields: { rev_code: { type: string, key: true } }\n',
  'tests/products.ts': `
export default {
  async keeps({ service, principal, assert }) {
    await service.create(principal, 'Product', { prd_code: 'T', prd_name: 'Test' })
    assert.equal((await service.count(principal, 'Product')).count, 1)
  },
  async undone({ service, principal, assert }) {
    assert.equal((await service.count(principal, 'Product')).count, 0)
  },
}
`,
  'tests/wrong.ts': `
export async function fails({ assert }) { assert.equal(1, 2, 'one is not two') }
export async function refused({ service, principal }) { await service.create(principal, 'Product', {}) }
`,
}

type Form = Readonly<Record<string, string | Blob>>

async function start(options: { env?: Record<string, string>; yaml?: string; folder?: string } = {}) {
  const yaml = options.yaml ?? ''
  const { folder, remove } =
    options.folder === undefined
      ? await makeFolder({ ...files, 'app.yaml': `name: shop\nversion: 1.0.0\n${yaml}` })
      : { folder: options.folder, remove: () => Promise.resolve() }
  const settings = readSettings({ STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd', ...(options.env ?? account) })
  const logs = createLogRing()
  const logger = pino({ level: 'info', base: null }, logs)
  const definition = await loadAppDefinition(folder, settings)
  const application = await createApplication({ folder, definition, settings, logger, logs })
  const listener = await listen({ host: '127.0.0.1', port: 0, graceMs: 100 })
  listener.serve(application.koa)
  onTestFinished(async () => {
    await listener.stop()
    await application.close()
    await remove()
  })
  const origin = `http://127.0.0.1:${listener.port}`
  return {
    folder,
    origin,
    logs,
    async call(form: Form, { headers = io, path = '/io' }: { headers?: Record<string, string>; path?: string } = {}) {
      const body = new FormData()
      for (const [name, value] of Object.entries(form)) body.set(name, value)
      const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    async count(object: string) {
      const response = await fetch(`${origin}/api/rest/${object}/?_count=true`, {
        headers: basic('admin', 's3cret-passw0rd'),
      })
      return ((await response.json()) as { count: number }).count
    },
    leftOver: () => readdir(join(folder, 'data', 'tmp')).catch(() => []),
  }
}

const xml = `<objects><object><name>Product</name>
<data><prd_code>A</prd_code><prd_name>Apple</prd_name></data>
<data><prd_code>B</prd_code><prd_name>Banana</prd_name></data>
</object></objects>`

test('imports take their payload as file, data or url, and answer OK or a report', async () => {
  const app = await start({ yaml: 'io: { privateUrls: true }\n' })
  expect(await app.call({ service: 'xmlimport', file: new Blob([xml]) })).toMatchObject({ status: 200, text: 'OK' })
  const json = JSON.stringify([{ name: 'Product', data: { prd_code: 'C', prd_name: 'Cherry' } }])
  const report = await app.call({ service: 'jsonimport', data: json, format: 'json' }, { path: '/shop/io' })
  expect(JSON.parse(report.text)).toEqual({
    status: 'OK',
    objects: { Product: { created: 1, updated: 0, deleted: 0, unchanged: 0 } },
  })
  const form = new URLSearchParams({ service: 'csvimport', object: 'Product', data: 'prd_code;prd_name\nD;Date\n' })
  const urlencoded = await fetch(`${app.origin}/io`, { method: 'POST', headers: io, body: form })
  expect([urlencoded.status, await urlencoded.text()]).toEqual([200, 'OK'])
  const server = createServer((_request, response) => response.end('prd_code,prd_name\nE,Elder\n')).listen(0)
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.csv`
  expect((await app.call({ service: 'csvimport', object: 'Product', url })).text).toBe('OK')
  expect(await app.count('Product')).toBe(5)
  expect(await app.leftOver()).toEqual([])
})

test('a refused import changes nothing, says where and why, and leaves no file', async () => {
  const app = await start()
  const wrong = xml.replace('Banana', '')
  const { status, text } = await app.call({ service: 'xmlimport', file: new File([wrong], 'fruit.xml') })
  expect([status, text]).toEqual([400, 'fruit.xml, line 3: Product: Field "prd_name" is required.'])
  const json = await app.call({ service: 'xmlimport', data: wrong, format: 'json' })
  expect(JSON.parse(json.text)).toMatchObject({
    status: 400,
    code: 'ERR_VALIDATION',
    messages: [{ code: 'ERR_REQUIRED', field: 'prd_name' }],
  })
  expect(await app.count('Product')).toBe(0)
  expect(await app.leftOver()).toEqual([])
})

test('exports come as files, of all objects of the application or of one, with filters', async () => {
  const app = await start()
  await app.call({ service: 'xmlimport', data: xml })
  const csv = await app.call({ service: 'csvexport', object: 'Product', prd_name: 'A*' })
  expect(csv.text).toBe('prd_code,prd_name\r\nA,Apple\r\n')
  const either = { service: 'csvexport', object: 'Product', _filter: "prd_code = 'A' or prd_name is null" }
  expect((await app.call(either)).text).toBe(csv.text)
  expect((await app.call({ service: 'jsonexport', _filter: 'prd_code is null' })).text).toBe('Filters need one object.')
  expect(csv.headers.get('content-type')).toContain('text/csv')
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="Product.csv"')
  const json = JSON.parse((await app.call({ service: 'jsonexport' })).text) as { objects: { name: string }[] }
  expect(json.objects.map(({ name }) => name)).toEqual(['Product', 'Order', 'Review'])
  expect((await app.call({ service: 'xmlexport', object: 'Product' })).text).toContain(
    '<data><prd_code>A</prd_code><prd_name>Apple</prd_name></data>',
  )
  expect(await app.call({ service: 'csvexport' })).toMatchObject({ status: 400, text: 'Name one object to export.' })
  expect((await app.call({ service: 'csvexport', object: 'Product', nothing: '1' })).status).toBe(400)
})

test('only the service user gets in; guessing its password is slowed down', async () => {
  const app = await start()
  const none = await app.call({ service: 'clearcache' }, { headers: {} })
  expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="shop io", charset="UTF-8"'])
  expect((await app.call({ service: 'clearcache' }, { headers: basic('admin', 's3cret-passw0rd') })).status).toBe(401)
  expect((await app.call({ service: 'clearcache' })).text).toBe('OK')
  const statuses = []
  for (let at = 0; at < 12; at++)
    statuses.push((await app.call({ service: 'clearcache' }, { headers: basic('io', `wrong ${at}`) })).status)
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401))
  expect(statuses.at(-1)).toBe(429)
})

test('without a service user the address is not there; half a service user ends the start', async () => {
  const app = await start({ env: {} })
  expect((await app.call({ service: 'clearcache' })).status).toBe(404)
  expect(() => readSettings({ SERVICE_USER: 'io' })).toThrow('belong together')
  expect(readSettings({ SERVICE_USER: 'io', SERVICE_PASSWORD: 'x', STEWARD_SERVICE_USER: 'other' })).toMatchObject({
    serviceAccount: { user: 'other', password: 'x' },
  })
})

test('clearcache makes all processes on the database forget what they read of a user', async () => {
  const app = await start()
  const other = await start({ folder: app.folder })
  const statusAt = async ({ origin }: { origin: string }) =>
    (await fetch(`${origin}/api/rest/Product/`, { headers: basic('admin', 's3cret-passw0rd') })).status
  expect([await statusAt(app), await statusAt(other)]).toEqual([200, 200])
  const [name = ''] = (await readdir(join(app.folder, 'data'))).filter((file) => file.endsWith('.db'))
  const database = new DatabaseSync(join(app.folder, 'data', name))
  onTestFinished(() => database.close())
  expect(database.prepare(`update sys_user set usr_active = 0 where usr_login = 'admin'`).run().changes).toBe(1)
  expect((await app.call({ service: 'clearcache' })).text).toBe('OK')
  expect(await statusAt(app)).toBe(401)
  await expect.poll(() => statusAt(other)).toBe(401)
})

test('pages of other sites, other methods and other bodies are refused', async () => {
  const app = await start()
  const foreign = await app.call({ service: 'clearcache' }, { headers: { ...io, 'Sec-Fetch-Site': 'cross-site' } })
  expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining('page of another site')])
  // As browsers send it to plain http: without Fetch Metadata.
  const statusOf = async (headers: Record<string, string>) =>
    (await app.call({ service: 'clearcache' }, { headers: { ...io, ...headers } })).status
  expect(await statusOf({ Origin: 'http://evil.example' })).toBe(403)
  expect(await statusOf({ Referer: 'http://evil.example/page' })).toBe(403)
  expect(await statusOf({ Origin: app.origin })).toBe(200)
  expect(await statusOf({ Referer: `${app.origin}/page` })).toBe(200)
  expect(await statusOf({})).toBe(200)
  const get = await fetch(`${app.origin}/io?service=clearcache`, { headers: io })
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  const json = { method: 'POST', headers: { ...io, 'Content-Type': 'application/json' }, body: '{}' }
  expect((await fetch(`${app.origin}/io`, json)).status).toBe(415)
})

const refusals: readonly (readonly [Form, string])[] = [
  [{}, 'There is no service ""; there are xmlimport'],
  [{ service: 'toString' }, 'There is no service "toString"'],
  [{ service: 'xmlimport' }, 'The payload is missing'],
  [{ service: 'xmlimport', data: xml, url: 'http://x.example/' }, 'Send one payload'],
  [{ service: 'xmlimport', other: new Blob(['x']) }, 'A file in "other"; send it as "file".'],
  [{ service: 'xmlimport', file: new Blob(['x']), data: xml }, 'Send one payload'],
  [{ service: 'csvimport', data: 'a\n1\n' }, 'csvimport needs the parameter "object"'],
  [{ service: 'csvimport', object: 'Product', action: 'drop', data: 'a\n1\n' }, '"drop" is not an action'],
  [{ service: 'xmlimport', url: 'file:///etc/passwd' }, 'must be an http or https address'],
  [
    { service: 'xmlimport', url: 'http://127.0.0.1:1/x?token=t' },
    'http://127.0.0.1:1/x cannot be loaded: it is in a private',
  ],
  [{ service: 'xmlimport', url: 'http://[::ffff:10.0.0.1]/' }, 'private network'],
  [{ service: 'xmlimport', url: 'http://localhost:1/' }, 'private network'],
  [{ service: 'purgelogs', depth: '-1' }, '"depth" must be a whole number'],
  [{ service: 'unittests', test: '../../secret' }, 'There is no test module "../../secret"'],
  [{ service: 'xmlimport', data: xml, x: 'y'.repeat(70_000) }, 'Parameter "x" is too long'],
]

test('what cannot be done is refused with the reason, and leaves no file', async () => {
  const app = await start()
  for (const [form, message] of refusals) {
    const { status, text } = await app.call(form)
    expect([status >= 400 && status < 500, text]).toEqual([true, expect.stringContaining(message)])
  }
  expect(await app.leftOver()).toEqual([])
})

test('a payload that is too large is refused, and a form that breaks off', async () => {
  const app = await start({ yaml: 'io: { maxBytes: 1000 }\n' })
  const large = await app.call({ service: 'xmlimport', file: new Blob(['x'.repeat(2000)]) })
  expect([large.status, large.text]).toEqual([413, 'The payload is larger than 1000 bytes.'])
  const broken = await fetch(`${app.origin}/io`, {
    method: 'POST',
    headers: { ...io, 'Content-Type': 'multipart/form-data; boundary=b' },
    body: '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhalf',
  })
  expect([broken.status, await broken.text()]).toEqual([400, expect.stringContaining('The form cannot be read')])
  expect(await app.leftOver()).toEqual([])
})

test('purges report what they removed, and where there is nothing', async () => {
  const app = await start()
  const purge = async (service: string, form: Form = {}) =>
    JSON.parse((await app.call({ service, format: 'json', ...form })).text) as object
  expect(await purge('purgerecyclebin')).toEqual({
    status: 'OK',
    removed: {},
    note: 'Nothing of the kind is kept here.',
  })
  expect((await app.call({ service: 'logs' })).text).toContain('"url":"/io"')
  expect(await purge('purgelogs')).toMatchObject({ removed: { 'log lines in memory': expect.any(Number) } })
  expect(await purge('purgeall', { depth: '30' })).toMatchObject({
    status: 'OK',
    removed: {
      'documents that no record has': 0,
      'revoked tokens that have ended': 0,
      'webhook deliveries that have ended': 0,
    },
  })
})

test('logs answers the last lines, without secrets', async () => {
  const app = await start()
  await fetch(`${app.origin}/api/rest/Product/?password=topsecret`, { headers: basic('admin', 's3cret-passw0rd') })
  const { text } = await app.call({ service: 'logs', lines: '1' })
  expect(text.split('\n')).toHaveLength(1)
  expect(text).toContain('/api/rest/Product/')
  expect(app.logs.lines().join('')).not.toMatch(/topsecret|s3rvice|s3cret-passw0rd/)
})

test('buildindex brings the index in step', async () => {
  const app = await start()
  await app.call({ service: 'csvimport', object: 'Review', data: 'rev_code\nx\n' })
  expect(await app.call({ service: 'buildindex' })).toMatchObject({ status: 200, text: 'OK' })
})

test('unittests runs test modules, keeps nothing of them, and answers what failed', async () => {
  const app = await start()
  expect(await app.call({ service: 'unittests', test: 'products' })).toMatchObject({ status: 200, text: 'OK' })
  const wrong = await app.call({ service: 'unittests', test: 'wrong' })
  expect(wrong.status).toBe(500)
  expect(wrong.text.replace(/\d+ ms/g, 'ms')).toBe(
    'FAILED wrong: fails (ms)\n  one is not two\n  1 !== 2\nFAILED wrong: refused (ms)\n  Field "prd_code" is required.\n  Field "prd_name" is required.\n0 passed, 2 failed',
  )
  const all = await app.call({ service: 'unittests', format: 'json' })
  expect([all.status, JSON.parse(all.text)]).toMatchObject([500, { status: 'KO', passed: 2, failed: 2 }])
  expect(await app.count('Product')).toBe(0)
})
