import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

describe('save', () => {
  let test: TestManager
  beforeEach(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo' })
    mkdirSync(test.path('demo', 'data', 'documents'))
    writeFileSync(test.path('demo', 'data', 'documents', 'größe 1\\2.txt'), 'a document')
  })
  afterEach(() => test.close())

  it('makes a backup that plain tools restore', async () => {
    await test.perform('save', { name: 'demo' })
    const [backup] = await test.context.backups.list({ name: 'DEMO' })
    const folder = backup?.folder as string
    expect(readdirSync(folder)).toEqual(['db.sqlite.zst', 'files.tar.zst', 'manifest.json'])
    expect(backup?.manifest).toMatchObject({
      instance: { name: 'demo', version: '1.0' },
      database: { type: 'sqlite', rows: { note: 1 } },
      consistency: 'suspended',
      warnings: [],
    })
    const out = join(test.folder, 'out')
    mkdirSync(out)
    await execa('bash', ['-c', 'zstd -dc "$1/files.tar.zst" | tar -x -C "$2"', '-', folder, out])
    await execa('bash', ['-c', 'zstd -dc "$1/db.sqlite.zst" > "$2/database.db"', '-', folder, out])
    expect(readFileSync(join(out, 'data', 'documents', 'größe 1\\2.txt'), 'utf8')).toBe('a document')
    expect(existsSync(join(out, 'data', 'database.db'))).toBe(false)
    const database = new DatabaseSync(join(out, 'database.db'))
    expect(database.prepare('select text from note').all()).toMatchObject([{ text: 'first' }])
    database.close()
  })
})
