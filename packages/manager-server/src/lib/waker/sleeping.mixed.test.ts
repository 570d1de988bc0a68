/** @module-tag mixed */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startHttpd } from '../../../../../tests/servers/httpd.js'
import { startNginx } from '../../../../../tests/servers/nginx.js'
import { makeFolder } from '../../../../../tests/servers/folders.js'
import type { TestProxy } from '../../../../../tests/servers/proxy-server.js'
import { toolIsMissing } from '../../../../../tests/servers/tools.js'
import { connectionsTo } from '../../../../manager-core/src/lib/instances/connections.js'
import { socketPathOf } from '../../../../manager-core/src/lib/runtime/instance-socket.js'
import { wantedInstances } from '../../../../manager-core/src/lib/monitoring/monitored.js'
import { call, open, type Call, type Called } from '../../../../manager-core/src/lib/proxies/contract/call.js'
import { bundledManager, crashAction } from '../../../../manager-core/src/lib/testing/bundled-manager.js'
import { fakeApplicationServer } from '../../../../manager-core/src/lib/testing/fake-application.js'
import { writeHook } from '../../../../manager-core/src/lib/testing/write-hook.js'
import { createManagerServer } from '../create-manager-server.js'
import { startServer, type TestServer } from '../../server-for-test.js'

const limit = 60_000

describe.each([
  ['nginx', 'nginx', startNginx],
  ['httpd', 'apache2', startHttpd],
] as const)('behind %s, an instance without requests', (name, tool, start) => {
  const missing = toolIsMissing(tool)
  if (missing !== undefined) return it(`is put to sleep: ${missing}`, (context) => context.skip(missing))
  /** What is the same with both is tried with one. */
  const isOther = name !== 'nginx'
  let proxy: TestProxy
  let test: TestServer
  let folder: string

  beforeAll(async () => {
    folder = await makeFolder('sleeping')
    proxy = await start({ include: join(folder, 'live') })
    test = await startServer({
      refresh: true,
      config: [
        `export APPS_PROXYDIR=${folder}`,
        ...proxy.settings,
        'export APPS_SSL=false',
        'APPS_SLEEP_AFTER=3600',
        'APPS_MONITORINTERVAL=0',
        'APPS_PASSWORD=correct-horse-battery',
        'APPS_STARTTIMEOUT=20',
      ],
    })
    await perform('add', { name: 'demo' })
    setting('SERVICE_SLEEP_AFTER=3600')
    await isPublished()
  }, limit)
  afterAll(async () => {
    await test?.close()
    await proxy?.close()
    if (folder) rmSync(folder, { recursive: true })
  })

  const manager = () => test.manager
  const demo = { name: 'demo' }
  /** What woke it may be at its hook still. */
  const perform = (action: string, input: Readonly<Record<string, string | boolean>> = {}) =>
    manager().perform(action, input, { waitMs: limit })
  const observed = () => manager().instance('demo').observed
  const setting = (line: string) => appendFileSync(manager().path('demo', 'settings.sh'), `${line}\n`)
  const at = (path: string, more: Partial<Call> = {}): Call => ({
    ...{ host: 'demo.localhost', port: proxy.http, path, ...more },
  })
  const ask = (path = '/version', more?: Partial<Call>) => call(at(path, more))
  const pidOf = ({ text }: Called) => (JSON.parse(text) as { readonly pid: number }).pid
  const isPublished = async () => {
    await vi.waitUntil(async () => (await manager().context.proxies.status()).sleepers.length === 1, { timeout: limit })
  }
  const fallAsleep = async () => {
    await perform('sleep', demo)
    expect(observed()).toBe('asleep')
  }
  const starts = () =>
    manager()
      .context.registry.history()
      .filter(({ action }) => action === 'start').length

  const findings = async () => JSON.stringify((await perform('doctor')).list)

  async function startProgram(): Promise<ChildProcess> {
    const { home, template: defaultTemplate } = manager()
    const options = JSON.stringify({ home, defaultTemplate, applicationServer: fakeApplicationServer })
    const program = fileURLToPath(new URL('../api/server-for-test.mjs', import.meta.url))
    const args = ['--disable-warning=ExperimentalWarning', program, options, '127.0.0.1:0']
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(server.stdout, 'data')
    return server
  }

  it(
    'is woken once by all who ask at the same time, and each is answered',
    isOther ? {} : { tags: 'core' },
    async () => {
      await fallAsleep()
      const before = starts()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, id) =>
          id % 2 === 0 ? ask() : ask(`/version?id=${id}`, { method: 'POST', body: Buffer.alloc(300_000, 'x') }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
      expect(new Set(answers.map(pidOf)).size).toBe(1)
      const posted =
        manager()
          .log('demo')
          .match(/^posted \d+$/gm) ?? []
      expect(new Set(posted).size).toBe(25)
      expect(posted).toHaveLength(25)
      // It answers a moment before its start is noted.
      await expect.poll(starts, { timeout: limit }).toBe(before + 1)
      expect(observed()).toBe('started')
    },
  )

  it.skipIf(isOther)('is shown as asleep everywhere, and no alarm is sent', async () => {
    await fallAsleep()
    const { list = [] } = await perform('list', { status: 'asleep' })
    expect(list).toMatchObject([{ name: 'demo', status: 'started', observed: 'asleep', state: 'asleep', health: '' }])
    expect((await perform('health', demo)).message).toBe('"demo" is asleep: the next request wakes it.')
    expect(wantedInstances(manager().context)).toEqual([])
    expect(await findings()).not.toContain('\\"demo\\"')
    expect((await perform('startall')).message).toContain('0 started')
    await perform('save', demo)
    expect(observed()).toBe('asleep')
    expect((await perform('stop', demo)).message).toContain('recorded as stopped')
    expect(observed()).toBe('stopped')
    expect(await ask()).toMatchObject({ status: 503, text: 'It is stopped.\n' })
    await perform('start', demo)
    expect((await ask()).status).toBe(200)
  })

  it.skipIf(isOther)(
    'withstands what is done to it meanwhile, and is woken or stays asleep as documented',
    async () => {
      for (const [action, input, then] of [
        ['clone', { new: 'copy' }, 'asleep'],
        ['rename', { new: 'demo2' }, 'asleep'],
        ['upgrade', { force: true }, 'started'],
        ['restore', {}, 'started'],
        ['reset', {}, 'started'],
        ['setstatus', { status: 'stopped' }, 'stopped'],
        ['restart', {}, 'started'],
        ['app-stop', {}, 'stopped'],
        ['start', {}, 'started'],
      ] as const) {
        if (action === 'restore') await perform('save', demo)
        if (action !== 'start') await perform('sleep', demo)
        await perform(action, { ...demo, ...input })
        // It is blank, its settings, too.
        if (action === 'reset') setting('SERVICE_SLEEP_AFTER=3600')
        if (action === 'rename') await perform('rename', { name: 'demo2', new: 'demo' })
        const { observed: seen, operation } = manager().instance('demo')
        expect({ action, seen, operation }).toEqual({ action, seen: then, operation: '' })
        if (then === 'stopped') await perform('start', demo)
        expect((await ask()).status).toBe(200)
      }
      await perform('sleep', demo)
      await perform('delete', { name: 'copy', purge: true })
      expect((await ask()).status).toBe(200)
    },
    limit * 2,
  )

  it.skipIf(isOther)(
    'falls asleep by itself, but not while a client is connected or work waits',
    async () => {
      const pid = pidOf(await ask())
      const { port } = manager().instance('demo')
      const place = { port, socket: socketPathOf({ id: 'demo', folder: manager().path('demo') }) }
      const past = connect({ host: '127.0.0.1', port })
      await vi.waitUntil(() => connectionsTo(place) === 1, { timeout: limit })
      setting('SERVICE_SLEEP_AFTER=1')
      // Longer than it takes to notice that.
      await sleep(7000)
      manager().tell('demo', { waiting: 2 })
      const long = ask('/version?ms=3000')
      await vi.waitUntil(() => connectionsTo(place) > 1, { timeout: limit })
      past.destroy()
      expect(pidOf(await long)).toBe(pid)
      await sleep(2500)
      expect(pidOf(await ask())).toBe(pid)
      manager().tell('demo', {})
      await expect.poll(observed, { timeout: limit }).toBe('asleep')
      expect(pidOf(await ask())).not.toBe(pid)
      setting('SERVICE_SLEEP_AFTER=3600')
    },
    limit,
  )

  it.skipIf(isOther)(
    'answers its clients when it does not wake, and wakes when it can',
    async () => {
      await fallAsleep()
      manager().tell('demo', { start: 'fail' })
      const failed = await Promise.all([ask(), ask('/version', { method: 'POST', body: Buffer.alloc(1_000_000) })])
      for (const { status, headers, text } of failed) {
        expect({ status, text }).toEqual({ status: 503, text: 'It was asleep, and could not be woken in time.\n' })
        expect(headers['retry-after']).toBe('5')
      }
      expect(observed()).toBe('asleep')
      manager().tell('demo', {})
      await expect.poll(async () => (await ask()).status, { timeout: limit }).toBe(200)
    },
    limit,
  )

  it.skipIf(isOther)(
    'wakes whatever a manager was killed at',
    async () => {
      const { program } = await bundledManager()
      const { home, template } = manager()
      const run = { home, applicationServer: fakeApplicationServer, defaultTemplate: template }
      for (const action of ['sleep', 'wake'])
        for (const entry of [3, 5, 6, 8]) {
          if (action === 'wake' && observed() !== 'asleep') await fallAsleep()
          await vi.waitUntil(() => manager().instance('demo').operation === '', { timeout: limit })
          await crashAction(program, { ...run, at: entry, action, input: demo })
          const { status } = await ask()
          expect({ action, entry, status }).toEqual({ action, entry, status: 200 })
        }
    },
    240_000,
  )

  it.skipIf(isOther)(
    'streams, and continues without the server of the manager while it is awake',
    async () => {
      await fallAsleep()
      const held = await open(at('/version?ms=300'))
      expect(held.statusCode).toBe(200)
      held.resume()
      await test.server.close()
      expect((await ask()).status).toBe(200)
      await perform('sleep', demo)
      expect((await ask()).status).toBe(503)
      expect(await findings()).toContain('is asleep, and no request will wake it')
      const again = await createManagerServer({ manager: manager().manager as never, listen: '127.0.0.1:0' })
      try {
        await expect.poll(async () => (await ask()).status, { timeout: limit }).toBe(200)
      } finally {
        await again.close()
      }
    },
    limit,
  )

  it.skipIf(isOther)(
    'wakes when the server is killed that woke it, or put it to sleep',
    async () => {
      let server = await startProgram()
      const kill = async () => {
        server.kill('SIGKILL')
        await once(server, 'exit')
      }
      try {
        await expect.poll(async () => (await ask()).status, { timeout: limit }).toBe(200)
        await fallAsleep()
        manager().tell('demo', { startMs: 20_000 })
        let isAnswered = true
        let cut: Promise<number> | undefined
        const askAgain = async () => {
          const { status } = await ask().catch(() => ({ status: 0 }))
          isAnswered = true
          return status
        }
        // If another program took the server's port meanwhile, nginx hears of the new one a moment later.
        await vi.waitUntil(
          () => {
            if (isAnswered) cut = askAgain()
            isAnswered = false
            return manager().instance('demo').operation !== ''
          },
          { timeout: limit },
        )
        await kill()
        // By nginx, unless what was started is there already.
        expect([200, 503]).toContain(await cut)
        manager().tell('demo', {})
        server = await startProgram()
        // What the killed one started answers at first, and is ended by the recovery.
        const isSettled = () => observed() === 'started' && manager().instance('demo').operation === ''
        await vi.waitUntil(async () => (await ask()).status === 200 && isSettled(), { timeout: limit, interval: 100 })

        const [begun, go] = [join(folder, 'begun'), join(folder, 'go')]
        writeHook(manager().home, 'post-stop', `touch '${begun}'; until [ -e '${go}' ]; do sleep 0.1; done`)
        setting('SERVICE_SLEEP_AFTER=1')
        await vi.waitUntil(() => existsSync(begun), { timeout: limit })
        const { observed: seen, operation } = manager().instance('demo')
        expect(seen).toBe('asleep')
        expect(operation).not.toBe('')
        await kill()
        writeFileSync(go, '')
        server = await startProgram()
        await expect.poll(async () => (await ask()).status, { timeout: limit }).toBe(200)
        await expect.poll(() => manager().instance('demo').operation).not.toBe(operation)
      } finally {
        server.kill('SIGKILL')
        rmSync(join(manager().home, 'hooks'), { recursive: true, force: true })
      }
    },
    limit * 2,
  )

  it.skipIf(isOther)('is refused to sleep where nothing would wake it', async () => {
    setting('SERVICE_SLEEP_AFTER=0')
    // What puts it to sleep just now ends first, or is recovered.
    await vi.waitUntil(
      async () => {
        await perform('start', demo).catch(() => undefined)
        return observed() === 'started' && manager().instance('demo').operation === ''
      },
      { timeout: limit, interval: 100 },
    )
    await expect(perform('sleep', demo)).rejects.toThrow('no request would wake it')
    setting('SERVICE_SLEEP_AFTER=soon')
    await expect(perform('sleep', demo)).rejects.toThrow('SERVICE_SLEEP_AFTER')
  })
})
