/** @module-tag mixed */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHttpd } from '../../../../../tests/servers/httpd.js'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startNginx } from '../../../../../tests/servers/nginx.js'
import type { TestProxy } from '../../../../../tests/servers/proxy-server.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { processesOf } from '../testing/end-processes.js'
import { tellFake, writeTemplate, type FakeApplication } from '../testing/fake-application.js'
import { startTraffic, type Traffic } from '../testing/traffic.js'

const limit = 120_000

for (const [type, tool, start] of [
  ['nginx', 'nginx', startNginx],
  ['httpd', 'apache2', startHttpd],
] as const)
  describe(`no request fails with ${type} in front`, () => {
    const missing = toolIsMissing(tool)
    if (missing === undefined) testTraffic(type, start)
    else it('while an instance is restarted', (context) => context.skip(missing))
  })

function testTraffic(type: TestProxy['type'], start: typeof startNginx): void {
  let folder: string
  let test: TestManager
  let proxy: TestProxy
  let traffic: Traffic

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-published-'))
    proxy = await start({ include: join(folder, 'live') })
    const publication = [`export APPS_PROXYDIR=${folder}`, 'export APPS_SSL=false']
    test = await createTestManager({ config: [...proxy.settings, ...publication, 'export APPS_HEALTHWINDOW=0'] })
    await test.perform('add', { name: 'demo' })
    await test.context.proxies.publish(test.caller)
    traffic = startTraffic({
      port: proxy.http,
      headers: { Host: 'demo.localhost' },
      path: ({ id, ms }) => `/version?id=${id}&ms=${ms}`,
    })
    await traffic.round()
  }, limit)
  afterAll(async () => {
    await traffic?.stop()
    await test?.close()
    await proxy?.close()
    rmSync(folder, { recursive: true })
  })

  /** That none has failed, and that there is exactly one copy, to which all points. */
  async function allIsWell(): Promise<void> {
    await traffic.round()
    expect(traffic.failures).toEqual([])
    const posted = test.log('demo').match(/^posted \d+$/gm) ?? []
    expect(posted.length).toBeGreaterThan(0)
    expect(new Set(posted).size).toBe(posted.length)
    const { id, port } = test.instance('demo')
    const { state, pids } = await test.context.runtimes.named('process').observe({ id, folder: test.path('demo') })
    expect(state).toBe('started')
    // Its supervisor and itself; that of the former copy may just be ending.
    await expect.poll(() => processesOf(test.path('demo')).toSorted()).toEqual(pids.toSorted())
    expect(pids).toContain((await newest()).pid)
    expect(test.context.registry[sqlite].prepare('select port from reserved_port').all()).toEqual([])
    const { url } = await test.context.settings.instance(test.path('demo'))
    expect(url).toBe(`http://127.0.0.1:${port}/io`)
    expect(readdirSync(test.path('demo')).filter((name) => name.startsWith('app.'))).toEqual([])
  }

  type Answer = { readonly pid: number; readonly version: string }
  const answers = () => traffic.answers.map((answer) => JSON.parse(answer) as Answer)

  /** Asks what answers through the reverse proxy now. */
  async function newest(): Promise<Answer> {
    await traffic.round()
    return answers().at(-1) as Answer
  }

  async function publish(fake: FakeApplication, version: string): Promise<void> {
    writeTemplate(test.template, { version, fake })
    await test.perform('refresh')
  }

  it(
    'while the reverse proxy takes a new configuration',
    async () => {
      await test.perform('add', { name: 'other', 'no-start': true })
      await test.perform('seturl', { name: 'other', url: 'http://other.example.com' })
      await test.context.proxies.publish(test.caller, { repair: true })
      await allIsWell()
    },
    limit,
  )

  it(
    'while it is restarted, again and again',
    async () => {
      const { port } = test.instance('demo')
      const { pid } = await newest()
      const { warnings, message } = await test.perform('restart', { name: 'demo' })
      expect(warnings).toBe(undefined)
      expect(test.instance('demo').port).not.toBe(port)
      expect(message).toContain(`:${test.instance('demo').port}`)
      expect((await newest()).pid).not.toBe(pid)
      await test.perform('restart', { name: 'demo' })
      expect(test.instance('demo').port).toBe(port)
      await allIsWell()
    },
    limit,
  )

  it(
    'while it is upgraded, and no process finds other files than its own',
    async () => {
      const { port } = test.instance('demo')
      await publish({}, '1.1.0')
      const { warnings } = await test.perform('upgrade', { name: 'demo' })
      expect(warnings).toBe(undefined)
      expect((await newest()).version).toBe('1.1.0')
      const versions = Map.groupBy(answers(), ({ pid }) => pid)
      for (const [, all] of versions) expect(new Set(all.map(({ version }) => version)).size).toBe(1)
      expect(test.instance('demo').port).toBe(port)
      await allIsWell()
    },
    limit,
  )

  if (type !== 'nginx') return

  it(
    'while a copy does not start: the old one continues, and what was written meanwhile stays',
    { tags: 'core', timeout: limit },
    async () => {
      const { pid } = await newest()
      const { revision, port } = test.instance('demo')
      const database = new DatabaseSync(test.path('demo', 'data', 'database.db'))
      await publish({ startMs: 300, start: 'fail' }, '1.2.0')
      const failing = test.perform('upgrade', { name: 'demo' })
      database.exec(`insert into note (text) values ('meanwhile')`)
      await expect(failing).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
      expect(database.prepare(`select count(*) as n from note where text = 'meanwhile'`).get()).toEqual({ n: 1 })
      database.close()
      expect(test.instance('demo')).toMatchObject({ revision, port })
      test.tell('demo', { start: 'fail' })
      await expect(test.perform('restart', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
      test.tell('demo', {})
      expect((await newest()).pid).toBe(pid)
      await allIsWell()
    },
  )

  it(
    'while it is restarted, but what takes longer than APPS_STOPTIMEOUT: it is cut, and reported',
    async () => {
      const config = join(test.home, 'config.sh')
      const before = readFileSync(config)
      appendFileSync(config, 'export APPS_STOPTIMEOUT=3\n')
      const endless = new Promise<string>((resolve) => {
        const headers = { Host: 'demo.localhost' }
        get({ host: '127.0.0.1', port: proxy.http, path: '/version?ms=600000', agent: false, headers }, (response) =>
          resolve(`${response.resume().statusCode}`),
        ).once('error', (error) => resolve(error.message))
      })
      await traffic.round()
      const { warnings } = await test.perform('restart', { name: 'demo' })
      writeFileSync(config, before)
      expect(warnings?.join()).toMatch(
        /^The old copy of "demo" still had open connections after 3 s, which were closed \(\d+\)/,
      )
      expect(await endless).not.toBe('200')
      await allIsWell()
    },
    limit,
  )
}

describe('a gap', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager({ config: ['export APPS_HEALTHWINDOW=0'] })
    await test.perform('add', { name: 'demo' })
  })
  afterAll(() => test.close())

  async function notesOf(action: string): Promise<readonly string[]> {
    const input = { name: 'demo', ...(action === 'upgrade' && { force: true }) }
    return (await test.perform(action, input, { dryRun: true })).plan?.notes ?? []
  }

  it('is reported, but not as a warning, where there is no reverse proxy', { tags: 'core' }, async () => {
    const note = 'Short downtime: instances are not published by a reverse proxy (APPS_PROXY=no).'
    expect(await notesOf('restart')).toEqual([note])
    expect((await test.perform('restart', { name: 'demo' })).warnings).toBe(undefined)
    expect((await test.perform('upgrade', { name: 'demo', force: true })).warnings).toBe(undefined)
    await test.perform('stop', { name: 'demo' })
    expect((await test.perform('restart', { name: 'demo' })).message).toContain('start')
  })

  it('is foretold, and warned of, where data would be migrated, or two copies cannot run', async () => {
    const none = 'No downtime: a second copy takes over when it is healthy.'
    const migrated = 'Short downtime: the data model or the application server changes, so data may be migrated.'
    appendFileSync(join(test.home, 'config.sh'), 'export APPS_PROXY=yes\n')
    for (const action of ['restart', 'upgrade']) expect(await notesOf(action)).toContain(none)
    tellFake(test.template, { model: 'other' })
    await test.perform('refresh')
    expect(await notesOf('upgrade')).toContain(migrated)
    test.tell('demo', { model: 'changed by hand' })
    expect(await notesOf('restart')).toEqual([migrated])
    test.tell('demo', {})

    appendFileSync(join(test.home, 'version-1.0.sh'), 'APPS_AUTOUPGRADE=false\n')
    expect((await notesOf('upgrade')).join()).toContain('patches are imported')
    const { registry } = test.context
    const { from, to } = test.context.settings.global.ports
    registry.transaction((writer) => {
      for (let port = from; port <= to; port++) if (test.instance('demo').port !== port) writer.reservePort(port, 'x')
    })
    expect((await notesOf('restart')).join()).toContain('No port of APPS_PORTS')
    registry.transaction((writer) => writer.releasePorts('x'))
    test.tell('demo', { health: 'KO' })
    expect((await notesOf('restart')).join()).toContain('it is not healthy (status-KO)')
    test.tell('demo', { model: 'changed by hand' })
    expect((await test.perform('restart', { name: 'demo' })).warnings).toContain(migrated)
  })
})
