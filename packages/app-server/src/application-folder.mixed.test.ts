/** @module-tag mixed */
import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic, makeFolder, runCli, runHere, startApp } from './running-app-for-test.js'
import type { RunningApp } from './running-app-for-test.js'

const removals: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const remove of removals) await remove()
})

/** Below the folder of the machine for temporary files: no `node_modules` of ours is above it. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const { folder, remove } = await makeFolder(files)
  removals.push(remove)
  return folder
}

const ticketYaml = `
name: Ticket
fields:
  tic_no: { type: string, length: 20, key: true }
  tic_state: { type: enum, values: [open, closed] }
publications:
  card: { format: txt, template: '{{tic_no}}' }
`
const ticketCode = `
import { defineCode, RestError } from '@steward/rest-core'
import { RestError as OtherRestError } from '../other-copy/errors.js'
import { greeting } from 'helper'

export default defineCode({
  states: { field: 'tic_state', transitions: [{ from: 'open', to: 'closed' }] },
  hooks: {
    preCreate({ values }) {
      if (values['tic_no'] === 'T-0') throw new RestError('ERR_VALIDATION', 'There is no ticket 0.')
    },
  },
  actions: {
    greet: { scope: 'global', run: () => greeting },
    refuse: { scope: 'global', run: () => { throw new OtherRestError('ERR_CONFLICT', 'Not now.') } },
    break: { scope: 'global', run: () => { throw Object.assign(new Error('Not now.'), { name: 'RestError', code: 'ERR_CONFLICT', status: 409 }) } },
  },
})
`
const files = {
  'app.yaml': 'name: desk\nversion: 1.0.0\nlevel: 5.1\nsetup: setup.ts\n',
  'objects/ticket.yaml': ticketYaml,
  'objects/ticket.ts': ticketCode,
  'objects/_shared.ts': `import { defineObject } from '@steward/rest-core'
export const note = defineObject({ name: 'Note', fields: { not_text: { type: 'string', length: 9 } } })\n`,
  'objects/note.mjs': `export { note } from './_shared.ts'\n`,
  'objects/person.js': `import { defineObject } from '@steward/rest-core'
export const Person = defineObject({ name: 'Person', fields: { per_name: { type: 'string' } } })\n`,
  'setup.ts': `import type { SetupContext } from '@steward/app-server'
import { systemPrincipal } from '@steward/rest-core'
export default async function setup({ service, principal }: SetupContext): Promise<void> {
  const ann = await service.create(principal, 'User', { usr_login: 'ann', usr_password: 'ann-Password1' })
  await service.create(systemPrincipal({ login: 'ann' }), 'Ticket', { tic_no: 'T-1' })
}\n`,
  'tests/rules.ts': `import type { UnitTestContext } from '@steward/app-server'
import { RestError } from '@steward/rest-core/errors'
export async function noTicketZero({ service, principal, assert }: UnitTestContext) {
  await assert.rejects(service.create(principal, 'Ticket', { tic_no: 'T-0' }), RestError)
}\n`,
  // Another version, and broken: loading it fails.
  'node_modules/@steward/rest-core/package.json': `{ "name": "@steward/rest-core", "version": "9.9.9", "type": "module",
    "exports": { ".": "./index.js", "./errors": "./index.js" } }`,
  'node_modules/@steward/rest-core/index.js': `throw new Error('The copy of the application is loaded.')`,
  'node_modules/helper/package.json': `{ "name": "helper", "version": "1.0.0", "main": "index.cjs" }`,
  'node_modules/helper/index.cjs': `exports.greeting = 'Hello ' + require('@steward/rest-core').systemPrincipal({ login: 'ann' }).login`,
}

/** A folder with all of that, and with another copy of the errors of rest-core. */
async function makeDesk(): Promise<string> {
  const folder = await folderOf(files)
  const dist = dirname(createRequire(import.meta.url).resolve('@steward/rest-core/errors'))
  const errors = await readFile(join(dist, 'errors.js'), 'utf8')
  const parts = [...errors.matchAll(/from "\.\/(.*?)"/g)].map(([, name = '']) => name)
  for (const name of ['errors.js', ...parts]) await cp(join(dist, name), join(folder, 'other-copy', name))
  return folder
}

describe('an application in a folder of its own, with code and nothing installed', () => {
  let folder: string
  let app: RunningApp

  beforeAll(async () => {
    folder = await makeDesk()
    app = await startApp([folder], { env: { STEWARD_ADMIN_PASSWORD: 's3cret-word' } })
  })
  afterAll(() => app?.end('SIGKILL'))

  async function call(path: string, body?: object, as: [string, string] = ['admin', 's3cret-word']) {
    const answer = await fetch(`${app.origin}/api/rest/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...basic(...as), 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  test('modules of each kind are loaded with the packages of the server', { tags: 'core' }, async () => {
    expect(await call('Note', { not_text: 'a' })).toMatchObject({ status: 200 })
    expect(await call('Person', { per_name: 'Ann' })).toMatchObject({ status: 200 })
    expect(await call('Ticket/?tic_no=T-1')).toMatchObject({ status: 200, body: [{ tic_state: 'open' }] })
  })

  test('a package of the application gets those of the server, too', async () => {
    expect(await call('Ticket/action:greet')).toMatchObject({ status: 200, body: { result: 'Hello ann' } })
  })

  test('its own copy of a package in another version is not used, and reported', () => {
    expect(app.errors()).toMatch(
      /Not used: @steward\/rest-core 9\.9\.9 in .*\/node_modules\/@steward\/rest-core\/package\.json/,
    )
  })

  test('code beside YAML: hooks, actions and states are those of the object', async () => {
    expect(await call('Ticket', { tic_no: 'T-0' })).toMatchObject({
      status: 400,
      body: { error: 'There is no ticket 0.' },
    })
    expect((await call('Ticket', { tic_no: 'T-2', tic_state: 'closed' })).status).toBe(400)
    expect((await call('Ticket/1/publication:card?_output=json')).body).toMatchObject({ content: 'T-1' })
  })

  test('a RestError of another copy of rest-core is the answer; a look-alike is not', async () => {
    expect(await call('Ticket/action:refuse')).toMatchObject({ status: 409, body: { error: 'Not now.' } })
    expect(await call('Ticket/action:break')).toMatchObject({ status: 500 })
  })

  test('there is an administrator although the set-up made a user', async () => {
    expect((await call('User/?_count=true')).body).toMatchObject({ count: 2 })
    expect((await call('User/', undefined, ['ann', 'ann-Password1'])).status).toBe(403)
  })
})

test('--unittests, --describe and --dump find the packages, and leave making an administrator to a start', async () => {
  const folder = await makeDesk()
  const run = await runCli([folder, '--unittests'])
  expect(run).toMatchObject({ code: 0, output: expect.stringContaining('1 passed, 0 failed') })
  expect((await runCli([folder, '--dump', '-'])).output).not.toContain('"admin"')
  const { output = '' } = await runHere([folder, '--describe'])
  expect((JSON.parse(output) as { objects: { name: string }[] }).objects.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Note', 'Person', 'Ticket']),
  )
})

test('the set-up made a user, none is asked for: the start makes one and prints it, --reset-admin makes others', async () => {
  const folder = await makeDesk()
  const first = await startApp([folder])
  const password = /Administrator "admin" was made with the password (\S+)/.exec(first.output())?.[1] ?? ''
  expect(first.output()).toContain(`AUTH='admin:${password}'`)
  const remove = (user: string) =>
    fetch(`${first.origin}/api/rest/${user}`, { method: 'DELETE', headers: basic('admin', password) })
  expect((await remove('User/1')).status).toBe(200)
  await first.end()
  const made = await runCli([folder, '--reset-admin'], { env: { STEWARD_ADMIN_LOGIN: 'boss' } })
  expect(made.output).toMatch(/^Administrator "boss" was made with the password: \S+\n$/)
  const again = await runHere([folder, '--reset-admin'], {
    env: { STEWARD_ADMIN_LOGIN: 'boss', STEWARD_ADMIN_PASSWORD: 'another-word' },
  })
  expect(again.output).toBe('boss has the password of STEWARD_ADMIN_PASSWORD now.\n')
})

test('a start that leaves no administrator says so; what is asked for counts more than the set-up', async () => {
  const makesAdmin = (more: string) => ({
    'app.yaml': files['app.yaml'],
    'objects/ticket.yaml': ticketYaml,
    'setup.ts': `export default async ({ service, principal }) => {
      const user = await service.create(principal, 'User', { usr_login: 'admin', usr_password: 'of-the-set-up'${more} })
      const group = await service.create(principal, 'Group', { grp_name: 'ADMIN' })
      await service.create(principal, 'Responsibility', { rsp_login_id: user.row_id, rsp_group_id: group.row_id })
    }`,
  })
  const env = { STEWARD_ADMIN_PASSWORD: 'asked-for-word' }
  const statusOf = async ({ origin }: RunningApp, password: string) =>
    (await fetch(`${origin}/api/rest/User/`, { headers: basic('admin', password) })).status

  const off = await folderOf(makesAdmin(', usr_active: false'))
  const nobody = await startApp([off])
  expect(nobody.output()).toContain('There is no active administrator. To make one: app-server <folder> --reset-admin')
  expect(nobody.errors()).toContain('No active user is in the group ADMIN')
  await nobody.end()
  const asked = await startApp([off], { env })
  expect(await statusOf(asked, 'asked-for-word')).toBe(200)
  await asked.end()

  const first = await startApp([await folderOf(makesAdmin(''))], { env })
  expect([await statusOf(first, 'asked-for-word'), await statusOf(first, 'of-the-set-up')]).toEqual([200, 401])
  await first.end()
})

test('a password of the environment that is too short is named by its variable', { tags: 'core' }, async () => {
  const folder = await folderOf({ 'app.yaml': files['app.yaml'].replace(/setup.*/, ''), 'objects/t.yaml': ticketYaml })
  const short = { env: { STEWARD_ADMIN_PASSWORD: 'short' } }
  const text = 'app-server: STEWARD_ADMIN_PASSWORD must have at least 8 characters.\n'
  for (const args of [[folder], [folder, '--reset-admin']])
    expect(await runHere(args, short)).toMatchObject({ code: 1, errors: expect.stringContaining(text) })
})

describe('code beside YAML that contradicts it', () => {
  const mistakesOf = async (code: Readonly<Record<string, string>>) => {
    const folder = await folderOf({ 'app.yaml': files['app.yaml'], 'objects/ticket.yaml': ticketYaml, ...code })
    const { errors = '' } = await runHere([folder, '--describe'])
    return errors
      .split('\n')
      .slice(1, -1)
      .map((line) => line.trim().replaceAll(`${folder}/objects/`, ''))
  }
  const only = 'code beside it is one of actions, hooks, states, publications, crosstabs'

  test.each([
    ['export default { publications: { card: {} } }', '"publications.card" is also in ticket.yaml; keep one of them'],
    ['export default { name: "Ticket" }', `"name" belongs in ticket.yaml; ${only}`],
    ['export default { order: ["tic_no"] }', `"order" belongs in ticket.yaml; ${only}`],
    [
      'export const Ticket = { name: "Other", fields: {} }',
      'the module holds the code of ticket.yaml and needs "export default defineCode({ … })"; to define another object, rename the file',
    ],
  ])('%s', async (code, text) => {
    expect(await mistakesOf({ 'objects/ticket.js': code })).toEqual([`ticket.js: ${text}`])
  })

  test('states in both, and two modules', async () => {
    const states = '{ field: tic_state, transitions: [] }'
    const code = 'export default { states: { field: "tic_state", transitions: [] } }'
    const yaml = { 'objects/ticket.yaml': `${ticketYaml}states: ${states}\n` }
    expect(await mistakesOf({ ...yaml, 'objects/ticket.js': code })).toEqual([
      'ticket.js: "states" is also in ticket.yaml; keep one of them',
    ])
    expect(await mistakesOf({ 'objects/ticket.js': code, 'objects/ticket.mjs': code })).toEqual([
      'ticket.mjs: ticket.yaml already has its code in ticket.js; keep one of them',
    ])
  })
})

test('states of code beside YAML count as differences between models, actions do not', async () => {
  const modelOf = async (code: string) => {
    const app = { 'app.yaml': files['app.yaml'], 'objects/ticket.yaml': ticketYaml }
    const folder = await folderOf(code === '' ? app : { ...app, 'objects/ticket.js': `export default ${code}` })
    const { output = '' } = await runHere([folder, '--describe'])
    return (JSON.parse(output) as { model: string }).model
  }
  const plain = await modelOf('')
  expect(await modelOf('{ actions: { close: { run: () => 1 } } }')).toBe(plain)
  expect(await modelOf('{ states: { field: "tic_state", transitions: [] } }')).not.toBe(plain)
})

test('--types lets tsc check an application that has nothing installed', async () => {
  const folder = await folderOf({
    'app.yaml': files['app.yaml'],
    'setup.ts': files['setup.ts'],
    'objects/ticket.yaml': ticketYaml,
    'objects/ticket.ts': ticketCode.replace(/^.*(?:OtherRestError|helper).*$|greet: .*$/gm, ''),
    'tests/rules.ts': files['tests/rules.ts'],
  })
  expect((await runHere([folder, '--types'])).output).toBe(
    `Wrote ${join(folder, '.steward')}: the types of this server for editors and tsc, and the schemas of YAML files.\n`,
  )
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  const check = () =>
    promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error)
  expect((await check()).stdout).toBe('')
  await writeFile(
    join(folder, 'objects/_wrong.ts'),
    `import { defineCode } from '@steward/rest-core'\nexport default defineCode({ action: {} })\n`,
  )
  expect((await check()).stdout).toMatch(/_wrong\.ts\(2,\d+\).*'action' does not exist/)
  const schema = JSON.parse(await readFile(join(folder, '.steward/object.json'), 'utf8')) as { title: string }
  expect(schema.title).toBe('Business object')
  await writeFile(join(folder, 'tsconfig.json'), '{}')
  expect((await runHere([folder, '--types'])).output).toContain('Add "extends": "./.steward/tsconfig.json" to')
})
