/** @module-tag mixed */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

describe('save', () => {
  let test: TestManager
  const document = 'größe 1\\2.txt'
  beforeEach(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo' })
    mkdirSync(test.path('demo', 'data', 'documents'))
    writeFileSync(test.path('demo', 'data', 'documents', document), 'a document')
  })
  afterEach(() => test.close())

  it('makes a backup that plain tools restore', { tags: 'core' }, async () => {
    await test.perform('save', { name: 'demo' })
    const [backup] = await test.context.backups.list({ name: 'DEMO' })
    const folder = backup?.folder as string
    expect(readdirSync(folder)).toEqual(['db.sqlite.zst', 'files.tar.zst', 'manifest.json'])
    expect(backup?.manifest).toMatchObject({
      instance: { name: 'demo', version: '1.0' },
      database: { type: 'sqlite', rows: { note: 1 } },
      consistency: 'suspended',
      files: [
        { name: 'db.sqlite.zst', exitCodes: { zstd: 0 } },
        { name: 'files.tar.zst', exitCodes: { tar: 0, zstd: 0 }, entries: expect.any(Number) },
      ],
      warnings: [],
    })
    const tar = await execa('bash', ['-c', `zstd -dc files.tar.zst | tar -t | wc -l`], { cwd: folder })
    expect(Number(tar.stdout)).toBe(backup?.manifest.files[1]?.entries)
    await expectPlainToolsToRestore(folder, document)
  })

  it('does without tar and zstd, and restores so', async () => {
    // How it runs needs programs, too.
    await test.perform('stop', { name: 'demo' })
    const path = process.env.PATH
    process.env.PATH = join(test.folder, 'nothing')
    const documents = test.path('demo', 'data', 'documents')
    try {
      await test.perform('save', { name: 'demo' })
      // Only GNU tar unpacks files of that name.
      await expect(test.perform('restore', { name: 'demo' })).rejects.toThrow('can only be unpacked by GNU tar')
      renameSync(join(documents, document), join(documents, 'größe 1'))
      symlinkSync('größe 1', join(documents, 'link'))
      await test.perform('save', { name: 'demo' })
      rmSync(documents, { recursive: true })
      await test.perform('restore', { name: 'demo' })
      expect(readdirSync(documents)).toEqual(['größe 1', 'link'])
    } finally {
      process.env.PATH = path
    }
    const { folder, manifest } = await test.context.backups.find('demo', 'latest')
    expect(Object.keys(manifest.tools)).not.toContain('tar')
    await expectPlainToolsToRestore(folder, 'größe 1')
    const { stdout } = await execa('zstd', ['-lv', join(folder, 'files.tar.zst')])
    expect(stdout).toMatch(/Number of Frames: 1\b|# Zstandard Frames: 1\b/)
    expect(stdout).toMatch(/Check: XXH64/)
  })

  it('is refused for what is not there', { tags: 'core' }, async () => {
    await expect(test.perform('save', { name: 'nobody' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    for (const from of ['2020', '../../etc', 'other/latest', 'latest'])
      await expect(test.perform('restore', { name: 'nobody', from })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    await expect(test.perform('backups verify', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })

  async function expectPlainToolsToRestore(folder: string, name: string): Promise<void> {
    const out = mkdtempSync(join(test.folder, 'out-'))
    await execa('bash', ['-c', 'zstd -dc "$1/files.tar.zst" | tar -x -C "$2"', '-', folder, out])
    await execa('bash', ['-c', 'zstd -dc "$1/db.sqlite.zst" > "$2/database.db"', '-', folder, out])
    expect(readFileSync(join(out, 'data', 'documents', name), 'utf8')).toBe('a document')
    expect(existsSync(join(out, 'data', 'database.db'))).toBe(false)
    const database = new DatabaseSync(join(out, 'database.db'))
    expect(database.prepare('select text from note').all()).toMatchObject([{ text: 'first' }])
    database.close()
  }
})
