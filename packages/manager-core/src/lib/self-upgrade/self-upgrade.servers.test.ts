import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startNpmRegistry, useRegistry } from '../templates/npm-registry-for-test.js'
import { installationOf } from './installation.js'
import { upgradeSelf } from './self-upgrade.js'

const name = '@steward/manager-cli'
let registry: Awaited<ReturnType<typeof startNpmRegistry>>
let base: string

beforeAll(async () => {
  registry = await startNpmRegistry()
  base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-self-')))
  useRegistry(registry, base)
})

afterAll(() => {
  vi.unstubAllEnvs()
  registry.close()
  rmSync(base, { recursive: true, force: true })
})

function write(path: string, content: string): string {
  const file = join(base, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

/** A package with a program, as if npm had installed it there; gives the program. */
function place(modules: string, version = '1.0.0'): string {
  write(`${modules}/${name}/package.json`, JSON.stringify({ name, version, type: 'module' }))
  return write(`${modules}/${name}/dist/cli.js`, `console.log('${version}')`)
}

const publish = (version: string, program = `console.log('${version}')`) =>
  registry.publish({ name, version, type: 'module', bin: { manager: 'dist/cli.js' } }, { 'dist/cli.js': program })
const self = (program: string, version: string, { dryRun = false, pin = registry.integrity(name, version) } = {}) =>
  upgradeSelf({
    command: [process.execPath, program],
    source: { registry: registry.url, pin: `${version} ${pin}` },
    dryRun,
  })
const versionAt = (program: string) =>
  (JSON.parse(readFileSync(join(dirname(program), '../package.json'), 'utf8')) as { version: string }).version

describe('installationOf()', () => {
  it('returns how npm installed it', () => {
    write('project/package.json', JSON.stringify({ dependencies: { [name]: '^1.0.0' } }))
    const [project, global] = [place('project/node_modules'), place('usr/lib/node_modules')]
    expect(installationOf(project)).toMatchObject({
      by: 'npm',
      version: '1.0.0',
      prefix: join(base, 'project'),
      isGlobal: false,
    })
    expect(installationOf(global)).toMatchObject({ by: 'npm', prefix: join(base, 'usr'), isGlobal: true })
    symlinkSync(global, join(base, 'manager'))
    expect(installationOf(join(base, 'manager'))).toEqual(installationOf(global))
  })

  it.each([
    ['a checkout', () => fileURLToPath(new URL('../manager.ts', import.meta.url)), /checkout/],
    ['npx', () => place('.npm/_npx/0a1b/node_modules'), /npx/],
    ['pnpm', () => place('other/node_modules/.pnpm/manager@1/node_modules'), /pnpm/],
    ['no package', () => '/nowhere/cli.js', /no package/],
    ['another program', () => process.argv[1] ?? '', /runs it/],
  ])('leaves %s alone', (_what, program, why) => {
    expect(installationOf(program())).toMatchObject({ by: 'other', why: expect.stringMatching(why) as string })
  })

  it('leaves alone what a project takes from a file', () => {
    write('file/package.json', JSON.stringify({ dependencies: { [name]: 'file:../manager.tgz' } }))
    expect(installationOf(place('file/node_modules'))).toMatchObject({ by: 'other' })
  })
})

describe('upgradeSelf()', () => {
  it('installs the version that is pinned, and puts the old one back when that does not start', async () => {
    await publish('1.0.0')
    write('site/package.json', JSON.stringify({ private: true, dependencies: { [name]: '^1.0.0' } }))
    const program = place('site/node_modules')
    expect(await self(program, '1.0.0')).toMatchObject({ result: 'unchanged' })
    await publish('1.1.0')
    await publish('1.2.0', `throw new Error('broken')`)
    expect(await self(program, '1.1.0', { dryRun: true })).toMatchObject({ result: 'upgraded' })
    expect(versionAt(program)).toBe('1.0.0')
    // Not the newest that there is.
    expect(await self(program, '1.1.0')).toMatchObject({ result: 'upgraded' })
    expect(versionAt(program)).toBe('1.1.0')
    expect(await self(program, '1.2.0')).toMatchObject({
      result: 'failed',
      message: expect.stringContaining('was rolled back to 1.1.0') as string,
    })
    expect(versionAt(program)).toBe('1.1.0')
    expect(await self(program, '1.0.0')).toMatchObject({ result: 'unchanged' })
  })

  it('installs nothing whose hash is not the pinned one, and asks no registry but the one that is set', async () => {
    const program = place('pinned/node_modules')
    await publish('1.3.0')
    const other = await startNpmRegistry()
    vi.stubEnv('npm_config_registry', other.url)
    vi.stubEnv('npm_config_@steward:registry', other.url)
    try {
      await other.publish({ name, version: '9.0.0' })
      for (const pin of [registry.integrity(name, '1.0.0'), `sha512-${'A'.repeat(86)}==`])
        expect(await self(program, '1.3.0', { pin })).toMatchObject({
          result: 'failed',
          message: expect.stringContaining('its SHA-512 differs') as string,
        })
      for (const pin of ['', 'sha512-short', 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='])
        expect((await self(program, '1.3.0', { pin })).message).toContain('APPS_UPGRADEPIN must be a version')
      expect(versionAt(program)).toBe('1.0.0')
      expect(await self(program, '1.3.0')).toMatchObject({ result: 'upgraded' })
      expect(other.asked()).toEqual([])
    } finally {
      vi.stubEnv('npm_config_registry', registry.url)
      vi.stubEnv('npm_config_@steward:registry', undefined)
      other.close()
    }
  })

  it('says that it failed when the registry cannot be reached', async () => {
    const program = place('alone/node_modules')
    const source = { registry: 'http://127.0.0.1:1/', pin: `2.0.0 sha512-${'A'.repeat(86)}==` }
    expect(await upgradeSelf({ command: [process.execPath, program], source })).toMatchObject({ result: 'failed' })
    expect(versionAt(program)).toBe('1.0.0')
  })
})
