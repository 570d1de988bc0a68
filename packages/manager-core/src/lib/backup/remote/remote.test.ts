import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../../testing/create-test-manager.js'
import type { Backup } from '../backup.js'
import { exportBackup } from './export-backup.js'
import { fetchBackup } from './fetch-backup.js'
import { findCopy, listCopies } from './list-copies.js'
import { removeCopies } from './remove-copy.js'
import { verifyCopy } from './verify-copy.js'

describe('copies of backups', () => {
  let test: TestManager
  let backup: Backup
  const remote = (...parts: string[]) => join(test.home, 'nas', ...parts)
  beforeAll(async () => {
    test = await createTestManager({
      config: ['APPS_TARGETS=nas', 'APPS_TARGET_NAS_TYPE=local', 'APPS_TARGET_NAS_PATH=$APPS_HOME/nas'],
    })
    mkdirSync(remote())
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('save', { name: 'demo' })
    backup = await test.context.backups.find('demo', 'latest')
  })
  afterAll(() => test.close())

  it('are made, found, read, fetched and removed', async () => {
    const { context, caller } = test
    const report = await exportBackup(context, caller, { backup, target: 'nas' })
    expect(report.message).toContain('is at "nas"')
    expect(readdirSync(remote(backup.key)).toSorted()).toEqual(readdirSync(backup.folder).toSorted())
    const again = await exportBackup(context, caller, { backup, target: 'nas' })
    expect(again.message).toContain('already')
    const { backups, damaged } = await listCopies(context, 'nas')
    expect(backups).toMatchObject([{ key: backup.key, target: 'nas', manifest: backup.manifest }])
    expect(damaged).toEqual([])
    const copy = await findCopy(context, 'DEMO', { target: 'nas', backup: 'latest' })
    await verifyCopy(context, copy)
    rmSync(backup.folder, { recursive: true, force: true })
    const fetched = await fetchBackup(context, caller, copy)
    expect(fetched.backup).toMatchObject({ key: backup.key, copies: { nas: { verified: expect.any(String) } } })
    await context.backups.verify(fetched.backup)
    expect(await removeCopies(context, 'nas', [backup.key])).toEqual([{ key: backup.key, removal: 'removed' }])
    expect(existsSync(remote(backup.key))).toBe(false)
  })
})
