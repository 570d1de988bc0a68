/** @module-tag mixed */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { testTemplateSource } from '../testing/template-source-suite.js'
import { packPackage, startNpmRegistry, useRegistry } from './npm-registry-for-test.js'
import { chooseVersion, createNpmSource } from './npm-source.js'

let registry: Awaited<ReturnType<typeof startNpmRegistry>>
let base: string

beforeAll(async () => {
  registry = await startNpmRegistry()
  base = mkdtempSync(join(tmpdir(), 'steward-npm-'))
  mkdirSync(join(base, 'work'))
  useRegistry(registry, base)
})

afterAll(() => {
  vi.unstubAllEnvs()
  registry.close()
  rmSync(base, { recursive: true, force: true })
})

const source = () => createNpmSource({ base, workFolder: join(base, 'work') })
let made = 0

testTemplateSource('npm', () => {
  const name = `@example/shop-${made++}`
  let version = 0
  return {
    source: source(),
    workFolder: join(base, 'work'),
    missing: 'npm:@example/nowhere@^1.0',
    async publish(files) {
      await registry.publish({ name, version: `1.${version++}.0` }, files)
      return `npm:${name}@^1.0`
    },
    close() {},
  }
})

testTemplateSource('npm', () => {
  const file = join(base, `file-${made++}.tgz`)
  return {
    source: source(),
    missing: 'npm:file:nowhere.tgz',
    async publish(files) {
      writeFileSync(file, await packPackage({ name: 'shop', version: '1.0.0' }, files))
      return `npm:file:${file}`
    },
    close() {},
  }
})

describe('npm source', () => {
  const fetch = async (location: string, version?: string) => {
    const folder = mkdtempSync(join(base, 'fetched-'))
    const known = version !== undefined && { revision: version, date: '2030-01-01T00:00:00.000Z' }
    await source().fetch(location, known || (await source().latest(location)), folder)
    return folder
  }

  it('takes versions, ranges and tags', { tags: 'core' }, async () => {
    const versions = ['1.0.0', '1.2.0', '2.0.0', '2.1.0-beta.1', '1.2.1']
    const packument = { versions, 'dist-tags': { latest: '1.2.1', next: '2.1.0-beta.1' } }
    for (const [range, version] of [
      ['latest', '1.2.1'],
      ['next', '2.1.0-beta.1'],
      ['^1.0', '1.2.1'],
      ['1.0.0', '1.0.0'],
      ['>=1.2.1 <3', '2.0.0'],
      ['^7', undefined],
      ['nightly', undefined],
    ] as const)
      expect(chooseVersion(packument, range)).toBe(version)
    expect(chooseVersion({ versions: '1.0.0' }, '1')).toBe('1.0.0')
    await registry.publish({ name: 'ranges', version: '1.0.0' })
    await expect(source().latest('npm:ranges@nightly')).rejects.toThrow('The package ranges has no version "nightly"')
  })

  it('installs the packages that the template needs, without running their scripts', async () => {
    await registry.publish({ name: 'helper', version: '1.0.0', scripts: { install: 'touch ran' } }, { 'index.js': '' })
    await registry.publish({ name: 'linter', version: '1.0.0' })
    const needs = { dependencies: { helper: '^1.0.0' }, devDependencies: { linter: '1.0.0' } }
    await registry.publish({ name: 'needs', version: '1.0.0', scripts: { postinstall: 'touch ran' }, ...needs })
    const folder = await fetch('npm:needs', '1.0.0')
    expect(readdirSync(join(folder, 'node_modules', 'helper')).toSorted()).toEqual(['index.js', 'package.json'])
    expect(readdirSync(join(folder, 'node_modules'))).not.toContain('linter')
    expect(readdirSync(folder).toSorted()).toEqual(['node_modules', 'package.json'])
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toContain('linter')
  })

  it('refuses an archive that is not the published one', { tags: 'core' }, async () => {
    await registry.publish({ name: 'tampered', version: '1.0.0' })
    await registry.tamper('tampered', '1.0.0')
    await expect(fetch('npm:tampered', '1.0.0')).rejects.toMatchObject({ code: 'ERR_TEMPLATE' })
  })

  it('refuses archives that lead out of the folder, and what is none', async () => {
    const header = { name: 'package/../../../outside', size: 1, mode: 0o644 }
    writeFileSync(join(base, 'outside.tgz'), gzipSync(await packTar([{ header, body: 'x' }])))
    await expect(fetch('npm:file:outside.tgz')).rejects.toMatchObject({ code: 'ERR_TEMPLATE' })
    expect(readdirSync(base)).not.toContain('outside')
    writeFileSync(join(base, 'text.tgz'), 'no archive')
    await expect(fetch('npm:file:text.tgz')).rejects.toMatchObject({ code: 'ERR_TEMPLATE' })
  })

  it.each([
    'npm:--global',
    'npm:-g@1',
    'npm:../x',
    'npm:/x',
    'npm:a b',
    'npm:git+ssh://h/x',
    'npm:@a/b/c',
    'npm:a@b@c',
  ])('refuses %s', async (location) => {
    await expect(source().latest(location)).rejects.toMatchObject({ code: 'ERR_TEMPLATE' })
  })
})
