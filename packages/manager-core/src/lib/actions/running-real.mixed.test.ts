/**
 * @module-tag mixed
 * @module-tag continued
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { healthPlace } from '../application/health-place.js'
import { checkHealth } from '../runtime/health.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { processesOf } from '../testing/end-processes.js'

const applicationServer = fileURLToPath(new URL('../../../../app-server/dist/cli.js', import.meta.url))
const patience = { interval: 50 }

let test: TestManager
beforeAll(async () => {
  test = await createTestManager({ applicationServer, refresh: false })
  rmSync(join(test.template, 'objects', 'Note.yaml'))
  writeFileSync(
    join(test.template, 'objects', 'note.yaml'),
    'name: Note\nfields:\n  not_text: { type: string, length: 100, key: true }\n',
  )
  writeFileSync(
    join(test.template, 'objects', 'note.ts'),
    `import { defineCode } from '@steward/rest-core'
export default defineCode({ actions: { greet: { scope: 'global', run: () => 'Hello' } } })\n`,
  )
  writeFileSync(
    join(test.template, 'setup.ts'),
    `import { systemPrincipal } from '@steward/rest-core'
export default ({ service }) =>
  service.create(systemPrincipal(), 'User', { usr_login: 'ann', usr_password: 'ann-Password1' })\n`,
  )
  writeFileSync(join(test.template, 'app.yaml'), 'setup: setup.ts\n', { flag: 'a' })
  writeFileSync(join(test.home, 'version-1.0.sh'), 'APPS_TOMCATMAXMEM=200\n', { flag: 'a' })
  await test.context.templates.refresh()
})
afterAll(() => test.close())

describe('an instance with the real application server', () => {
  it('starts, survives a kill, is debugged and stops', { tags: 'core' }, async () => {
    await test.perform('add', { name: 'demo' })
    const place = healthPlace(test.context, test.instance('demo'))
    const ref = { id: test.instance('demo').id, folder: test.path('demo') }
    const runtime = test.context.runtimes.named('process')
    const { ok, sections } = await checkHealth(place)
    expect({ ok, application: sections['application']?.['name'] }).toEqual({ ok: true, application: 'fake' })
    const [supervisor, application] = await runtime.processes(ref)
    expect(application?.parent).toBe(supervisor?.pid)
    expect(application?.command).toContain('--max-old-space-size=200')
    expect(sections['process']?.['pid']).toBe(String(application?.pid))

    process.kill(application?.pid as number, 'SIGKILL')
    await expect.poll(async () => (await runtime.observe(ref)).restarts, patience).toBe(1)
    await expect.poll(async () => (await checkHealth(place)).ok, patience).toBe(true)
    expect(await test.perform('app-status', { name: 'demo' })).toMatchObject({
      item: { state: 'started', health: 'OK', restarts: 1, last_exit: expect.stringContaining('SIGKILL') },
    })

    const { data } = await test.perform('app-debug', { name: 'demo' })
    expect((await fetch(`http://${String(data?.['debugger'])}/json/list`)).status).toBe(200)
    expect((await checkHealth(place)).ok).toBe(true)

    await test.perform('stop', { name: 'demo' })
    expect((await runtime.observe(ref)).lastExit?.code).toBe(0)
    expect(processesOf(test.path('demo'))).toEqual([])
    const { adminPassword, password } = await test.context.settings.instance(test.path('demo'))
    const log = readFileSync(test.path('demo', 'logs', 'application.log'), 'utf8')
    for (const secret of [adminPassword, password]) expect(log).not.toContain(secret.reveal())
  })
  it('has the administrator of its settings, and code that finds the packages of the server', async () => {
    await test.perform('start', { name: 'demo' })
    const { port } = test.instance('demo')
    const { adminUser, adminPassword } = await test.context.settings.instance(test.path('demo'))
    const authorization = `Basic ${Buffer.from(`${adminUser}:${adminPassword.reveal()}`).toString('base64')}`
    const call = async (path: string) =>
      (await fetch(`http://127.0.0.1:${port}/api/rest/${path}`, { headers: { authorization } })).json()
    expect(await call('User/?_count=true')).toMatchObject({ count: 2 })
    expect(await call('Note/action:greet')).toEqual({ result: 'Hello' })
    await test.perform('stop', { name: 'demo' })
  })
  it('has a backup that is proved beside it', async () => {
    await test.perform('save', { name: 'demo' })
    const { message, item } = await test.perform('prove', { name: 'demo' })
    expect(message).toContain('restored, started and healthy')
    expect((await test.perform('get', { name: 'demo' })).item).toMatchObject({
      observed: 'stopped',
      proved: (item as { proved: string }).proved,
    })
  })

  it('whose app.yaml is gone is not restarted and keeps serving, and is repaired by a backup', async () => {
    await test.perform('add', { name: 'broken' })
    await test.perform('save', { name: 'broken' })
    rmSync(test.path('broken', 'app', 'app.yaml'))
    await expect(test.perform('restart', { name: 'broken' })).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: expect.stringMatching(/keeps running: .*app\.yaml/s),
    })
    expect((await checkHealth(healthPlace(test.context, test.instance('broken')))).ok).toBe(true)
    await test.perform('stop', { name: 'broken' })
    await expect(test.perform('start', { name: 'broken' })).rejects.toMatchObject({
      output: expect.stringContaining('app.yaml'),
    })
    expect(processesOf(test.path('broken'))).toEqual([])
    await test.perform('restore', { name: 'broken' })
    await test.perform('start', { name: 'broken' })
    expect((await checkHealth(healthPlace(test.context, test.instance('broken')))).ok).toBe(true)
  })
})
