import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dockerIsMissing, startDocker, toolIsMissing, type TestDocker } from '../../../../../tests/servers/index.js'
import { startNginx } from '../../../../../tests/servers/nginx.js'
import type { TestProxy } from '../../../../../tests/servers/proxy-server.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { processesOf } from '../testing/end-processes.js'
import { endsWhenItServes } from '../testing/ends-when-it-serves.js'
import { addCompany, realApplication } from '../testing/real-manager.js'
import { unpackDownload } from '../testing/unpack-download.js'
import { writeHook } from '../testing/write-hook.js'
import { createContainerEngine } from './container/engine.js'
import { containerName } from './container/names.js'
import { healthPlace } from '../application/health-place.js'
import { checkHealth } from './health.js'

const missing = dockerIsMissing()
const rules = fileURLToPath(new URL('../../../../../examples/anonymise/rules.yaml', import.meta.url))

/** What the reverse proxy answers for the instance. */
function throughProxy(port: number): Promise<number | string> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/health', headers: { Host: 'demo.localhost' }, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).once('error', ({ message }) => resolve(message))
  })
}

/** An object that the old version does not have; `more` runs when the application starts. */
const extra = (more: string) =>
  `export const Extra = { name: 'Extra', fields: { ext_name: { type: 'string', key: true } } }\n${more}\n`

describe.skipIf(missing !== undefined)(`a manager whose instances run in containers${missing ?? ''}`, () => {
  let docker: TestDocker
  let manager: TestManager
  let proxy: TestProxy | undefined

  beforeAll(async () => {
    docker = await startDocker()
    const folder = mkdtempSync(join(tmpdir(), 'steward-published-'))
    if (toolIsMissing('nginx') === undefined) proxy = await startNginx({ include: join(folder, 'live') })
    const publication = [`export APPS_PROXYDIR=${folder}`, 'export APPS_SSL=false']
    manager = await createTestManager({
      ...realApplication,
      version: undefined,
      refresh: false,
      config: [
        'export APPS_RUNTIME=container',
        `export APPS_CONTAINER_SOCKET=${docker.socket}`,
        'export APPS_HEALTHWINDOW=1',
        ...(proxy ? [...proxy.settings, ...publication] : []),
      ],
    })
    rmSync(manager.template, { recursive: true })
    cpSync(realApplication.defaultTemplate, manager.template, { recursive: true })
    await manager.perform('refresh')
    await manager.perform('add', { name: 'demo' })
    if (proxy) await manager.context.proxies.publish(manager.caller)
  })
  afterAll(async () => {
    await docker?.close()
    await manager?.close()
    await proxy?.close()
  })

  interface Listed {
    readonly State: string
    readonly Labels: Readonly<Record<string, string>>
  }

  /** Ids of instances that have containers, one for each, with their states. */
  async function containers(): Promise<readonly string[]> {
    const engine = createContainerEngine(docker.socket)
    const found = await engine.ask<readonly Listed[]>('GET', '/containers/json', { query: { all: '1' } })
    return (found ?? []).map(({ State, Labels }) => `${Labels['steward.instance']} ${State}`)
  }

  const runs = (name: string) => `${manager.instance(name).id} running`
  const health = async (name: string) => (await checkHealth(healthPlace(manager.context, manager.instance(name)))).ok
  const companies = (name: string) => {
    const file = new DatabaseSync(manager.path(name, 'data', 'database.db'), { readOnly: true })
    const rows = file.prepare('select com_name as name from company order by com_name').all()
    file.close()
    return rows.map((row) => String(row['name']))
  }
  const publish = async (more: string) => {
    writeFileSync(join(manager.template, 'objects', 'extra.mjs'), extra(more))
    await manager.perform('refresh')
  }

  it('runs them there, and shows it', async () => {
    expect(manager.instance('demo').runtime).toBe('container')
    expect(await containers()).toEqual([runs('demo')])
    expect(await health('demo')).toBe(true)
    expect(await manager.perform('app-status', { name: 'demo' })).toMatchObject({
      item: { state: 'started', health: 'OK' },
    })
    const log = readFileSync(manager.path('demo', 'logs', 'application.log'), 'utf8')
    expect(log).not.toBe('')
  })

  it('restarts without downtime', async ({ skip }) => {
    if (proxy === undefined) return skip(toolIsMissing('nginx'))
    const statuses: (number | string)[] = []
    const end = new AbortController()
    const { http } = proxy
    const asking = (async () => {
      while (!end.signal.aborted) statuses.push(await throughProxy(http))
    })()
    const { port } = manager.instance('demo')
    const { warnings } = await manager.perform('restart', { name: 'demo' })
    end.abort()
    await asking
    expect(warnings).toBeUndefined()
    expect(manager.instance('demo').port).not.toBe(port)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await containers()).filter((each) => each.endsWith('running'))).toEqual([runs('demo')])
  })

  it('saves, and restores what was saved', async () => {
    await addCompany(manager, 'demo', 'Before the save')
    await manager.perform('save', { name: 'demo' })
    await addCompany(manager, 'demo', 'After the save')
    expect(companies('demo')).toEqual(expect.arrayContaining(['After the save', 'Before the save']))
    await manager.perform('restore', { name: 'demo' })
    expect(companies('demo')).toContain('Before the save')
    expect(companies('demo')).not.toContain('After the save')
    expect(await health('demo')).toBe(true)
    await addCompany(manager, 'demo', 'After the restore')
  })

  it('goes back from a version that does not work, and has one that does', async () => {
    await publish(endsWhenItServes(500))
    await expect(manager.perform('upgrade', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
    expect(await health('demo')).toBe(true)
    expect(companies('demo')).toContain('After the restore')
    await publish('')
    await manager.perform('upgrade', { name: 'demo' })
    expect(await health('demo')).toBe(true)
    expect(companies('demo')).toContain('After the restore')
  })

  it('clones, also with names that are made up', async () => {
    await manager.perform('clone', { name: 'demo', new: 'twin' })
    expect(manager.instance('twin').runtime).toBe('container')
    expect(await health('twin')).toBe(true)
    expect(companies('twin')).toEqual(companies('demo'))
    await manager.perform('delete', { name: 'twin', purge: true })
    await manager.perform('clone', { name: 'demo', new: 'made', anonymise: rules })
    expect(await health('made')).toBe(true)
    await manager.perform('delete', { name: 'made', purge: true })
    expect((await containers()).every((each) => each.startsWith(manager.instance('demo').id))).toBe(true)
  })

  it('proves a backup', async () => {
    await manager.perform('save', { name: 'demo' })
    await manager.perform('prove', { name: 'demo' })
    expect((await containers()).filter((each) => each.endsWith('running'))).toEqual([runs('demo')])
  })

  it('downloads', async () => {
    const folder = await unpackDownload(manager, { name: 'demo', type: 'all' })
    expect(statSync(join(folder, 'start.sh')).mode & 0o111).toBe(0o111)
    const file = new DatabaseSync(join(folder, 'data', 'database.db'), { readOnly: true })
    const rows = file.prepare('select com_name as name from company').all()
    file.close()
    expect(rows.map((row) => row['name'])).toContain('After the restore')
  })

  it('moves to a process and back', async () => {
    await manager.perform('move', { name: 'demo', to: 'process' })
    expect(await containers()).toEqual([])
    expect(processesOf(manager.path('demo'))).not.toEqual([])
    expect(await health('demo')).toBe(true)
    await addCompany(manager, 'demo', 'As a process')
    await manager.perform('move', { name: 'demo', to: 'container' })
    expect(await containers()).toEqual([runs('demo')])
    expect(await health('demo')).toBe(true)
    expect(companies('demo')).toContain('As a process')
  })

  it('has commands of its own for them, which run no hooks', async () => {
    const { perform } = manager
    for (const hook of ['pre-add', 'post-add', 'pre-start', 'pre-stop', 'pre-save', 'pre-del'] as const)
      writeHook(manager.home, hook, `echo ${hook} >> ${manager.folder}/hooks`)
    const config = await perform('container config')
    expect(config.item).toMatchObject({
      socket: docker.socket,
      network: 'host',
      image_id: expect.stringContaining('sha256:'),
    })
    expect((await perform('container pull')).message).toContain((config.item as { readonly image: string }).image)
    await perform('add', { name: 'other', runtime: 'process', 'no-start': true })
    const hooks = () => readFileSync(join(manager.folder, 'hooks'), 'utf8')
    expect(hooks()).toBe('pre-add\npost-add\n')

    const planned = await perform('container add', { name: 'boxed', database: 'sqlite' }, { dryRun: true })
    expect(planned.plan?.steps.map(({ id }) => id)).not.toContainEqual(expect.stringMatching(/^(pre|post)-/))
    await perform('container add', { name: 'boxed', database: 'sqlite' })
    const { list } = await perform('container list')
    expect(list?.map((row) => (row as { name: string }).name)).toEqual(['boxed', 'demo'])
    expect((await perform('container logs', { name: 'boxed', lines: 1 })).list).toHaveLength(1)
    const inspected = await perform('container inspect', { name: 'boxed' })
    const { adminPassword } = await manager.context.settings.instance(manager.path('boxed'))
    expect(inspected.message).toContain('"ReadonlyRootfs": true')
    expect(inspected.message).not.toContain(adminPassword.reveal())
    const { program } = await perform('container shell', { name: 'boxed' })
    const inside = await execa(program?.command as string, program?.args, {
      input: 'id -u; pwd; echo x >/x\n',
      reject: false,
    })
    expect(inside.stdout).toBe(`10001\n${manager.path('boxed', 'app')}`)
    expect(inside.stderr).toContain('Read-only file system')
    await perform('container restart', { name: 'boxed' })
    await perform('container stop', { name: 'boxed' })
    const client = (await perform('container database', { name: 'boxed' })).program
    expect([client?.command, ...(client?.args ?? [])].join(' ')).toContain('sqlite3')
    await perform('container start', { name: 'boxed' })
    await perform('container save', { name: 'boxed' })
    await perform('container del', { name: 'boxed' })
    await perform('purge', { all: true })
    expect(hooks()).toBe('pre-add\npost-add\n')

    for (const command of ['stop', 'logs', 'inspect', 'shell', 'del'])
      await expect(perform(`container ${command}`, { name: 'other' })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: '"other" does not run in a container (runtime process).',
      })
    await expect(perform('container add', { name: 'a b' })).rejects.toMatchObject({ code: 'ERR_NAME' })
    rmSync(join(manager.home, 'hooks'), { recursive: true })
  })

  it('doctor reports a container that was removed, and creates it again', async () => {
    const engine = createContainerEngine(docker.socket)
    const doctor = async (fix: boolean) => (await manager.perform('doctor', { category: 'instances', fix })).list
    const name = containerName({ id: manager.instance('demo').id, folder: manager.path('demo') }, 'a')
    const serving = (await engine.ask('GET', `/containers/${name}/json`, { besides: [404] }))
      ? name
      : `${name.slice(0, -1)}b`
    await engine.ask('DELETE', `/containers/${serving}`, { query: { force: 'true' } })
    const found = {
      check: 'instance-state',
      message: expect.stringContaining(`its container ${serving} no longer exists`),
    }
    expect(await doctor(false)).toContainEqual(expect.objectContaining({ ...found, level: 'error', fixable: true }))
    expect(await doctor(true)).toContainEqual(expect.objectContaining({ ...found, level: 'fixed' }))
    expect(await health('demo')).toBe(true)
    expect(companies('demo')).toContain('As a process')
  })

  it('stops, starts and deletes', async () => {
    await manager.perform('stop', { name: 'demo' })
    expect((await containers()).some((each) => each.endsWith('running'))).toBe(false)
    // The next save, clone or move finds the manager's own files.
    expect(statSync(manager.path('demo', 'data', 'database.db')).uid).toBe(0)
    await manager.perform('start', { name: 'demo' })
    expect(await health('demo')).toBe(true)
    await manager.perform('delete', { name: 'demo', purge: true })
    expect(await containers()).toEqual([])
  })
})
