import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtInTypes, openTarget, targetTypeOf } from './registry.js'

let home: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-plugins-'))
})

afterAll(() => rmSync(home, { recursive: true }))

/** A type whose target shows the options that it was opened with. */
const echo = `{ name: 'echo', title: 'Echo', describe: () => 'echo:', open: (options) => options, options: [
  { name: 'folder', summary: 'Folder', required: true }, { name: 'token', summary: 'Token', required: true, secret: true },
  { name: 'region', summary: 'Region', default: 'here' }, { name: 'note', summary: 'Note' }] }`

function install(name: string, code: string, manifest: object = {}): void {
  const folder = join(home, 'node_modules', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'index.js', ...manifest }),
  )
  writeFileSync(join(folder, 'index.js'), code)
}

const settings = (message: RegExp | string) =>
  expect.objectContaining({ code: 'ERR_TARGET_SETTINGS', message: expect.stringMatching(message) })

describe('types of targets', () => {
  it('come with the package, each with options that can be shown', async () => {
    expect(builtInTypes).toEqual(['local', 'scp', 'ftp', 'swift', 's3', 'gcs'])
    for (const name of builtInTypes) {
      const { options, title, name: own } = await targetTypeOf(name)
      expect(own).toBe(name)
      expect(title).not.toBe('')
      expect(new Set(options.map((option) => option.name)).size).toBe(options.length)
      for (const option of options) {
        expect(option.name).toMatch(/^[a-z][a-z0-9_]*$/)
        expect(option.summary).toMatch(/[^.]$/)
        if (/password|secret/.test(option.name)) expect(option).toMatchObject({ secret: true })
      }
    }
  })

  it('of a plug-in gets the packages of the program, and need not bring them', async () => {
    install(
      'bare',
      `import { TargetError } from '@steward/backup-targets'
export const target = { name: 'bare', title: TargetError.name, options: [], open() {}, describe: () => '' }`,
    )
    expect(await targetTypeOf('bare', [home])).toMatchObject({ title: 'TargetError' })
  })

  it.each([
    ['exports `target`', `export const target = ${echo}`, {}],
    ['exports it as default', `export default ${echo}`, {}],
    [
      'can only be imported',
      `export const target = ${echo}`,
      { exports: { '.': { types: './x.d.ts', import: './index.js' } } },
    ],
    [
      'has conditions within conditions',
      `export const target = ${echo}`,
      { exports: { node: { import: './index.js' } } },
    ],
    ['is CommonJS', `exports.target = ${echo}`, { type: 'commonjs' }],
    ['has a scope', `export const target = ${echo}`, { scoped: true }],
  ])('may come from a package that %s', async (label, code, manifest) => {
    const id = label.replaceAll(/\W+/g, '-').toLowerCase()
    const name = 'scoped' in manifest ? `@cellar/${id}` : `box-${id.replace(/^-/, '')}`
    install(name, code, manifest)
    expect(await targetTypeOf(name, ['/nowhere', home])).toMatchObject({ name: 'echo' })
  })

  it('are refused when there is no such package, or it has none, or cannot be loaded', async () => {
    install('box-empty', 'export const other = 1')
    install('box-half', `export const target = { name: 'half' }`)
    install('box-broken', 'export const target = missing.thing')
    await expect(targetTypeOf('box-nowhere', [home])).rejects.toEqual(settings('no such package is installed'))
    await expect(targetTypeOf('box-empty', [home])).rejects.toEqual(settings('exports no type of targets'))
    await expect(targetTypeOf('box-half', [home])).rejects.toEqual(settings('exports no type of targets'))
    await expect(targetTypeOf('box-broken', [home])).rejects.toEqual(
      settings('cannot be loaded: missing is not defined'),
    )
    for (const name of [
      '',
      '..',
      './box',
      '/etc/passwd',
      '../../box',
      'a/b',
      'constructor',
      'fs',
      'node:fs',
      'a b',
      'x'.repeat(300),
    ])
      await expect(targetTypeOf(name, [home])).rejects.toEqual(settings(''))
  })
})

describe('options', () => {
  const open = (options: Record<string, string>) =>
    openTarget({ type: 'box-options', options, pluginFolders: [home] }) as unknown as Promise<Record<string, string>>

  beforeAll(() => install('box-options', `export const target = ${echo}`))

  it('are given with the defaults of the others; an empty text is none', async () => {
    expect(await open({ folder: 'a', token: 't', note: '' })).toEqual({ folder: 'a', token: 't', region: 'here' })
    expect(await open({ folder: 'a', token: 't', region: '' })).toMatchObject({ region: 'here' })
  })

  it('are refused when they are unknown, or missing: all are named, none is shown', async () => {
    await expect(open({ folder: 'a', token: 't0k3n', foldre: 'x', api_key: 'y' })).rejects.toMatchObject({
      message: 'A target of type echo has no option "foldre", "api_key".',
      help: 'It has "folder", "token", "region", "note".',
    })
    await expect(open({ note: 's3cret' })).rejects.toMatchObject({
      message: 'A target of type echo needs "folder", "token".',
      help: 'folder: Folder. token: Token.',
    })
  })
})
