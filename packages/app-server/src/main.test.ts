import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { basic, makeFolder, runCli, shopFiles, startApp } from './running-app-for-test.js'
import type { RunningApp } from './running-app-for-test.js'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

const admin = basic('admin', 's3cret')
const env = { STEWARD_ADMIN_PASSWORD: 's3cret' }
const json = { 'Content-Type': 'application/json' }

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const { folder, remove } = await makeFolder(files)
  cleanUps.push(remove)
  return folder
}

async function started(
  args: readonly string[],
  options: Parameters<typeof startApp>[1] = { env },
): Promise<RunningApp> {
  const app = await startApp(args, options)
  cleanUps.push(() => app.end('SIGKILL'))
  return app
}

test('objects of YAML and TypeScript are served under all base addresses', async () => {
  const app = await started([await folderOf(shopFiles)])
  const created = await fetch(`${app.origin}/shop/api/rest/Product`, {
    method: 'POST',
    headers: { ...admin, ...json },
    body: '{"prd_code":"A","prd_name":"Apple"}',
  })
  const product = (await created.json()) as { row_id: string }
  expect(created.headers.get('location')).toBe(`/shop/api/rest/Product/${product.row_id}`)
  for (const base of ['/shop/api/rest', '/shopws/rest', '/api/rest']) {
    expect(await (await fetch(`${app.origin}${base}/Product/`, { headers: admin })).json()).toEqual([product])
  }
  const order = {
    method: 'POST',
    headers: { ...admin, ...json },
    body: JSON.stringify({ ord_no: '1', ord_product_id: product.row_id }),
  }
  expect(await (await fetch(`${app.origin}/api/rest/Order`, order)).json()).toMatchObject({
    ord_product_id__prd_name: 'Apple',
  })
  expect(await (await fetch(`${app.origin}/api/rest`, { headers: admin })).json()).toMatchObject({
    name: 'shop',
    title: 'Shop',
    version: '1.2.3',
    user: { login: 'admin' },
  })
})

test('the session cookie is for levels 3.x only', async () => {
  for (const [level, set] of [
    ['3.2', true],
    ['4.0', false],
  ] as const) {
    const files = { ...shopFiles, 'app.yaml': `name: shop\nversion: 1.0.0\nlevel: '${level}'\nlog: { level: warn }\n` }
    const app = await started([await folderOf(files)])
    const { headers } = await fetch(`${app.origin}/api/rest?session=true`, { headers: admin })
    expect([level, headers.get('set-cookie')?.startsWith('JSESSIONID=')]).toEqual([level, set || undefined])
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? 'JSESSIONID=x'
    expect((await fetch(`${app.origin}/api/rest?session=true`, { headers: { cookie } })).status).toBe(set ? 200 : 401)
  }
})

test('system objects are there with the fields of the requirements', async () => {
  const app = await started([await folderOf(shopFiles)])
  const write = (object: string, body: object) =>
    fetch(`${app.origin}/api/rest/${object}`, {
      method: 'POST',
      headers: { ...admin, ...json },
      body: JSON.stringify(body),
    })
  const { row_id: id } = (await (await write('Module', { mdl_name: 'Base' })).json()) as { row_id: string }
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

test('the first start prints a made-up password once; --reset-admin makes another', async () => {
  const folder = await folderOf(shopFiles)
  const first = await startApp([folder])
  const [, password = ''] = /with the password (\S+)/.exec(first.output()) ?? []
  expect((await fetch(`${first.origin}/api/rest`, { headers: basic('admin', password) })).status).toBe(200)
  expect(await first.end()).toBe(0)
  const second = await startApp([folder])
  expect(second.output()).not.toContain('password ')
  await second.end()
  const reset = await runCli([folder, '--reset-admin'])
  const [, renewed = ''] = /new password: (\S+)/.exec(reset.output) ?? []
  const third = await started([folder])
  expect((await fetch(`${third.origin}/api/rest`, { headers: basic('admin', password) })).status).toBe(401)
  expect((await fetch(`${third.origin}/api/rest`, { headers: basic('admin', renewed) })).status).toBe(200)
})

test('a password from the environment is printed nowhere', async () => {
  const app = await started([await folderOf(shopFiles)])
  expect(app.output() + app.errors()).not.toContain('s3cret')
})

test('tokens outlive a restart, but neither a logout nor a new password', async () => {
  const folder = await folderOf(shopFiles)
  const first = await startApp([folder], { env })
  const login = async () => (await fetch(`${first.origin}/api/login`, { headers: admin })).text()
  const [kept, revoked] = [await login(), await login()]
  await fetch(`${first.origin}/api/logout`, { headers: { Authorization: `Bearer ${revoked}` } })
  await first.end()
  const second = await started([folder])
  const status = async (token: string) =>
    (await fetch(`${second.origin}/api/rest`, { headers: { Authorization: `Bearer ${token}` } })).status
  expect(await status(kept)).toBe(200)
  expect(await status(revoked)).toBe(401)
  const changed = await fetch(`${second.origin}/api/rest/User/1`, {
    method: 'PUT',
    headers: { ...json, Authorization: `Bearer ${kept}` },
    body: '{"usr_password":"n3w"}',
  })
  expect(changed.status).toBe(200)
  expect(await status(kept)).toBe(401)
  expect((await fetch(`${second.origin}/api/login`, { headers: admin })).status).toBe(401)
  expect((await fetch(`${second.origin}/api/login`, { headers: basic('admin', 'n3w') })).status).toBe(200)
})

test('a changed right holds for the next call', async () => {
  const app = await started([await folderOf(shopFiles)])
  const write = async (object: string, body: object) => {
    const answer = await fetch(`${app.origin}/api/rest/${object}`, {
      method: 'POST',
      headers: { ...admin, ...json },
      body: JSON.stringify(body),
    })
    return ((await answer.json()) as { row_id: string }).row_id
  }
  const groupId = await write('Group', { grp_name: 'CLERK' })
  const userId = await write('User', { usr_login: 'ann', usr_password: 'pass' })
  await write('Responsibility', { rsp_login_id: userId, rsp_group_id: groupId })
  const read = async () => (await fetch(`${app.origin}/api/rest/Product/`, { headers: basic('ann', 'pass') })).status
  expect(await read()).toBe(403)
  await write('Grant', { grt_group_id: groupId, grt_object: 'Product', grt_rights: 'R' })
  expect(await read()).toBe(200)
})

test('/ping and /health need no credentials', async () => {
  const app = await started([await folderOf(shopFiles)])
  expect(await (await fetch(`${app.origin}/ping`)).json()).toEqual({ status: 'OK' })
  const text = await (await fetch(`${app.origin}/health`)).text()
  expect(text).toMatch(/^\[platform\]\nstatus=OK\n/)
  expect(text).toContain('[application]\nname=shop\nversion=1.2.3\n')
  const sections = ['platform', 'application', 'server', 'os', 'disk', 'process', 'cache', 'database', 'healthcheck']
  for (const path of ['/health?format=json', '/health.json']) {
    expect(Object.keys((await (await fetch(app.origin + path)).json()) as object)).toEqual(sections)
  }
})

test('a stop finishes running requests and takes no new ones', async () => {
  const app = await started([await folderOf(shopFiles)])
  const slow = fetch(`${app.origin}/api/rest/Order`, {
    method: 'POST',
    headers: { ...admin, ...json },
    body: '{"ord_no":"SLOW"}',
  })
  // The request is under way when its connection is; the hook then waits a second.
  await fetch(`${app.origin}/api/rest/Order`, {
    method: 'POST',
    headers: { ...admin, ...json },
    body: '{"ord_no":"FAST"}',
  })
  const ended = app.end('SIGTERM')
  expect((await slow).status).toBe(200)
  expect(await ended).toBe(0)
  await expect(fetch(`${app.origin}/ping`)).rejects.toThrow()
})

test('a stop aborts a background action, and lets it end', async () => {
  const folder = await folderOf({
    ...shopFiles,
    'objects/lamp.ts': `
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
`,
  })
  const app = await started([folder])
  const file = join(folder, 'lamp.txt')
  const { status } = await fetch(`${app.origin}/api/rest/Lamp/action:burn?file=${encodeURIComponent(file)}`, {
    headers: admin,
  })
  expect(status).toBe(202)
  expect(await app.end('SIGTERM')).toBe(0)
  expect(await readFile(file, 'utf8')).toBe('out')
})

test('a taken port ends with one clear line', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, errors } = await runCli([await folderOf(shopFiles), '--port', String(port)], { env })
  other.close()
  expect(code).toBe(1)
  expect(errors).toBe(`app-server: Port ${port} on 127.0.0.1 is taken; choose another with --port or STEWARD_PORT.\n`)
})

test('broken definitions are all named with file and line', async () => {
  const folder = await folderOf({
    ...shopFiles,
    'objects/product.yaml': 'name: Product\nfields:\n  prd_code: { type: strong }\n',
    'objects/empty.ts': 'export const nothing = 1\n',
  })
  const { code, errors } = await runCli([folder], { env })
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
  const { code, errors } = await runCli([await folderOf({ ...shopFiles, 'app.yaml': text })], { env })
  expect(code).toBe(1)
  expect(errors).toMatch(expected)
})

test('an environment puts its values over the common ones', async () => {
  const folder = await folderOf({
    ...shopFiles,
    'app.yaml': 'name: shop\nversion: 1.0.0\nlog: { level: warn }\nenvironments:\n  test: { title: Test shop }\n',
  })
  const app = await started([folder, '--env', 'test'])
  expect(app.output()).toMatch(/^Test shop 1\.0\.0 is served/)
})

test('a definition that drops or narrows a column is refused, and done with --destructive', async () => {
  const folder = await folderOf(shopFiles)
  await (await startApp([folder], { env })).end()
  await writeFile(
    join(folder, 'objects/product.yaml'),
    shopFiles['objects/product.yaml'].replace('length: 80', 'length: 40'),
  )
  const { code, errors } = await runCli([folder], { env })
  expect(code).toBe(1)
  expect(errors).toContain('prd_name')
  const app = await started([folder, '--destructive'])
  expect((await fetch(`${app.origin}/ping`)).status).toBe(200)
})

test.each([
  [['--port', 'x'], 2, '--port must be a port'],
  [['--colour'], 2, '--colour'],
  [[], 1, 'Give the folder of an application, or a database'],
  [['/nowhere'], 1, '/nowhere has no app.yaml'],
  [['--database', 'oracle://x'], 1, 'oracle:'],
])('wrong usage %j is explained', async (args, expected, text) => {
  const { code, errors } = await runCli(args, { cwd: await folderOf({}), env })
  expect(errors).toContain(text)
  expect(code).toBe(expected)
})

test('--help and --version end well', async () => {
  const help = await runCli(['--help'])
  expect(help).toMatchObject({ code: 0, errors: '' })
  expect(help.output).toContain('STEWARD_ADMIN_PASSWORD')
  expect((await runCli(['--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('a taken port spoils nothing: the first password is printed by the start that serves', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const folder = await folderOf(shopFiles)
  const { code } = await runCli([folder, '--port', String((other.address() as AddressInfo).port)])
  other.close()
  expect(code).toBe(1)
  const app = await started([folder], {})
  expect(app.output()).toContain('was made with the password')
})

const minimal = 'name: shop\nversion: 1.0.0\n'

test.each([
  [{ 'app.yaml': `${minimal}setup: fill.ts\n` }, [], 'fill.ts, the "setup" of app.yaml, does not exist.'],
  [{ 'app.yaml': `${minimal}setup: fill.ts\n`, 'fill.ts': 'export const x = 1\n' }, [], 'its default export must be'],
  [{ 'app.yaml': `${minimal}trustedProxies: [10.0.0.0/99]\n` }, [], 'trustedProxies: "10.0.0.0/99" is no address'],
  [{ 'app.yaml': `${minimal}allowedOrigins: [loopback]\n` }, [], 'allowedOrigins: "loopback" is no address'],
  [{}, ['--env', 'moon'], 'has no environment "moon"; it has none.'],
])('what is missing is named: %j %j', async (files, args, text) => {
  const { code, errors } = await runCli([await folderOf({ ...shopFiles, ...files }), '--port', '0', ...args], { env })
  expect(errors).toContain(text)
  expect(code).toBe(1)
})

test('an application without objects is refused', async () => {
  const { code, errors } = await runCli([await folderOf({ 'app.yaml': minimal }), '--port', '0'], { env })
  expect(errors).toMatch(/objects cannot be read, so there are no objects/)
  expect(code).toBe(1)
})

test('a set-up that fails leaves nothing, and runs again', async () => {
  const fill = `export default async ({ service, principal }) => {
    await service.create(principal, 'Product', { prd_code: 'A', prd_name: 'Apple' })
    throw new Error('no paper')
  }`
  const yaml = `${shopFiles['app.yaml']}setup: fill.mjs\n`
  const folder = await folderOf({ ...shopFiles, 'app.yaml': yaml, 'fill.mjs': fill })
  expect((await runCli([folder, '--port', '0'], { env })).errors).toContain('no paper')
  await writeFile(join(folder, 'fill.mjs'), fill.replace("throw new Error('no paper')", ''))
  const app = await started([folder])
  expect(await (await fetch(`${app.origin}/api/rest/Product/`, { headers: admin })).json()).toHaveLength(1)
})

test('the anonymous user is the public one, with the rights of now', async () => {
  const yaml = `${shopFiles['app.yaml']}publicUser: guest\nauthorizationHeader: Shop\n`
  const app = await started([await folderOf({ ...shopFiles, 'app.yaml': yaml })])
  const read = async () => (await fetch(`${app.origin}/api/rest/Product/`)).status
  expect(await read()).toBe(401)
  const headers = { 'X-Shop-Authorization': admin['Authorization'] ?? '', ...json }
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

test('while it starts, it answers 503', async () => {
  const yaml = `${shopFiles['app.yaml']}setup: fill.mjs\n`
  const fill = `
export default async () => {
  const answer = await fetch('http://127.0.0.1:' + process.argv[process.argv.indexOf('--port') + 1] + '/ping')
  console.log('while starting', answer.status, answer.headers.get('retry-after'))
}`
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  const folder = await folderOf({ ...shopFiles, 'app.yaml': yaml, 'fill.mjs': fill })
  const app = await started([folder, '--port', String(port)])
  expect(app.output()).toContain('while starting 503 2')
})
