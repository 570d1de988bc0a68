import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { dockerIsMissing, startDocker, type TestDocker } from '../../../../../tests/servers/index.js'
import type { SystemAccount } from '../accounts/account.js'
import { findAccount } from '../accounts/find-account.js'
import { giveHome } from '../accounts/give.js'
import { instanceHomeAt } from '../domain/home.js'
import { programFolders } from './container/program-folders.js'
import { createContainerRuntime, type ContainerRuntimeOptions } from './container/create-container-runtime.js'
import { createContainerEngine } from './container/engine.js'
import { containerName } from './container/names.js'
import { runFolderOf } from './copies.js'
import { testRuntime } from './contract/runtime-suite.js'
import { ask, logOf, type RuntimeUnderTest } from './contract/runtime-under-test.js'
import { processesUnderTest } from './processes-for-test.js'
import type { InstanceSpec } from './runtime.js'
import { takeTestPort } from '../testing/take-ports.js'

const missing = dockerIsMissing()
const restart = { pauses: [0.02, 0.05], steadySeconds: 60, limit: 3 }
const patience = { timeout: 20_000, interval: 50 }

/** Takes more and more memory, and keeps it. */
const glutton = `const all = []
setInterval(() => all.push(Buffer.alloc(16 * 2 ** 20, 1)), 5)`

it('programs of a checkout are shown without what leads to the instances in it', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'steward-checkout-'))
  onTestFinished(() => rmSync(checkout, { recursive: true }))
  const at = (path: string) => join(checkout, path)
  for (const each of ['node_modules', 'packages/server', '.manager/instances/i1', 'home/instances/i1', '.git'])
    mkdirSync(at(each), { recursive: true })
  const program = at('packages/server/cli.js')
  expect(programFolders(program, '/srv/apps/instances/i1')).toEqual([checkout])
  expect(programFolders(program, at('.manager/instances/i1')).toSorted()).toEqual([
    at('home'),
    at('node_modules'),
    at('packages'),
  ])
  expect(programFolders(program, at('home/instances/i1')).toSorted()).toEqual([at('node_modules'), at('packages')])
  expect(programFolders(at('node_modules/server/cli.js'), at('.manager/instances/i1'))).toEqual([at('node_modules')])
})

describe.skipIf(missing !== undefined)(`container runtime${missing === undefined ? '' : ` (${missing})`}`, () => {
  let docker: TestDocker

  beforeAll(async () => {
    docker = await startDocker()
  })
  afterAll(() => docker?.close())

  const make = (options: Partial<ContainerRuntimeOptions> = {}) =>
    createContainerRuntime({ socket: docker.socket, network: 'host', restart, ...options })

  testRuntime(async () => ({ ...(await processesUnderTest()), runtime: make(), another: () => make() }))

  describe('and what happens to it', () => {
    let subject: RuntimeUnderTest
    const made: InstanceSpec[] = []

    beforeAll(async () => {
      subject = await processesUnderTest()
    })
    afterEach(async () => {
      for (const spec of made.splice(0)) {
        await make().stop(spec, { graceMs: 0, force: true })
        await make().undefine(spec)
      }
    })
    afterAll(() => subject?.close())

    async function instance(environment: Readonly<Record<string, string>> = {}): Promise<InstanceSpec> {
      const spec = await subject.spec('a', await takeTestPort(), environment)
      made.push(spec)
      return spec
    }

    async function started(environment?: Readonly<Record<string, string>>): Promise<InstanceSpec> {
      const spec = await instance(environment)
      await make().start(spec)
      await serves(spec)
      return spec
    }

    async function serves(spec: InstanceSpec): Promise<string> {
      await expect.poll(() => ask(spec, '/id'), patience).toBeDefined()
      return (await ask(spec, '/id')) as string
    }

    const engine = () => createContainerEngine(docker.socket)
    const state = async (spec: InstanceSpec) => (await make().observe(spec)).state

    it('shows its secrets to no one, and has no rights that it does not need', async () => {
      const spec = await started({ SECRET: 'of the instance' })
      const found = await engine().ask<Record<string, Record<string, unknown>>>(
        'GET',
        `/containers/${containerName(spec, 'a')}/json`,
      )
      expect(JSON.stringify(found)).not.toContain('of the instance')
      expect(found?.['Config']).toMatchObject({ User: '10001:10001' })
      expect(found?.['HostConfig']).toMatchObject({
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 1024,
      })
      expect(await ask(spec, '/environment', { name: 'SECRET' })).toBe('of the instance')
    })

    it('runs as its own account where it has one, whose files stay that', async () => {
      const spec = await instance()
      // One of Debian's that runs nothing.
      const account = findAccount('list') as SystemAccount
      await giveHome(instanceHomeAt(spec.folder), account)
      await make().start(spec)
      await serves(spec)
      const found = await engine().ask<{ Config: { User: string } }>(
        'GET',
        `/containers/${containerName(spec, 'a')}/json`,
      )
      expect(found?.Config.User).toBe(`${account.uid}:${account.gid}`)
      expect(await make().stop(spec, { graceMs: 10_000 })).toEqual({ wasRunning: true, code: 0 })
      expect(statSync(spec.workingFolder).uid).toBe(account.uid)
      expect(await logOf(make(), spec)).toEqual([])
    })

    it('continues when its engine is killed, and is there when that is back', async () => {
      const spec = await started()
      const id = await serves(spec)
      await docker.stop('SIGKILL')
      expect(await serves(spec)).toBe(id)
      const away = {
        code: 'ERR_STATE',
        message: `No container engine responds at ${docker.socket}: it is not installed or not running.`,
      }
      await expect(make().observe(spec)).rejects.toMatchObject(away)
      await expect(make().observeAll([spec])).rejects.toMatchObject(away)
      await expect(make().stop(spec, { graceMs: 1000 })).rejects.toMatchObject(away)
      expect((await make().processesBelow?.(dirname(spec.folder)))?.size).toBe(0)
      await docker.start()
      // Without --live-restore, the engine ends what it finds, and starts it again.
      await expect.poll(() => state(spec), patience).toBe('started')
      await serves(spec)
      expect(await make().stop(spec, { graceMs: 10_000 })).toMatchObject({ wasRunning: true })
      expect(await state(spec)).toBe('stopped')
    })

    it('is started by the engine after a boot, unless it was stopped', async () => {
      const [runs, stopped] = [await started(), await started()]
      const before = await serves(runs)
      await make().stop(stopped, { graceMs: 10_000 })
      await docker.stop('SIGTERM')
      expect(await ask(runs, '/id', {}, 500)).toBeUndefined()
      await docker.start()
      expect(await serves(runs)).not.toBe(before)
      expect([await state(runs), await state(stopped)]).toEqual(['started', 'stopped'])
    })

    it('is started by the engine when all of it was killed, and reports it', async () => {
      const spec = await started()
      const id = await serves(spec)
      const path = `/containers/${containerName(spec, 'a')}`
      const found = await engine().ask<{ State: { Pid: number } }>('GET', `${path}/json`)
      process.kill(found?.State.Pid as number, 'SIGKILL')
      await expect.poll(() => ask(spec, '/id'), patience).not.toBeOneOf([id, undefined])
      expect(await make().observe(spec)).toMatchObject({
        state: 'started',
        restarts: 1,
        lastExit: { signal: 'SIGKILL' },
      })
      await engine().ask('POST', `${path}/stop`)
      expect(await state(spec)).toBe('stopped')
    })

    it('is ended at its memory limit, and reports it', async () => {
      const spec = await instance()
      writeFileSync(join(spec.workingFolder, 'glutton.cjs'), glutton)
      const command = [process.execPath, join(spec.workingFolder, 'glutton.cjs')]
      await make().start({ ...spec, command, limits: { memory: 96, cpu: 50 } })
      await expect.poll(() => state(spec), patience).toBe('crashed')
      expect(await make().observe(spec)).toMatchObject({
        lastExit: { signal: 'SIGKILL', reason: 'ran out of its memory limit of 96 MB' },
        limits: [
          { name: 'memory', value: 96, by: 'cgroup' },
          { name: 'cpu', value: 50, by: 'cgroup' },
        ],
      })
      expect(await logOf(make(), spec)).toContainEqual(expect.stringContaining('ran out of its memory limit of 96 MB'))
    })

    it('reports what it uses', async () => {
      const spec = await started()
      const usage = (await make().usageAll([spec])).get(spec.id)
      expect(usage?.memoryMb).toBeGreaterThan(1)
      expect([...(usage?.cpuSeconds.values() ?? [])][0]).toBeGreaterThan(0)
      const programs = (await make().processes(spec)).map(({ command }) => command)
      expect(programs).toContainEqual(expect.stringContaining('program.mjs'))
      // Also when its home is lost.
      const below = await make().processesBelow?.(dirname(spec.folder))
      expect(below?.get(spec.id)?.map(({ command }) => command)).toEqual(programs)
    })

    it('keeps running over a restart of an engine that lets containers live', async () => {
      const other = await startDocker({ options: ['--live-restore'] })
      const runtime = make({ socket: other.socket })
      const spec = await subject.spec('a', await takeTestPort(), {})
      try {
        await runtime.start(spec)
        const id = await serves(spec)
        await runtime.suspend?.(spec, { maxMs: 60_000 })
        await other.stop('SIGKILL')
        await other.start()
        expect((await runtime.observe(spec)).state).toBe('suspended')
        await runtime.resume?.(spec)
        expect(await serves(spec)).toBe(id)
        expect(await runtime.stop(spec, { graceMs: 10_000 })).toEqual({ wasRunning: true, code: 0 })
      } finally {
        await other.close()
      }
    })

    it('is reached at its port on 127.0.0.1 in a network of its own, too', async () => {
      const network = `steward-${process.pid}`
      await engine().ask('POST', '/networks/create', { body: { Name: network, Driver: 'bridge' } })
      const spec = await instance({ STEWARD_TRUSTED_PROXIES: 'loopback' })
      const runtime = make({ network })
      try {
        await runtime.start(spec)
        await serves(spec)
        expect(runtime.capabilities.debug).toBe(false)
        const trusted = await ask(spec, '/environment', { name: 'STEWARD_TRUSTED_PROXIES' })
        expect(trusted).toMatch(/^loopback,\d+\.\d+\.\d+\.1$/)
      } finally {
        await runtime.stop(spec, { graceMs: 10_000 })
        await runtime.undefine(spec)
        await engine().ask('DELETE', `/networks/${network}`)
      }
    })

    it('does not touch a container that has its name by chance', async () => {
      const spec = await instance()
      const name = containerName(spec, 'a')
      await make().define(await instance())
      const images = await engine().ask<{ Id: string }[]>('GET', '/images/json')
      const body = { Image: images?.[0]?.Id, Cmd: ['/bin/sh'] }
      await engine().ask('POST', '/containers/create', { query: { name }, body })
      const refusal = {
        code: 'ERR_STATE',
        message: `The container "${name}" exists, but does not belong to this manager.`,
      }
      await expect(make().start(spec)).rejects.toMatchObject(refusal)
      await expect(make().undefine(spec)).rejects.toMatchObject(refusal)
      await engine().ask('DELETE', `/containers/${name}`)
    })

    it('says what the container said that could not come to the application', async () => {
      const spec = await instance()
      await make().define(spec)
      chmodSync(runFolderOf(spec), 0)
      await expect(make().start(spec)).rejects.toMatchObject({
        code: 'ERR_FAILED',
        message: expect.stringMatching(/before it started the application: .*container\.sh: Permission denied/),
      })
      expect(await state(spec)).toBe('stopped')
    })

    it('says what to do where the engine, an image or a network cannot be had', async () => {
      const spec = await instance()
      const nowhere = make({ socket: join(docker.folder, 'none.sock') })
      expect(await nowhere.probe()).toMatchObject({ ok: false, message: expect.stringContaining('Install Docker') })
      await expect(nowhere.start(spec)).rejects.toMatchObject({ code: 'ERR_STATE' })
      await expect(make({ image: '127.0.0.1:1/none' }).start(spec)).rejects.toMatchObject({
        code: 'ERR_FAILED',
        message: expect.stringContaining('The image "127.0.0.1:1/none" cannot be pulled: '),
        help: expect.stringContaining('APPS_CONTAINER_IMAGE'),
      })
      await expect(make({ network: 'none-such' }).start(spec)).rejects.toMatchObject({ code: 'ERR_SETTINGS' })
      // Nothing half made.
      expect(
        await engine().ask('GET', `/containers/${containerName(spec, 'a')}/json`, { besides: [404] }),
      ).toBeUndefined()
      const uid = process.geteuid?.() as number
      process.seteuid?.(65_534)
      try {
        expect(await make().probe()).toMatchObject({
          ok: false,
          message: expect.stringContaining('is not allowed to use'),
        })
      } finally {
        process.seteuid?.(uid)
      }
    })
  })
})
