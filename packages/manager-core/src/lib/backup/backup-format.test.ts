import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { backupFormat, runBlock } from '../testing/backup-format.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { manifestName, parseManifest } from './manifest.js'

/** Maps, whose keys are names of something. */
const maps = new Set(['database.rows', 'database.rowsAfter', 'files.exitCodes', 'tools'])

/** `instance.id`, `files.name`; of objects in lists those of all. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => fieldsOf(each, path))
  if (typeof value !== 'object' || value === null || maps.has(path)) return [path]
  return Object.entries(value).flatMap(([key, inner]) => fieldsOf(inner, path === '' ? key : `${path}.${key}`))
}

const [, example = ''] = /```json\n([^]*?)```/.exec(backupFormat) ?? []
const rows = [...backupFormat.matchAll(/^\| `([a-z0-9.]+)` /gim)].map(([, field]) => field)

describe('docs/backup-format.md', () => {
  let test: TestManager
  let folder: string
  beforeAll(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo', 'no-start': true })
    writeFileSync(test.path('demo', 'data', 'document.txt'), 'a document')
    const database = new DatabaseSync(test.path('demo', 'data', 'database.db'))
    database.exec(`create table note (text); insert into note values ('first')`)
    database.close()
    await test.perform('save', { name: 'demo' })
    folder = (await test.context.backups.find('demo', 'latest')).folder
  })
  afterAll(() => test.close())

  it('shows a manifest that is one, and explains every field of it and of a real one', () => {
    expect(parseManifest(Buffer.from(example), 'the example')).toMatchObject({ format: 1, secrets: true })
    const real = JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as unknown
    const fields = new Set([...fieldsOf(JSON.parse(example)), ...fieldsOf(real)])
    expect([...fields].filter((field) => !rows.includes(field))).toEqual([])
    expect(fieldsOf(real).filter((field) => !fieldsOf(JSON.parse(example)).includes(field))).toEqual([])
  })

  it('says how to verify a backup by hand', async () => {
    expect(await runBlock('verify', { folder })).toBe('db.sqlite.zst: OK\nfiles.tar.zst: OK')
  })

  it.skipIf(toolIsMissing('sqlite3'))('says how to restore files and SQLite by hand', async () => {
    const target = mkdtempSync(join(test.folder, 'by-hand-'))
    const environment = { BACKUP: folder, TARGET: target }
    await runBlock('files', { folder: target, environment })
    expect(await runBlock('sqlite', { folder: target, environment })).toBe('ok')
    expect(readFileSync(join(target, 'data', 'document.txt'), 'utf8')).toBe('a document')
    const database = new DatabaseSync(join(target, 'data', 'database.db'))
    expect(database.prepare('select text from note').all()).toMatchObject([{ text: 'first' }])
    database.close()
  })
})
