/** @module-tag mixed */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { readFileSync, statSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { basic, makeFolder, runCli, runHere, shopFiles, startApp } from './running-app-for-test.js'
import type { RunningApp } from './running-app-for-test.js'

const removals: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const remove of removals) await remove()
})

const admin = basic('admin', 's3cret-passw0rd')
const env = { STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd' }
const json = { 'Content-Type': 'application/json' }
const manifest = new URL('../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const { folder, remove } = await makeFolder(files)
  removals.push(remove)
  return folder
}

/** A port that another program has until `close` is called. */
async function takenPort() {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  return { port: String((other.address() as AddressInfo).port), close: () => other.close() }
}

describe('an application', { tags: 'core' }, () => {
  let folder: string
  let app: RunningApp

  beforeAll(async () => {
    const lamp = `
import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
export const Lamp = {
  name: 'Lamp',
  fields: { lmp_no: { type: 'string', key: true } },
  actions: {
    burn: {
      scope: 'global',
      background: true,
      parameters: { file: { type: 'string' } },
      async run({ parameters, signal, service, principal }) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await pause(100)
        await service.create(principal, 'Lamp', { lmp_no: 'out' })
        await writeFile(parameters.file, 'out')
      },
    },
  },
}
`
    folder = await folderOf({ ...shopFiles, 'objects/lamp.ts': lamp })
    app = await startApp([folder], { env })
  })

  afterAll(() => app?.end('SIGKILL'))

  const write = (object: string, body: object) =>
    fetch(`${app.origin}/api/rest/${object}`, {
      method: 'POST',
      headers: { ...admin, ...json },
      body: JSON.stringify(body),
    })
  const idOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { row_id: string }).row_id

  test('objects of YAML and TypeScript are served under all base addresses', async () => {
    const created = await write('Product', { prd_code: 'A', prd_name: 'Apple' })
    const product = (await created.json()) as { row_id: string }
    expect(created.headers.get('location')).toBe(`/api/rest/Product/${product.row_id}`)
    const second = await fetch(`${app.origin}/shop/api/rest/Product`, {
      method: 'POST',
      headers: { ...admin, ...json },
      body: '{"prd_code":"B","prd_name":"Banana"}',
    })
    const other = (await second.json()) as { row_id: string }
    expect(second.headers.get('location')).toBe(`/shop/api/rest/Product/${other.row_id}`)
    for (const base of ['/shop/api/rest', '/shopws/rest', '/api/rest']) {
      expect(await (await fetch(`${app.origin}${base}/Product/`, { headers: admin })).json()).toEqual([product, other])
    }
    expect(await (await write('Order', { ord_no: '1', ord_product_id: product.row_id })).json()).toMatchObject({
      ord_product_id__prd_name: 'Apple',
    })
    expect(await (await fetch(`${app.origin}/api/rest`, { headers: admin })).json()).toMatchObject({
      name: 'shop',
      title: 'Shop',
      version: '1.2.3',
      user: { login: 'admin' },
    })
  })

  test('system objects are there with the fields of the requirements', async () => {
    const id = await idOf(write('Module', { mdl_name: 'Base' }))
    const param = await (await write('SystemParam', { sys_code: 'A', sys_value: '1', row_module_id: id })).json()
    expect(param).toEqual({
      row_id: '1',
      sys_code: 'A',
      sys_value: '1',
      sys_type: 'TXT',
      sys_desc: '',
      row_module_id: id,
      row_module_id__mdl_name: 'Base',
    })
    const users = await (await fetch(`${app.origin}/api/rest/User/`, { headers: admin })).text()
    expect(users).toContain('"usr_login":"admin"')
    expect(users).not.toContain('scrypt')
  })

  test('a password from the environment is printed nowhere', () => {
    expect(app.output()).toContain('Stop:')
    expect(app.output() + app.errors()).not.toContain('s3cret-passw0rd')
  })

  test('a changed right holds for the next call', async () => {
    const groupId = await idOf(write('Group', { grp_name: 'CLERK' }))
    const userId = await idOf(write('User', { usr_login: 'ann', usr_password: 'passport' }))
    await write('Responsibility', { rsp_login_id: userId, rsp_group_id: groupId })
    const read = async () =>
      (await fetch(`${app.origin}/api/rest/Product/`, { headers: basic('ann', 'passport') })).status
    expect(await read()).toBe(403)
    await write('Grant', { grt_group_id: groupId, grt_object: 'Product', grt_rights: 'R' })
    expect(await read()).toBe(200)
  })

  test.skipIf(process.platform === 'win32')("the application's data is for its owner only", async () => {
    const data = join(folder, 'data')
    const files = await readdir(data, { recursive: true, withFileTypes: true })
    const paths = [data, ...files.map(({ parentPath, name }) => join(parentPath, name))]
    const open = paths.filter((path) => statSync(path).mode & 0o077)
    expect(paths.length).toBeGreaterThan(2)
    expect(open).toEqual([])
  })

  test('/ping and /health need no credentials', async () => {
    expect(await (await fetch(`${app.origin}/ping`)).json()).toEqual({ status: 'OK' })
    const text = await (await fetch(`${app.origin}/health`)).text()
    expect(text.startsWith(`[platform]\nstatus=OK\nversion=${version}\n`)).toBe(true)
    expect(text).toMatch(/\[application\]\nname=shop\nversion=1\.2\.3\nmodel=[\da-f]{32}\n/)
    const sections = [
      'platform',
      'application',
      'server',
      'os',
      'disk',
      'process',
      'cache',
      'activity',
      'database',
      'healthcheck',
    ]
    for (const path of ['/health?format=json', '/health.json']) {
      expect(Object.keys((await (await fetch(app.origin + path)).json()) as object)).toEqual(sections)
    }
  })

  test('the application info names the version of the application, and of what it runs on', async () => {
    const info = await (await fetch(`${app.origin}/api/rest`, { headers: admin })).json()
    expect(info).toMatchObject({ name: 'shop', version: '1.2.3', platformversion: version })
  })

  test('there is no session cookie', async () => {
    const { headers } = await fetch(`${app.origin}/api/rest?session=true`, { headers: admin })
    expect(headers.get('set-cookie')).toBe(null)
    const cookie = 'JSESSIONID=x'
    expect((await fetch(`${app.origin}/api/rest?session=true`, { headers: { cookie } })).status).toBe(401)
  })

  test('a stop finishes running requests, takes no new ones, aborts a background action and lets it end', async () => {
    const file = join(folder, 'lamp.txt')
    const burning = await fetch(`${app.origin}/api/rest/Lamp/action:burn?file=${encodeURIComponent(file)}`, {
      headers: admin,
    })
    expect(burning.status).toBe(202)
    expect(await (await fetch(`${app.origin}/health`)).text()).toContain('[activity]\nactions=1\nwebhooks=0\n')
    const slow = write('Order', { ord_no: 'SLOW' })
    // The request is under way when its connection is; the hook then waits a second.
    await write('Order', { ord_no: 'FAST' })
    const ended = app.end('SIGTERM')
    expect((await slow).status).toBe(200)
    expect(await ended).toBe(0)
    expect(await readFile(file, 'utf8')).toBe('out')
    await expect(fetch(`${app.origin}/ping`)).rejects.toThrow()
  })
})

describe('the life of an application: each test continues with what the one before left', () => {
  let folder: string
  let app: RunningApp | undefined
  let tokens: { readonly kept: string; readonly revoked: string }
  let password = ''
  const logIn = async (login = 'admin', secret = password) =>
    await fetch(`${app?.origin}/api/login`, { headers: basic(login, secret) })
  const status = async (token: string) =>
    (await fetch(`${app?.origin}/api/rest`, { headers: { Authorization: `Bearer ${token}` } })).status

  beforeAll(async () => {
    folder = await folderOf(shopFiles)
  })
  afterEach(() => app?.end())

  test('a taken port ends with one clear line, and spoils nothing: the password is printed by the start that serves', async () => {
    const { port, close } = await takenPort()
    const { code, errors, output } = await runCli([folder, '--port', port])
    close()
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toBe(`app-server: Port ${port} on 127.0.0.1 is taken; choose another with --port or STEWARD_PORT.\n`)
    app = await startApp([folder])
    password = /was made with the password (\S+)/.exec(app.output())?.[1] ?? ''
    tokens = { kept: await (await logIn()).text(), revoked: await (await logIn()).text() }
    await fetch(`${app.origin}/api/logout`, { headers: { Authorization: `Bearer ${tokens.revoked}` } })
    expect(await status(tokens.kept)).toBe(200)
    expect(await app.end()).toBe(0)
  })

  test('a second start prints no password; tokens outlive it, but neither a logout nor a new password', async () => {
    app = await startApp([folder])
    expect(app.output()).not.toContain('password ')
    const { kept, revoked } = tokens
    expect([await status(kept), await status(revoked)]).toEqual([200, 401])
    const changed = await fetch(`${app.origin}/api/rest/User/1`, {
      method: 'PUT',
      headers: { ...json, Authorization: `Bearer ${kept}` },
      body: '{"usr_password":"n3w-passw0rd"}',
    })
    expect(changed.status).toBe(200)
    expect(await status(kept)).toBe(401)
    expect((await logIn()).status).toBe(401)
    expect((await logIn('admin', 'n3w-passw0rd')).status).toBe(200)
  })

  test('--reset-admin makes another password; what narrows a column is refused, and done with --destructive', async () => {
    const reset = await runCli([folder, '--reset-admin'])
    password = /new password: (\S+)/.exec(reset.output)?.[1] ?? ''
    const narrow = shopFiles['objects/product.yaml'].replace('length: 80', 'length: 40')
    await writeFile(join(folder, 'objects/product.yaml'), narrow)
    const { code, errors } = await runCli([folder], { env })
    expect(code).toBe(1)
    expect(errors).toContain('prd_name')
    app = await startApp([folder, '--destructive'])
    expect((await logIn('admin', 'n3w-passw0rd')).status).toBe(401)
    expect((await logIn()).status).toBe(200)
  })
})

describe('an application with more in its app.yaml', { tags: 'core' }, () => {
  let app: RunningApp
  let setUp: { readonly code: number | null; readonly errors: string }
  let port: string

  beforeAll(async () => {
    const yaml = `name: shop
version: 1.0.0
level: '3.2'
log: { level: warn }
setup: fill.mjs
publicUser: guest
authorizationHeader: Shop
passwordless: true
minPasswordLength: 10
tokenMinutes: 5
environments:
  test: { title: Test shop }
`
    const fill = `export default async ({ service, principal }) => {
  await service.create(principal, 'Product', { prd_code: 'A', prd_name: 'Apple' })
  const answer = await fetch('http://127.0.0.1:' + process.argv[process.argv.indexOf('--port') + 1] + '/ping')
  console.log('while starting', answer.status, answer.headers.get('retry-after'))
  throw new Error('no paper')
}`
    const folder = await folderOf({ ...shopFiles, 'app.yaml': yaml, 'fill.mjs': fill })
    const taken = await takenPort()
    taken.close()
    port = taken.port
    const args = [folder, '--env', 'test', '--port', port]
    setUp = await runCli(args, { env })
    await writeFile(join(folder, 'fill.mjs'), fill.replace("throw new Error('no paper')", ''))
    app = await startApp(args, { env })
  })

  afterAll(() => app?.end('SIGKILL'))

  const headers = { 'X-Shop-Authorization': admin['Authorization'] ?? '', ...json }

  test('while it starts, it answers 503', () => {
    expect(app.output()).toContain('while starting 503 2')
  })

  test('an environment puts its values over the common ones', () => {
    expect(app.output()).toMatch(/^Test shop 1\.0\.0 is served/m)
  })

  test('a set-up that fails leaves nothing, and runs again', async () => {
    expect(setUp).toMatchObject({ code: 1, errors: expect.stringContaining('no paper') })
    expect(await (await fetch(`${app.origin}/api/rest/Product/`, { headers })).json()).toHaveLength(1)
  })

  test('levels 3.x have a session cookie', async () => {
    const answer = await fetch(`${app.origin}/api/rest?session=true`, { headers })
    expect(answer.headers.get('set-cookie')).toMatch(/^JSESSIONID=/)
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await fetch(`${app.origin}/api/rest?session=true`, { headers: { cookie } })).status).toBe(200)
  })

  test('users without a password sign in with their login alone, administrators do not', async () => {
    expect(app.output() + app.errors()).toContain('Users without a password sign in with their login alone')
    const write = async (object: string, body: object) =>
      (await fetch(`${app.origin}/api/rest/${object}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    const { row_id: userId } = (await write('User', { usr_login: 'open' })) as { row_id: string }
    const status = async () => {
      const authorization = { 'X-Shop-Authorization': basic('open', '')['Authorization'] ?? '' }
      return (await fetch(`${app.origin}/api/rest?session=true`, { headers: authorization })).status
    }
    expect(await status()).toBe(200)
    await write('Responsibility', { rsp_login_id: userId, rsp_group_id: '1' })
    expect(await status()).toBe(401)
  })

  test('passwords and tokens follow app.yaml', async () => {
    const body = JSON.stringify({ usr_login: 'short', usr_password: 'nine char' })
    const refused = await fetch(`${app.origin}/api/rest/User`, { method: 'POST', headers, body })
    expect(((await refused.json()) as { error: string }).error).toContain('at least 10 characters')
    const login = await fetch(`${app.origin}/api/login?format=json`, { headers })
    const { authtokenexpiry: expires } = (await login.json()) as { authtokenexpiry: number }
    expect(expires - Date.now()).toBeLessThanOrEqual(300_000)
  })

  test('the anonymous user is the public one, with the rights of now', async () => {
    const read = async () => (await fetch(`${app.origin}/api/rest/Product/`)).status
    expect(await read()).toBe(401)
    const write = async (object: string, body: object) => {
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      return ((await (await fetch(`${app.origin}/api/rest/${object}`, request)).json()) as { row_id: string }).row_id
    }
    const userId = await write('User', { usr_login: 'guest' })
    const groupId = await write('Group', { grp_name: 'GUESTS' })
    await write('Responsibility', { rsp_login_id: userId, rsp_group_id: groupId })
    expect(await read()).toBe(403)
    await write('Grant', { grt_group_id: groupId, grt_object: 'Product', grt_rights: 'R' })
    expect(await read()).toBe(200)
  })
})

test('broken definitions are all named with file and line', { tags: 'core' }, async () => {
  const folder = await folderOf({
    ...shopFiles,
    'objects/product.yaml': 'name: Product\nfields:\n  prd_code: { type: strong }\n',
    'objects/empty.ts': 'export const nothing = 1\n',
  })
  const { code, errors } = await runHere([folder], { env })
  expect(code).toBe(1)
  expect(errors).toContain('the application is not right')
  expect(errors).toMatch(/product\.yaml:3:\d+ fields\.prd_code\.type/)
  expect(errors).toContain('empty.ts: it exports no object definition')
})

test.each([
  ['version: 1.0.0\n', /app\.yaml:1:1 .*name/],
  ['name: shop\nversion: 1.0.0\nporte: 80\n', /app\.yaml:3:1 porte.*port/],
  ['name: shop\nversion: 1.0.0\nport: high\n', /app\.yaml:3:7 port/],
])('app.yaml %j is refused with its line', async (text, expected) => {
  const { code, errors } = await runHere([await folderOf({ ...shopFiles, 'app.yaml': text })], { env })
  expect(code).toBe(1)
  expect(errors).toMatch(expected)
})

test.each([
  [['--port', 'x'], 2, '--port must be a port'],
  [['--colour'], 2, '--colour'],
  [['--database', 'sqlite:x.db', '--name', 'my shop'], 2, '--name must begin with a letter'],
  [['--database', 'sqlite:x.db', '--name', ''], 2, '--name must begin with a letter'],
  [['.', '--name', 'shop'], 1, '--name and --title are for a database without a folder'],
  [['.', '--title', 'Shop'], 1, '--name and --title are for a database without a folder'],
  [[], 1, 'Give the folder of an application, or a database'],
  [['/nowhere'], 1, '/nowhere has no app.yaml'],
  [['--database', 'db2://x'], 1, 'db2:'],
  [['--database', 'oracle://x'], 1, 'The database URL names no service; write one like oracle://user:password@host:'],
  [['--database', 'mssql://x'], 1, 'The database URL names no database; write one like mssql://user:password@host:'],
  [['--describe', 'oracle://'], 1, 'The database URL names no host; write one like oracle://'],
  [['--describe', 'mysql://u:p@h/d?a=1'], 1, 'The database URL has the parameter "a", which is unknown'],
])('wrong usage %j is explained', { tags: 'core' }, async (args, expected, text) => {
  const { code, errors } = await runHere(args, { cwd: await folderOf({}), env })
  expect(errors).toContain(text)
  expect(code).toBe(expected)
})

test('--help and --version end well', { tags: 'core' }, async () => {
  const help = await runHere(['--help'])
  expect(help).toMatchObject({ code: 0, errors: '' })
  expect(help.output).toContain('STEWARD_ADMIN_PASSWORD')
  expect((await runHere(['--version'])).output).toBe(`${version}\n`)
})

const minimal = 'name: shop\nversion: 1.0.0\n'

test.each([
  [{ 'app.yaml': `${minimal}setup: fill.ts\n` }, [], 'fill.ts, the "setup" of app.yaml, does not exist.'],
  [{ 'app.yaml': `${minimal}setup: fill.ts\n`, 'fill.ts': 'export const x = 1\n' }, [], 'its default export must be'],
  [{ 'app.yaml': `${minimal}synchronous: off\n` }, [], 'synchronous'],
  [{ 'app.yaml': `${minimal}trustedProxies: [10.0.0.0/99]\n` }, [], 'trustedProxies: "10.0.0.0/99" is not an address'],
  [{ 'app.yaml': `${minimal}allowedOrigins: [loopback]\n` }, [], 'allowedOrigins: "loopback" is not an address'],
  [{}, ['--env', 'moon'], 'has no environment "moon"; it has none.'],
])('what is missing is named: %j %j', async (files, args, text) => {
  const { code, errors } = await runHere([await folderOf({ ...shopFiles, ...files }), '--port', '0', ...args], { env })
  expect(errors).toContain(text)
  expect(code).toBe(1)
})

test('an application without objects is refused', { tags: 'core' }, async () => {
  const { code, errors } = await runHere([await folderOf({ 'app.yaml': minimal }), '--port', '0'], { env })
  expect(errors).toMatch(/objects cannot be read, so there are no objects/)
  expect(code).toBe(1)
})

test('--describe prints what dumps hold, without a database', { tags: 'core' }, async () => {
  const folder = await folderOf(shopFiles)
  const { code, output = '' } = await runHere([folder, '--describe'])
  const { objects, ...rest } = JSON.parse(output) as { objects: { name: string; fields: { name: string }[] }[] }
  expect({ code, ...rest }).toMatchObject({ code: 0, name: 'shop', documents: join(folder, 'data/documents') })
  const product = objects.find(({ name }) => name === 'Product')
  expect(product).toMatchObject({ table: 'product', system: false, key: [] })
  expect(product?.fields.map(({ name }) => name)).toEqual([
    'row_id',
    'prd_code',
    'prd_name',
    'created_dt',
    'created_by',
    'updated_dt',
    'updated_by',
  ])
  expect(product?.fields[1]).toMatchObject({ type: 'string', length: 20, required: true, unique: true, empty: '' })
  const modelWith = async (line: string) => {
    const file = `${shopFiles['objects/product.yaml']}${line}\n`
    const described = await runHere([await folderOf({ ...shopFiles, 'objects/product.yaml': file }), '--describe'])
    return (JSON.parse(described.output ?? '') as { model: string }).model
  }
  expect(await modelWith('label: Goods')).toBe((rest as { model?: string }).model)
  expect(await modelWith('  prd_more: { type: string }')).not.toBe(await modelWith('help: Words only'))
  expect(await runHere(['--describe'], { env: { STEWARD_DATABASE: 'sqlite::memory:' } })).toMatchObject({ code: 1 })
})
