/** @module-tag mixed */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Input } from '../domain/input.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import type { Backup } from './backup.js'
import { manifestName } from './manifest.js'
import { copyTo } from './copies/copy-to.js'

describe('restore from a target', () => {
  let test: TestManager
  let first: Backup
  let last: Backup
  const save = async () => {
    await test.perform('save', { name: 'demo' })
    return test.context.backups.find('demo', 'latest')
  }
  beforeAll(async () => {
    test = await createTestManager({
      config: [
        'APPS_TARGETS=nas,safe',
        ...['NAS', 'SAFE'].map((name) => `APPS_TARGET_${name}_TYPE=local APPS_TARGET_${name}_PATH=$APPS_HOME/${name}`),
      ],
    })
    await test.perform('add', { name: 'demo' })
    writeFileSync(document(), 'saved')
    ;[first, last] = [await save(), await save()]
    cpSync(join(test.home, 'save'), join(test.folder, 'good'), { recursive: true })
  })
  beforeEach(async () => {
    writeFileSync(document(), 'later')
    rmSync(join(test.home, 'save'), { recursive: true })
    cpSync(join(test.folder, 'good'), join(test.home, 'save'), { recursive: true })
    for (const store of ['NAS', 'SAFE']) {
      rmSync(join(test.home, store), { recursive: true, force: true })
      mkdirSync(join(test.home, store))
    }
    for (const backup of [first, last])
      await copyTo(test.context, test.caller, { backup, targets: ['nas'], readBack: false })
  })
  afterAll(() => test.close())

  const document = () => test.path('demo', 'data', 'document.txt')
  const copy = (...parts: string[]) => join(test.home, 'NAS', ...parts)
  const restore = (from: string, more: Record<string, Input> = {}, dryRun = false) =>
    test.perform('restore', { name: 'demo', from, ...more }, { dryRun })

  function flip(file: string): void {
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1]! ^= 1
    chmodSync(file, 0o600)
    writeFileSync(file, bytes)
  }

  it('fetches the backup, and puts the instance back', { tags: 'core' }, async () => {
    rmSync(last.folder, { recursive: true })
    const { message } = await restore('nas')
    expect(message).toContain(last.key)
    expect(readFileSync(document(), 'utf8')).toBe('saved')
    expect((await test.context.backups.find('demo', 'latest')).key).toBe(last.key)
  })

  it('fetches no more than the manifest for a dry run, and nothing for what is refused', async () => {
    rmSync(last.folder, { recursive: true })
    for (const file of last.manifest.files) flip(copy(last.key, file.name))
    const { plan } = await restore(`nas:${last.manifest.id}`, {}, true)
    expect(plan?.notes[0]).toMatch(/^The backup is fetched from "nas" first \(\d+(\.\d)? (B|kB|MB)\)\.$/)
    expect(plan?.steps[0]?.id).toBe('restore-verify')
    await expect(restore('nas', { as: 'demo' })).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN' })
    await test.perform('protect', { name: 'demo' })
    await expect(restore('nas')).rejects.toMatchObject({ code: 'ERR_PROTECTED' })
    await test.perform('unprotect', { name: 'demo' })
    expect(existsSync(last.folder)).toBe(false)
    expect(readFileSync(document(), 'utf8')).toBe('later')
  })

  it('touches nothing when a bit of the copy is flipped, and names others that are good', async () => {
    await copyTo(test.context, test.caller, { backup: first, targets: ['safe'], readBack: false })
    rmSync(first.folder, { recursive: true })
    flip(copy(first.key, 'files.tar.zst'))
    await expect(restore(`nas:${first.manifest.id}`)).rejects.toMatchObject({
      code: 'ERR_BACKUP',
      message: expect.stringContaining(`"nas" is damaged: ${first.key}/files.tar.zst was changed`),
      help: expect.stringContaining(`Others: --from safe:${first.manifest.id}, `),
    })
    expect(existsSync(first.folder)).toBe(false)
    expect(readFileSync(document(), 'utf8')).toBe('later')
    expect(test.instance('demo').observed).toBe('started')
    // What the error says works.
    await restore(`safe:${first.manifest.id}`)
    expect(readFileSync(document(), 'utf8')).toBe('saved')
  })

  it('names others when the manifest there is cut off, or of a newer format', async () => {
    const file = copy(last.key, manifestName)
    const text = readFileSync(file, 'utf8')
    chmodSync(file, 0o600)
    truncateSync(file, Math.floor(text.length / 2))
    const expected = { code: 'ERR_BACKUP', help: expect.stringContaining(`--from nas:${first.manifest.id}`) }
    await expect(restore(`nas:${last.manifest.id}`)).rejects.toMatchObject(expected)
    writeFileSync(file, text.replace('"format": 1', '"format": 2'))
    await expect(restore(`nas:${last.manifest.id}`)).rejects.toMatchObject(expected)
    expect(readFileSync(document(), 'utf8')).toBe('later')
  })

  it(
    'names others when the backup here is damaged, and says which newer one latest passed over',
    { tags: 'core' },
    async () => {
      flip(join(first.folder, 'db.sqlite.zst'))
      await expect(restore(first.manifest.id)).rejects.toMatchObject({
        message: expect.stringContaining('db.sqlite.zst'),
        help: expect.stringMatching(new RegExp(`Others: --from nas:${first.manifest.id}`)),
      })
      expect((await test.context.backups.find('demo', first.key)).damage).toContain('db.sqlite.zst')
      const newest = await save()
      const file = join(newest.folder, manifestName)
      chmodSync(file, 0o600)
      truncateSync(file, 200)
      const { warnings } = await test.perform('restore', { name: 'demo', as: 'copy' }, { dryRun: true })
      expect(warnings).toEqual([expect.stringContaining(`Skipped the newer backup ${newest.key}.`)])
    },
  )

  it.each([
    ['moon:latest', 'ERR_NOT_FOUND'],
    ['nas:2020', 'ERR_NOT_FOUND'],
    ['nas:../../etc/passwd', 'ERR_NOT_FOUND'],
    [':', 'ERR_NOT_FOUND'],
    [`nas:${'ü'.repeat(300)}`, 'ERR_NOT_FOUND'],
  ])('refuses %s', async (from, code) => {
    await expect(restore(from)).rejects.toMatchObject({ code })
  })
})
