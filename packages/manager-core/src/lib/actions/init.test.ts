import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import type { Input } from '../domain/input.js'
import { createManager } from '../manager.js'
import { fakeApplicationServer, writeTemplate } from '../testing/fake-application.js'

const caller: Caller = { actor: 'tester', surface: 'cli', grant: fullGrant }

/** A manager of a folder that is not there yet. */
function managerOf(name = 'home') {
  const folder = mkdtempSync(join(tmpdir(), 'steward-init-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = join(folder, name)
  const template = join(folder, 'template')
  writeTemplate(template, {})
  // Whether accounts are possible here depends on who runs the tests, and where.
  const environment = { APPS_ISOLATION: 'no' }
  const manager = createManager({
    home,
    applicationServer: fakeApplicationServer,
    defaultTemplate: template,
    environment,
  })
  onTestFinished(() => manager.close())
  const perform = (action: string, input: Record<string, Input> = {}, dryRun = false) =>
    manager.perform(action, input, { ...caller, dryRun })
  return { home, template, manager, perform }
}

const modeOf = (path: string) => statSync(path).mode & 0o777

it('makes a home that others cannot read, with a version to create instances from', async () => {
  const { home, manager, perform } = managerOf('a/b c/ä')
  const { message, item, warnings } = await perform('init', { url: 'https://apps.example.org/' })
  expect(message).toContain(`The manager's home is ${home}.`)
  expect(item).toMatchObject({ home, versions: ['1.0'] })
  expect(warnings).toEqual([])
  expect(modeOf(home)).toBe(0o700)
  for (const name of ['config.sh', 'version-1.0.sh', 'manager.db']) expect(modeOf(join(home, name)), name).toBe(0o600)
  for (const name of ['hooks', 'templates', 'instances', 'trash', 'locks', 'logs'])
    expect(modeOf(join(home, name)), name).toBe(0o700)
  expect(manager.context.settings.global).toMatchObject({ baseUrl: 'https://apps.example.org', ssl: { mode: 'on' } })
  const password = manager.context.settings.global.password?.reveal()
  expect(password).toMatch(/^\S{16,}$/)
  expect(JSON.stringify({ message, item })).not.toContain(password)
  expect(message).toContain('The password of the pages is in config.sh')
  expect(await manager.context.settings.version('1.0')).toMatchObject({ template: 'default' })
  expect((await perform('versions')).list).toMatchObject([{ version: '1.0', default: true }])
})

it('never changes what is there', async () => {
  const { home, perform } = managerOf()
  mkdirSync(join(home, 'hooks'), { recursive: true, mode: 0o755 })
  writeFileSync(join(home, 'config.sh'), 'APPS_BASEURL=http://mine\n', { mode: 0o640 })
  writeFileSync(join(home, 'version-2.0.sh'), 'APPS_TEMPLATE=default\n')
  writeFileSync(join(home, 'notes.txt'), '')
  const first = await perform('init', { url: 'http://other' })
  expect(first.item).toMatchObject({
    made: ['templates/', 'instances/', 'trash/', 'locks/', 'logs/'],
    versions: ['2.0'],
  })
  expect(readFileSync(join(home, 'config.sh'), 'utf8')).toBe('APPS_BASEURL=http://mine\n')
  expect(modeOf(join(home, 'config.sh'))).toBe(0o640)
  expect(existsSync(join(home, 'version-1.0.sh'))).toBe(false)
  const again = await perform('init')
  expect(again.message).toBe(`${home} is already a manager's home. Nothing was changed.`)
})

it('makes nothing with a dry run', async () => {
  const { home, perform } = managerOf()
  const { message } = await perform('init', {}, true)
  expect(message).toContain('config.sh, version-1.0.sh would be created')
  expect(existsSync(home)).toBe(false)
})

it('does not scatter a home among other files, unless forced', async () => {
  const { home, perform } = managerOf()
  mkdirSync(home)
  for (const name of ['b.txt', 'a.txt', 'c', 'd']) writeFileSync(join(home, name), '')
  await expect(perform('init')).rejects.toMatchObject({
    code: 'ERR_STATE',
    message: `${home} contains other files: a.txt, b.txt, c and 1 more.`,
  })
  expect(readdirSync(home)).toHaveLength(4)
  await perform('init', { force: true })
  expect(existsSync(join(home, 'config.sh'))).toBe(true)
})

it('takes an empty disk, and a home that was half made', async () => {
  const { home, perform } = managerOf()
  for (const name of ['lost+found', '.snapshot', 'hooks']) mkdirSync(join(home, name), { recursive: true })
  expect((await perform('init')).item).toMatchObject({ versions: ['1.0'] })
})

it('is a home also when a version cannot be fetched now', async () => {
  const { home, template, perform } = managerOf()
  rmSync(template, { recursive: true })
  const { warnings } = await perform('init')
  expect(warnings?.join()).toContain('1.0')
  expect(existsSync(join(home, 'manager.db'))).toBe(true)
})

it('says what is wrong with an address or a place', async () => {
  const { home, perform } = managerOf()
  await expect(perform('init', { url: 'apps' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
  await expect(perform('init', { url: "http://x'$(touch y)" })).rejects.toMatchObject({ code: 'ERR_USAGE' })
  writeFileSync(home, '')
  await expect(perform('init')).rejects.toThrow(`The home ${home} cannot be created`)
})

it('says that it may not write there', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root may write everywhere')
  const { home, perform } = managerOf('closed/home')
  mkdirSync(join(home, '..'), { mode: 0o500 })
  await expect(perform('init')).rejects.toMatchObject({ code: 'ERR_HOME' })
  chmodSync(join(home, '..'), 0o700)
})

it('config shows what is set and where, by name and section, without secrets', async () => {
  const { home, perform } = managerOf()
  await perform('init')
  writeFileSync(
    join(home, 'config.sh'),
    'APPS_BASEURL=http://mine\nAPPS_PASSWORD=s3cret\nAPPS_EMIAL=x\nAPPS_MAXINSTANCES=x\n',
  )
  const all = await perform('config')
  expect(all.below).toBeUndefined()
  expect(await perform('config', { all: true })).toMatchObject({ below: ['summary', 'hint'] })
  const names = (result: typeof all) => result.list?.map((one) => (one as { name: string }).name)
  expect(JSON.stringify(all)).not.toContain('s3cret')
  expect(all.message).toMatch(/variables; 2 with a hint$/)
  expect(all.data).toMatchObject({ home, config: { APPS_BASEURL: 'http://mine', APPS_PASSWORD: '***' } })
  expect(names(all)).not.toContain('APPS_MAILSERVER')
  expect(names(await perform('config', { all: true, filter: ['mail'] }))).toEqual(
    expect.arrayContaining(['APPS_EMAIL', 'APPS_MAILSERVER', 'APPS_MAILPASSWORD']),
  )
  expect(names(await perform('config', { filter: ['SSL'], all: true }))).toContain('APPS_SERVER_CERT')
  expect(names(await perform('config', { changed: true }))).toEqual(
    expect.arrayContaining(['APPS_HOME', 'APPS_BASEURL', 'APPS_MAXINSTANCES', 'APPS_PASSWORD', 'APPS_EMIAL']),
  )
  writeFileSync(join(home, 'config.sh'), 'APPS_BASEURL=http://mine\ntouch marker\n')
  // What can be read is shown all the same.
  expect((await perform('config')).warnings).toEqual([expect.stringContaining(`${join(home, 'config.sh')}:2: `)])
})
