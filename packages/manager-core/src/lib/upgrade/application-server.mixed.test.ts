/** @module-tag mixed */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test as it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { fakeApplicationServer, writeTemplate } from '../testing/fake-application.js'

let test: TestManager
let modules: string
let now: Date

/** Installs an application server, as npm does it when the manager is upgraded: in place of the one that was there. */
function install(version: string): string {
  const folder = join(modules, 'node_modules/@steward/app-server')
  rmSync(folder, { recursive: true, force: true })
  for (const [path, content] of [
    [
      'package.json',
      JSON.stringify({ name: '@steward/app-server', version, type: 'module', dependencies: { koa: '*' } }),
    ],
    ['dist/cli.js', `console.log('served by ${version}')\nawait import(${JSON.stringify(fakeApplicationServer)})`],
  ] as const) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  mkdirSync(join(modules, 'node_modules/koa'), { recursive: true })
  writeFileSync(join(modules, 'node_modules/koa/package.json'), JSON.stringify({ name: 'koa', version: '3.0.0' }))
  return join(folder, 'dist/cli.js')
}

beforeEach(async () => {
  now = new Date(2030, 0, 1)
  modules = realpathSync(mkdtempSync(join(tmpdir(), 'steward-modules-')))
  test = await createTestManager({
    applicationServer: install('1.0.0'),
    config: ['export APPS_HEALTHWINDOW=0'],
    clock: () => now,
  })
})

afterEach(async () => {
  await test.close()
  rmSync(modules, { recursive: true, force: true })
})

const servers = () =>
  readdirSync(join(test.home, 'servers'))
    .map((name) => name.replace(/-.*/, ''))
    .toSorted()
const servedBy = (name: string) =>
  test
    .log(name)
    .match(/served by (.*)/g)
    ?.at(-1)
    ?.slice('served by '.length)
const shown = async (name: string) => ((await test.perform('get', { name })).item as { server: string }).server

async function publish(version: string) {
  writeTemplate(test.template, { version })
  await test.perform('refresh')
}

it('an instance stays with its application server when the manager is upgraded, until its own upgrade, and goes back with a rollback', async () => {
  await test.perform('add', { name: 'demo' })
  expect([servedBy('demo'), await shown('demo'), servers()]).toEqual(['1.0.0', '1.0.0', ['1.0.0']])
  install('2.0.0')
  await test.perform('restart', { name: 'demo' })
  expect([servedBy('demo'), await shown('demo')]).toEqual(['1.0.0', '1.0.0'])
  await test.perform('clone', { name: 'demo', new: 'copy' })
  await test.perform('add', { name: 'other' })
  expect([servedBy('copy'), servedBy('other'), servers()]).toEqual(['1.0.0', '2.0.0', ['1.0.0', '2.0.0']])

  await publish('1.1.0')
  await test.perform('upgrade', { name: 'demo' })
  expect([servedBy('demo'), await shown('demo')]).toEqual(['2.0.0', '2.0.0'])
  await test.perform('rollback', { name: 'demo' })
  expect([servedBy('demo'), await shown('demo')]).toEqual(['1.0.0', '1.0.0'])
  expect((await test.perform('list', { measure: 'yes' })).list).toMatchObject([
    { name: 'copy', server: '1.0.0' },
    { name: 'demo', server: '1.0.0' },
    { name: 'other', server: '2.0.0' },
  ])
})

it(
  'a server that is no longer needed is removed, and doctor reports one that is missing',
  { tags: 'core' },
  async () => {
    await test.perform('add', { name: 'demo' })
    install('2.0.0')
    await publish('1.1.0')
    await test.perform('upgrade', { name: 'demo' })
    await test.perform('refresh')
    // Its restore point needs it.
    expect(servers()).toEqual(['1.0.0', '2.0.0'])
    now = new Date(now.getTime() + 8 * 86_400_000)
    await test.perform('refresh')
    expect(servers()).toEqual(['2.0.0'])

    install('3.0.0')
    rmSync(join(test.home, 'servers'), { recursive: true })
    const { list } = await test.perform('doctor', { category: 'instances' })
    expect(list).toContainEqual(
      expect.objectContaining({
        check: 'application-servers',
        level: 'error',
        message: expect.stringContaining('"demo" was tested with the application server 2.0.0') as string,
      }),
    )
    await test.perform('restart', { name: 'demo' })
    expect(servedBy('demo')).toBe('3.0.0')
    const { warnings } = await test.perform('upgrade', { name: 'demo' })
    expect(warnings).toEqual(['"demo" stays with the application server 2.0.0; "upgrade demo --force" takes 3.0.0.'])
    await test.perform('upgrade', { name: 'demo', force: true })
    expect(await shown('demo')).toBe('3.0.0')
  },
)

it('accounts of instances can run what is kept, also when the umask closes new folders', async () => {
  const before = process.umask(0o077)
  try {
    await test.perform('add', { name: 'demo', 'no-start': true })
  } finally {
    process.umask(before)
  }
  const folders = ['', 'node_modules', 'node_modules/@steward', 'node_modules/@steward/app-server'].map((path) =>
    join(test.home, 'servers', readdirSync(join(test.home, 'servers'))[0] ?? '', path),
  )
  for (const folder of [join(test.home, 'servers'), ...folders]) expect(statSync(folder).mode & 0o777).toBe(0o755)
})

it('an instance of an older manager stays with the server of its next start, and a checkout is always followed', async () => {
  await test.perform('add', { name: 'demo' })
  rmSync(test.path('demo', 'app', '.application-server'))
  expect(await shown('demo')).toBe('')
  await test.perform('restart', { name: 'demo' })
  expect(await shown('demo')).toBe('1.0.0')
  const checkout = test.another({ applicationServer: fakeApplicationServer })
  await checkout.perform('add', { name: 'other' }, test.caller)
  expect(await shown('other')).toBe('')
})
