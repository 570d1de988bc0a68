import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPlugins, isPackageName, type Plugins } from './plugins.js'

let home: string
let plugins: Plugins
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-home-'))
  plugins = createPlugins(home)
})
afterEach(() => rmSync(home, { recursive: true }))

function install(name: string, code: string, exports: unknown = './index.mjs'): void {
  const folder = join(home, 'node_modules', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', exports }))
  writeFileSync(join(folder, 'index.mjs'), code)
}

const load = (name: string) => plugins.load('runtime', name, 'APPS_RUNTIME') as { readonly say: string }

it('gives what a package of the home exports, also one that can only be imported', () => {
  install('@own/one', `export const runtime = { say: 'one' }`)
  install('own-two', `export const runtime = { say: 'two' }`, { import: './index.mjs' })
  expect([load('@own/one').say, load('own-two').say]).toEqual(['one', 'two'])
  expect(load('own-two')).toBe(load('own-two'))
})

it('a package of the home goes before that beside the manager', () => {
  install('@steward/example-runtime-small', `export const runtime = { say: 'mine' }`)
  expect(load('@steward/example-runtime-small').say).toBe('mine')
})

it('a package of the home gets the packages of the manager, whether it has them or not', () => {
  const code = (says: string) =>
    `import { ManagerError } from '@steward/manager-core/errors'\nimport { x } from './part.mjs'\nexport const runtime = { say: ${says} }`
  install('own-bare', code(`ManagerError.name + x`))
  writeFileSync(
    join(home, 'node_modules/own-bare/part.mjs'),
    `import { RestError } from '@steward/rest-core/errors'\nexport const x = ' ' + new RestError('ERR_RIGHT', '').name`,
  )
  expect(load('own-bare').say).toBe('ManagerError RestError')
  install(
    'own-copy',
    `import { TargetError } from '@steward/backup-targets'\nexport const runtime = { say: TargetError.name }`,
  )
  install('@steward/backup-targets', 'export class TargetError {}; TargetError.name = "copy"')
  expect(load('own-copy').say).toBe('TargetError')
})

it.each([
  ['own-missing', 'names the package "own-missing", which is not installed.'],
  ['../../evil', 'names the package "../../evil", which is not installed.'],
  ['own-broken', 'names the package "own-broken", which cannot be loaded: needs Node 99'],
  ['own-empty', 'names the package "own-empty", which has no "runtime".'],
])('%s is reported with its name and its setting', (name, message) => {
  install('own-broken', `throw new Error('needs Node 99')`)
  install('own-empty', 'export const other = {}')
  expect(() => load(name)).toThrow(
    expect.objectContaining({ code: 'ERR_SETTINGS', message: `APPS_RUNTIME ${message}` }) as Error,
  )
})

it('says how to install what is missing', () => {
  expect(() => load('own-missing')).toThrow(
    expect.objectContaining({
      help: `Install it in the home of the manager: npm install --prefix ${home} own-missing`,
    }) as Error,
  )
})

it('plain words are no packages: they are names of what is built in', () => {
  expect(['nginx', 'ngnix', '@own/proxy', 'own-proxy', 'Own-Proxy', '/etc/x', ''].filter(isPackageName)).toEqual([
    '@own/proxy',
    'own-proxy',
  ])
})
