import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountAt } from '../../accounts/account.js'
import { createTestManager, type TestManager } from '../../testing/create-test-manager.js'
import { addCompany, realApplication } from '../../testing/real-manager.js'
import { unpackDownload } from '../../testing/unpack-download.js'
import { uidOf } from '../../system/process-table.js'
import { checkHealth } from '../health.js'
import { ownerOfPort } from '../owner-of-port.js'
import { refOf } from '../instance-ref.js'
import { systemctl } from './systemctl.js'
import { removeUnit } from './unit-files.js'
import { unitName } from './unit.js'

let manager: TestManager

beforeAll(async () => {
  manager = await createTestManager({
    ...realApplication,
    version: undefined,
    refresh: false,
    config: ['export APPS_RUNTIME=systemd', 'export APPS_ISOLATION=yes', 'export APPS_HEALTHWINDOW=1'],
  })
  rmSync(manager.template, { recursive: true })
  cpSync(realApplication.defaultTemplate, manager.template, { recursive: true })
  await manager.perform('refresh')
  chmodSync(manager.folder, 0o711)
  await manager.perform('add', { name: 'demo' })
})
afterAll(() => manager?.close())

const health = async (name: string) => {
  const { port } = manager.instance(name)
  const owner = ownerOfPort(manager.context.runtimes, refOf(manager.context, manager.instance(name)))
  return (await checkHealth({ port, owner })).ok
}
const observe = (name: string) => manager.context.runtimes.observe(refOf(manager.context, manager.instance(name)))
const publish = async (more: string) => {
  const text = `export const Extra = { name: 'Extra', fields: { ext_name: { type: 'string', key: true } } }\n${more}\n`
  writeFileSync(join(manager.template, 'objects', 'extra.mjs'), text)
  await manager.perform('refresh')
}

it('doctor reports a unit that was removed, and creates it again', async () => {
  const ref = refOf(manager.context, manager.instance('demo'))
  const unit = unitName(ref, 'a')
  await systemctl('stop', unit)
  await removeUnit(ref, unit)
  await systemctl('daemon-reload')
  const doctor = async (fix: boolean) => (await manager.perform('doctor', { category: 'instances', fix })).list
  const found = { check: 'instance-state', message: `"demo" should be running, but its unit ${unit} no longer exists.` }
  expect(await doctor(false)).toContainEqual(expect.objectContaining({ ...found, level: 'error', fixable: true }))
  expect(await doctor(true)).toContainEqual(expect.objectContaining({ check: found.check, level: 'fixed' }))
  expect((await observe('demo')).state).toBe('started')
  expect(await health('demo')).toBe(true)
})

it('saves, upgrades, goes back, clones, downloads, moves and deletes instances that are units', async () => {
  const { perform } = manager
  expect(manager.instance('demo').runtime).toBe('systemd')
  const { pids } = await observe('demo')
  expect(uidOf(pids[0] as number)).toBe(accountAt(manager.path('demo'))?.uid)
  await addCompany(manager, 'demo', 'Before the save')
  await perform('save', { name: 'demo' })
  expect((await observe('demo')).state).toBe('started')
  await publish('setTimeout(() => process.exit(1), 500)')
  await expect(perform('upgrade', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
  expect(await health('demo')).toBe(true)
  await publish('')
  await perform('upgrade', { name: 'demo' })
  expect(await health('demo')).toBe(true)
  await perform('restore', { name: 'demo' })
  expect(await health('demo')).toBe(true)
  await perform('clone', { name: 'demo', new: 'twin' })
  expect([manager.instance('twin').runtime, await health('twin')]).toEqual(['systemd', true])
  await perform('delete', { name: 'twin', purge: true })
  await unpackDownload(manager, { name: 'demo', type: 'all' })
  await perform('move', { name: 'demo', to: 'process' })
  expect([manager.instance('demo').runtime, await health('demo')]).toEqual(['process', true])
  await perform('move', { name: 'demo', to: 'systemd' })
  expect([manager.instance('demo').runtime, await health('demo')]).toEqual(['systemd', true])
  await perform('restart', { name: 'demo' })
  await perform('delete', { name: 'demo', purge: true })
})
