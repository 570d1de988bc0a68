import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OperationEvent } from '../domain/caller.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let test: TestManager
let store: string

beforeAll(async () => {
  test = await createTestManager({
    refresh: false,
    config: [
      'export APPS_TARGETS=disk,plug',
      'export APPS_TARGET_DISK_TYPE=local',
      'export APPS_TARGET_DISK_PATH="$APPS_HOME/disk"',
      'export APPS_TARGET_PLUG_TYPE=no-such-plug-in',
      'export APPS_FTP_SERVER=ftp.example.com',
      'export APPS_FTP_USER=backup',
      'export APPS_FTP_PASSWORD=s3cr3t',
    ],
  })
  store = join(test.home, 'disk')
  mkdirSync(store)
})

afterAll(() => test.close())

describe('target list', () => {
  it('says where targets go, without secrets, and what is wrong with their settings', async () => {
    const { message, list } = await test.perform('target list')
    expect(message).toBe('3 targets.')
    expect(list).toContainEqual({ name: 'disk', type: 'local', where: `file://${store}`, problem: '' })
    expect(list).toContainEqual(
      expect.objectContaining({ name: 'ftp', where: expect.stringContaining('ftp.example.com') }),
    )
    expect(list).toContainEqual({
      ...{ name: 'plug', type: 'no-such-plug-in', where: '' },
      problem: expect.stringMatching(/^Target "plug": .*no such package is installed/),
    })
    expect(JSON.stringify(list)).not.toContain('s3cr3t')
  })
})

describe('target test', () => {
  it('reports check by check what a store can do, and leaves nothing there', async () => {
    const events: OperationEvent[] = []
    const result = await test.perform('target test', { target: 'disk' }, { onEvent: (event) => events.push(event) })
    expect(result).toMatchObject({ exitCode: 0, data: { capabilities: { atomicPublish: 'rename', resume: 'append' } } })
    expect(result.message).toMatch(
      /^Target "disk": \d+ checks passed, 0 failed, \d+ skipped\. Objects appear by a rename;/,
    )
    expect(result.list?.[0]).toEqual({
      ...{ name: 'an object is stored, found and read back', result: 'passed', message: '' },
      seconds: expect.any(Number),
    })
    expect(events).toHaveLength(result.list?.length ?? 0)
    expect(readdirSync(store)).toEqual([])
  })

  it('ends with 1 when the store cannot be used, and says why', async () => {
    rmSync(store, { recursive: true })
    const { exitCode, list = [] } = await test.perform('target test', { target: 'disk' })
    mkdirSync(store)
    expect(exitCode).toBe(1)
    expect(list[0]).toMatchObject({ result: 'failed', message: `ERR_TARGET_SETTINGS: ${store} is not a folder.` })
    expect(list.at(-1)).toMatchObject({ result: 'skipped', message: 'nothing can be stored' })
  })

  it('refuses what is not set, or cannot be opened', async () => {
    await expect(test.perform('target test', { target: 'disc' })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      help: 'Did you mean "disk"?',
    })
    await expect(test.perform('target test', { target: 'plug' })).rejects.toMatchObject({
      code: 'ERR_SETTINGS',
      command: 'config --all remote',
    })
    await expect(test.perform('target test')).rejects.toMatchObject({ code: 'ERR_USAGE' })
  })
})
