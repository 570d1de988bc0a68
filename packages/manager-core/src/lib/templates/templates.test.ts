import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { homeAt } from '../domain/home.js'
import type { GlobalSettings, Settings } from '../settings/settings.js'
import { openRegistry, type Registry } from '../store/registry.js'
import { createPlugins } from '../system/plugins.js'
import { createLocks } from '../system/locks.js'
import { createTemplates } from './create-templates.js'
import type { Templates } from './template-source.js'

const defaultTemplate = fileURLToPath(new URL('../../../../../templates/default', import.meta.url))
let home: string
let template: string
let registry: Registry
let templates: Templates
let now: Date

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-home-'))
  template = mkdtempSync(join(tmpdir(), 'steward-template-'))
  write('app.yaml', 'name: shop\ntitle: A shop\nversion: 1.0.0\n')
  write('objects/thing.yaml', 'name: Thing\nfields: { thi_name: { type: string, key: true } }\n')
  now = new Date('2030-01-01T00:00:00Z')
  registry = openRegistry({ file: join(home, 'manager.db') })
  const locks = createLocks(join(home, 'locks'))
  templates = createTemplates({
    home: homeAt(home),
    settings: () => settings,
    plugins: createPlugins(home),
    registry: () => registry,
    locks: () => locks,
    clock: () => now,
    defaultTemplate,
    check: async (folder) => {
      if (readFileSync(join(folder, 'app.yaml'), 'utf8').includes('broken'))
        throw new Error('objects/a.yaml:1:1 broken')
    },
  })
})

afterEach(() => {
  registry.close()
  rmSync(home, { recursive: true, force: true })
  rmSync(template, { recursive: true, force: true })
})

const write = (path: string, content: string) => {
  mkdirSync(join(template, path, '..'), { recursive: true })
  writeFileSync(join(template, path), content)
}
const settings = {
  global: {} as GlobalSettings,
  version: async (version: string) => ({ template: locations.get(version) }),
} as Settings
const locations = new Map<string, string>()
const configure = (version: string, location: string) => {
  locations.set(version, location)
  writeFileSync(join(home, `version-${version}.sh`), '')
}
const refresh = async () => (await templates.refresh()).versions
const list = () => templates.list()
const left = () => readdirSync(join(home, 'templates')).filter((name) => name.startsWith('.fetch'))

describe('a version whose file was removed', () => {
  it('is neither listed, nor the default, nor found, before and after the next refresh', async () => {
    configure('1.0', `folder:${template}`)
    configure('2.0', `folder:${template}`)
    await refresh()
    expect(await templates.default()).toMatchObject({ version: '2.0' })
    rmSync(join(home, 'version-2.0.sh'))
    expect(await list()).toMatchObject([{ version: '1.0', isDefault: true }])
    expect(await templates.default()).toMatchObject({ version: '1.0' })
    await expect(templates.get('2.0')).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      message: 'No version is named "2.0".',
      help: 'Versions: 1.0.',
    })
    expect(await refresh()).toMatchObject([{ version: '1.0' }, { version: '2.0', result: 'removed' }])
    expect(await list()).toMatchObject([{ version: '1.0', isDefault: true }])
  })

  it('is not reported when its last template was refused', async () => {
    configure('1.0', `folder:${template}`)
    write('app.yaml', 'name: shop\ntitle: broken\nversion: 1.0.0\n')
    await refresh()
    expect(await templates.failed()).toHaveLength(1)
    rmSync(join(home, 'version-1.0.sh'))
    expect(await templates.failed()).toEqual([])
  })
})

describe('refresh()', () => {
  it('fetches the template that ships with the manager', async () => {
    configure('1.0', 'default')
    expect(await refresh()).toMatchObject([{ version: '1.0', result: 'new' }])
    const [version] = await list()
    expect(version).toMatchObject({ version: '1.0', title: 'Companies, contacts and tasks', isDefault: true })
    expect(readFileSync(join(version?.folder ?? '', 'app.yaml'), 'utf8')).toContain('name: starter')
    expect(readFileSync(join(home, 'templates/1.0/app.yaml'), 'utf8')).toContain('name: starter')
  })

  it('fetches again what has changed, gives it a later date, and keeps the replaced one until the next time', async () => {
    configure('1.0', `folder:${template}`)
    await refresh()
    const [first] = await list()
    expect(await refresh()).toMatchObject([{ result: 'unchanged' }])
    write('app.yaml', 'name: shop\ntitle: A better shop\nversion: 1.1.0\n')
    utimesSync(join(template, 'app.yaml'), 1, 1)
    expect(await refresh()).toMatchObject([{ result: 'updated' }])
    const [second] = await list()
    expect(second).toMatchObject({ title: 'A better shop' })
    expect(second?.revision).not.toBe(first?.revision)
    expect((second?.date ?? '') > (first?.date ?? '')).toBe(true)
    expect(readdirSync(join(home, 'templates/.revisions'))).toHaveLength(2)
    expect(readFileSync(join(home, 'templates/1.0/app.yaml'), 'utf8')).toContain('1.1.0')
    await refresh()
    expect(readdirSync(join(home, 'templates/.revisions'))).toHaveLength(1)
  })

  it('keeps the version it has when files of Git LFS were not fetched, wherever the template is from', async () => {
    configure('1.0', `folder:${template}`)
    await refresh()
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 4096\n`
    for (const name of ['logo.png', 'a.png', 'b.png', 'c.png']) write(name, pointer)
    const [report] = await refresh()
    expect(report).toMatchObject({ result: 'failed' })
    expect(report?.error).toContain('pointers of Git LFS in place of a.png, b.png, c.png and 1 more')
    expect((await list())[0]?.title).toBe('A shop')
    for (const name of ['logo.png', 'a.png', 'b.png', 'c.png']) write(name, `${pointer}${'x'.repeat(2000)}`)
    expect(await refresh()).toMatchObject([{ result: 'updated' }])
  })

  it('keeps the version it has when the new one is not an application, and says why', async () => {
    configure('1.0', `folder:${template}`)
    await refresh()
    const before = await list()
    const mistakes = ['name: shop\n', 'name: [shop\n', '', '- a\n', 'name: shop\nversion: 2\n']
    for (const text of mistakes) {
      write('app.yaml', text)
      const [report] = await refresh()
      expect(report).toMatchObject({ version: '1.0', result: 'failed' })
      expect(report?.error).toMatch(/app\.yaml/)
    }
    rmSync(join(template, 'app.yaml'))
    expect((await refresh())[0]?.error).toContain('no app.yaml')
    rmSync(template, { recursive: true })
    expect((await refresh())[0]?.error).toContain(template)
    expect(await list()).toEqual(
      before.map((one) => ({ ...one, problem: expect.stringContaining(template) as string })),
    )
    expect(readFileSync(join(home, 'templates/1.0/app.yaml'), 'utf8')).toContain('1.0.0')
    expect(left()).toEqual([])
  })

  it('does not take what cannot be loaded, and remembers why until it is corrected', async () => {
    configure('1.0', `folder:${template}`)
    configure('2.0', `folder:${template}`)
    write('app.yaml', 'name: shop\ntitle: broken\nversion: 1.0.0\n')
    expect((await refresh()).map(({ result }) => result)).toEqual(['failed', 'failed'])
    await expect(templates.get('2.0')).rejects.toMatchObject({
      code: 'ERR_TEMPLATE',
      message: 'Version 2.0 has no usable template: objects/a.yaml:1:1 broken',
    })
    write('app.yaml', 'name: shop\ntitle: A shop\nversion: 1.0.0\n')
    await refresh()
    const [good] = await list()
    expect(good?.problem).toBe('')
    write('app.yaml', 'name: shop\ntitle: broken\nversion: 1.1.0\n')
    now = new Date('2030-01-02T00:00:00Z')
    rmSync(join(home, 'version-2.0.sh'))
    await refresh()
    const problem = 'objects/a.yaml:1:1 broken'
    expect(await list()).toEqual([{ ...good, isDefault: true, refreshed: now.toISOString(), problem }])
    expect(await templates.failed()).toEqual([{ version: '1.0', at: now.toISOString(), problem, isFetched: true }])
    expect(readFileSync(join(good?.folder ?? '', 'app.yaml'), 'utf8')).toContain('1.0.0')
    expect(left()).toEqual([])
  })

  it('takes neither data, nor git, nor linked modules, nor files for editors', async () => {
    write('data/shop.db', 'rows')
    write('.steward/tsconfig.json', '{}')
    write('.git/config', 'secret')
    symlinkSync('/usr', join(template, 'node_modules'))
    configure('1.0', `folder:${template}`)
    expect(await refresh()).toMatchObject([{ result: 'new' }])
    expect(readdirSync(join(home, 'templates/1.0')).toSorted()).toEqual(['app.yaml', 'objects'])
    write('data/shop.db', 'more rows')
    expect(await refresh()).toMatchObject([{ result: 'unchanged' }])
  })

  it('keeps names that are not UTF-8, and refuses links that no backup would take', async () => {
    configure('1.0', `folder:${template}`)
    const name = Buffer.from(`${template}/Gr\xf6sse`, 'latin1')
    writeFileSync(name, 'size')
    expect(await refresh()).toMatchObject([{ result: 'new' }])
    const folder = (await list())[0]?.folder ?? ''
    expect(readdirSync(folder, { encoding: 'latin1' })).toContain('Gr\xf6sse')
    expect(await refresh()).toMatchObject([{ result: 'unchanged' }])
    write('tool.sh', '#!/bin/sh\n')
    chmodSync(join(template, 'tool.sh'), 0o4755)
    expect((await refresh())[0]?.error).toContain('it runs with the rights of its owner')
    rmSync(join(template, 'tool.sh'))
    mkdirSync(join(template, 'inner'))
    symlinkSync('inner/../app.yaml', join(template, 'link'))
    expect((await refresh())[0]?.error).toContain('the link leads out of the folder ("inner/../app.yaml")')
  })

  it('keeps programs programs, and links inside', async () => {
    write('tool.sh', '#!/bin/sh\n')
    chmodSync(join(template, 'tool.sh'), 0o755)
    symlinkSync('tool.sh', join(template, 'link.sh'))
    configure('1.0', `folder:${template}`)
    expect(await refresh()).toMatchObject([{ result: 'new' }])
    expect(readlinkSync(join(home, 'templates/1.0/link.sh'))).toBe('tool.sh')
    chmodSync(join(template, 'tool.sh'), 0o644)
    expect(await refresh()).toMatchObject([{ result: 'updated' }])
  })

  it.each([
    ['/etc/passwd', 'out of the folder'],
    ['../../secret', 'nowhere'],
    ['objects/../../..', 'out of the folder'],
    ['here/../..', 'out of the folder'],
    ['nothing', 'nowhere'],
  ])('refuses a link to %s', async (target, why) => {
    symlinkSync('.', join(template, 'here'))
    symlinkSync(target, join(template, 'zlink'))
    configure('1.0', `folder:${template}`)
    const [report] = await refresh()
    expect(report?.result).toBe('failed')
    expect(report?.error).toContain(why)
  })

  it.each(['ftp://host/x', 'folder:', 'Default', ''])('says what APPS_TEMPLATE=%s may be', async (location) => {
    configure('1.0', location)
    const [report] = await refresh()
    expect(report?.result).toBe('failed')
    expect(report?.error).toContain('folder:<path>')
  })

  it('refuses names of versions that are none, and fetches the others', async () => {
    configure('-rf', 'default')
    configure('v'.repeat(41), 'default')
    configure('1 0', 'default')
    configure('2.0', 'default')
    const reports = await refresh()
    expect(reports.filter(({ result }) => result === 'failed')).toHaveLength(3)
    expect((await list()).map(({ version }) => version)).toEqual(['2.0'])
  })

  it('removes what a killed refresh left, and repairs the link', async () => {
    configure('1.0', 'default')
    await refresh()
    mkdirSync(join(home, 'templates/.fetch-0000/objects'), { recursive: true })
    mkdirSync(join(home, 'templates/.revisions/1.0-ffffffffffff-0000'), { recursive: true })
    rmSync(join(home, 'templates/1.0'))
    symlinkSync('.revisions/1.0-ffffffffffff-0000', join(home, 'templates/1.0'))
    expect(await refresh()).toMatchObject([{ result: 'unchanged' }])
    expect(left()).toEqual([])
    expect(readFileSync(join(home, 'templates/1.0/app.yaml'), 'utf8')).toContain('name: starter')
  })

  it('refuses a second one at the same time, which may wait', async () => {
    configure('1.0', 'default')
    const [first, second] = await Promise.allSettled([refresh(), refresh()])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'ERR_BUSY' } })
    await Promise.all([templates.refresh({ waitMs: 10_000 }), templates.refresh({ waitMs: 10_000 })])
  })

  it('only looks in a dry run', async () => {
    configure('1.0', 'default')
    expect((await templates.refresh({ dryRun: true })).versions).toMatchObject([{ result: 'new' }])
    expect(await list()).toEqual([])
  })

  it('forgets a version whose file is gone', async () => {
    configure('1.0', 'default')
    configure('2.0', 'default')
    await refresh()
    rmSync(join(home, 'version-1.0.sh'))
    expect(await refresh()).toMatchObject([{ version: '2.0' }, { version: '1.0', result: 'removed' }])
    expect((await list()).map(({ version }) => version)).toEqual(['2.0'])
    expect(readdirSync(join(home, 'templates')).toSorted()).toEqual(['.revisions', '2.0'])
  })
})

describe('get() and default()', () => {
  it('name the versions there are, in their order; the newest is the default', async () => {
    await expect(templates.get('1.0')).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      command: 'refresh',
    })
    for (const version of ['10.0', '9.1', '9.1-beta', 'lts']) configure(version, 'default')
    await refresh()
    expect((await list()).map(({ version }) => version)).toEqual(['lts', '9.1-beta', '9.1', '10.0'])
    expect(await templates.default()).toMatchObject({ version: '10.0', isDefault: true })
    await expect(templates.get('../1.0')).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      help: 'Versions: lts, 9.1-beta, 9.1, 10.0.',
    })
  })
})
