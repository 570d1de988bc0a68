import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kindOf } from './check-template.js'

describe('kindOf()', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'steward-kind-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  it.for([
    { files: ['app.yaml'], folders: ['objects'], kind: 'node' },
    { files: ['index.jsp'], folders: ['WEB-INF'], kind: 'webapp' },
    { files: ['app.yaml'], folders: ['WEB-INF'], kind: 'webapp' },
    { files: ['shop.war'], folders: [], kind: 'webapp' },
    // Which of them would it be?
    { files: ['shop.war', 'office.war'], folders: [], kind: 'node' },
    { files: ['WEB-INF'], folders: ['old.war'], kind: 'node' },
  ])('$files $folders: $kind', async ({ files, folders, kind }) => {
    for (const name of folders) mkdirSync(join(folder, name))
    for (const name of files) writeFileSync(join(folder, name), '')
    expect(await kindOf(folder)).toBe(kind)
  })
})
