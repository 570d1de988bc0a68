import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { S3 } from '@aws-sdk/client-s3'
import {
  machinesAreMissing,
  needs,
  startCeph,
  startMachines,
  startRegistry,
  toolIsMissing,
  type TestCeph,
  type TestMachines,
  type TestNode,
  type TestRegistry,
} from '../../../../../../tests/servers/index.js'
import { startNginx } from '../../../../../../tests/servers/nginx.js'
import type { TestProxy } from '../../../../../../tests/servers/proxy-server.js'
import type { ManagerError } from '../../../errors.js'
import { bundledManager, crashAction } from '../../testing/bundled-manager.js'
import { createTestManager, type TestManager } from '../../testing/create-test-manager.js'
import { databaseConfig } from '../../testing/database-config.js'
import { endProcessesOf } from '../../testing/end-processes.js'
import { endsWhenItServes } from '../../testing/ends-when-it-serves.js'
import { addCompany, authorizationOf, realApplication } from '../../testing/real-manager.js'
import { takeTestPort } from '../../testing/take-ports.js'
import { startTraffic, type Traffic } from '../../testing/traffic.js'
import { createContainerEngine } from '../container/engine.js'
import { containerName } from '../container/names.js'
import { healthPlace } from '../../application/health-place.js'
import { checkHealth } from '../health.js'
import { isServing, nodesOf, tasksOf, type Service } from './tasks.js'

const missing =
  machinesAreMissing() ?? toolIsMissing('docker-registry') ?? toolIsMissing('radosgw') ?? toolIsMissing('nginx')
const patience = { timeout: 120_000, interval: 50 }

/** An object of all versions; `more` runs when the application starts, and changes no model. */
const extra = (more: string) =>
  `export const Extra = { name: 'Extra', fields: { ext_name: { type: 'string', key: true } } }\n${more}\n`

const isDeep = process.env['TEST_DEEP'] === '1'
const onlyDeep = 'npm run test:deep runs it'

const title = `a manager whose instances run in a swarm of two nodes ${missing ?? ''}`

needs('postgresql', (postgresql) =>
  describe.skipIf(missing !== undefined)(title, () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-published-'))
    const others: TestManager[] = []
    let machines: TestMachines
    let manager: TestManager
    let proxy: TestProxy
    let ceph: TestCeph
    let registry: TestRegistry
    let passwordFile: string
    const forwarders: Server[] = []
    const bucket = `documents-${process.pid}`

    const node = (number: number) => machines.nodes[number - 1] as TestNode
    const engine = () => createContainerEngine(node(1).docker.socket)

    beforeAll(async () => {
      machines = await startMachines(2)
      proxy = await startNginx({ include: join(folder, 'live') })
      ceph = await startCeph()
      const { endpoint, region, accessKey, secretKey } = ceph.s3
      const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
      const s3 = new S3({ endpoint, region, credentials, forcePathStyle: true })
      await s3.createBucket({ Bucket: bucket })
      s3.destroy()
      registry = await startRegistry()
      passwordFile = join(folder, 'registry-password')
      writeFileSync(passwordFile, 'wrong-passw0rd\n', { mode: 0o600 })
      manager = await createTestManager({
        ...realApplication,
        version: undefined,
        refresh: false,
        config: [
          ...databaseConfig(await reachable(postgresql)),
          ...proxy.settings,
          `export APPS_PROXYDIR=${folder}`,
          'export APPS_SSL=false',
          `export APPS_CONTAINER_SOCKET=${node(1).docker.socket}`,
          `export APPS_SWARM_REGISTRY=${machines.here}:${registry.port}`,
          `export APPS_SWARM_REGISTRY_USER=${registry.user}`,
          `export APPS_SWARM_REGISTRY_PASSWORD_FILE=${passwordFile}`,
          `export APPS_DOCUMENTS='s3://${bucket}/all?endpoint=${await reachable(endpoint)}&region=${region}'`,
          `export APPS_DOCUMENTS_ACCESS_KEY=${accessKey}`,
          `export APPS_DOCUMENTS_SECRET_KEY=${secretKey}`,
          'export APPS_HEALTHWINDOW=1',
        ],
      })
      rmSync(manager.template, { recursive: true })
      cpSync(realApplication.defaultTemplate, manager.template, { recursive: true })
      await publish('')
      await manager.perform('swarm init', { advertise: node(1).address })
    })
    afterAll(async () => {
      await machines?.close()
      for (const each of [manager, ...others]) await each?.close()
      for (const each of [proxy, ceph, registry]) await each?.close()
      for (const each of forwarders) each.close()
      rmSync(folder, { recursive: true })
    })

    /** The address for the machines of a server of tests, which listens on 127.0.0.1 of this machine only. */
    async function reachable(address: string): Promise<string> {
      const url = new URL(address)
      const { hostname, port } = url
      const forwarder = createServer((caller) => {
        const server = connect(Number(port), hostname)
        caller.once('error', () => server.destroy()).pipe(server)
        server.once('error', () => caller.destroy()).pipe(caller)
      })
      forwarders.push(forwarder)
      await new Promise<void>((resolve) => forwarder.listen(0, machines.here, resolve))
      url.host = `${machines.here}:${(forwarder.address() as AddressInfo).port}`
      return url.href.replace(/\/$/, '')
    }

    async function anotherManager(of: TestNode): Promise<TestManager> {
      const made = await createTestManager({ config: [`export APPS_CONTAINER_SOCKET=${of.docker.socket}`] })
      others.push(made)
      return made
    }

    function tell(what: string, begin: number): void {
      const seconds = ((performance.now() - begin) / 1000).toFixed(1)
      process.stdout.write(`Swarm: the instance serves from the other node ${seconds} s after ${what}.\n`)
    }

    /** Moves all to the node that is not the manager's. */
    async function onNode2(): Promise<void> {
      await manager.perform('swarm drain', { node: 'node1' })
      await manager.perform('swarm drain', { node: 'node1', undo: true })
      expect(await nodeOf('demo')).toBe('node2')
    }

    /** Where it serves. */
    async function servingTask(name: string) {
      const { id } = manager.instance(name)
      const names = (['a', 'b'] as const).map((copy) => containerName({ id, folder: manager.path(name) }, copy))
      const tasks = await Promise.all(names.map((each) => tasksOf(engine(), [each])))
      const nodes = await nodesOf(engine())
      const task = tasks.flat().find((each) => isServing(each, nodes))
      return { id: task?.ID, node: nodes.get(task?.NodeID ?? '')?.Description.Hostname }
    }

    const nodeOf = async (name: string) => (await servingTask(name)).node

    async function companies(name: string, of = name): Promise<readonly string[]> {
      const response = await fetch(`http://127.0.0.1:${manager.instance(name).port}/api/rest/Company`, {
        headers: { Authorization: await authorizationOf(manager, of) },
        signal: AbortSignal.timeout(100_000),
      })
      return ((await response.json()) as readonly { readonly com_name: string }[]).map((row) => row.com_name)
    }

    async function traffic(name: string, of: string): Promise<Traffic> {
      return startTraffic({
        port: proxy.http,
        headers: {
          Host: `${name}.localhost`,
          Authorization: await authorizationOf(manager, name),
          'Content-Type': 'application/json',
        },
        path: ({ method }) => (method === 'POST' ? '/api/rest/Company' : '/api/rest/Task'),
        body: (id) => JSON.stringify({ com_name: `${of} ${id}` }),
        pauseMs: 50,
      })
    }

    /** Why it is not healthy. */
    const reasonOf = async (name: string) =>
      (await checkHealth(healthPlace(manager.context, manager.instance(name)), { timeoutMs: 60_000 })).reason
    const publish = async (more: string) => {
      writeFileSync(join(manager.template, 'objects', 'extra.mjs'), extra(more))
      await manager.perform('refresh')
    }

    it('has machines join by a token that only its owner reads, and lists them with their labels', async () => {
      const file = join(manager.folder, 'join-token')
      await manager.perform('swarm token', { file })
      expect(statSync(file).mode & 0o777).toBe(0o600)
      await expect(manager.perform('swarm token', { file })).rejects.toMatchObject({
        message: expect.stringContaining(file),
      })
      const there = await anotherManager(node(2))
      const input = { address: node(1).address, 'token-file': file, advertise: node(2).address }
      expect((await there.perform('swarm join', input)).message).toBe('"node2" is a node of the swarm now.')
      const nodes = async () => (await manager.perform('swarm nodes')).list
      await expect.poll(nodes, patience).toMatchObject([
        { name: 'node1', state: 'ready', availability: 'active', role: 'leader' },
        { name: 'node2', state: 'ready', availability: 'active', role: 'worker', address: node(2).address },
      ])
      await manager.perform('swarm label', { node: 'node2', labels: ['disk=ssd', 'zone=b'] })
      await manager.perform('swarm label', { node: 'node2', labels: ['zone='] })
      expect(await nodes()).toMatchObject([{ labels: '' }, { labels: 'disk=ssd' }])
      for (const each of [manager, there])
        expect(JSON.stringify((await each.perform('history')).list)).not.toContain(readFileSync(file, 'utf8').trim())
    })

    it('refuses what cannot be, and makes nothing', async () => {
      const there = others[0] as TestManager
      await expect(
        there.perform('swarm join', { address: node(1).address, 'token-file': join(manager.folder, 'join-token') }),
      ).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: '"node2" is part of a swarm already.',
      })
      await expect(there.perform('swarm nodes')).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringContaining('node2 is a worker of its swarm, not a manager node'),
      })
      const second = await anotherManager(node(1))
      for (const action of ['swarm init', 'swarm nodes', 'swarm leave'])
        await expect(second.perform(action)).rejects.toMatchObject({
          code: 'ERR_STATE',
          message: expect.stringContaining(
            `The swarm belongs to another manager: ${join(manager.home, 'instances')} on `,
          ),
        })
      const add = (input: Readonly<Record<string, string>>) =>
        manager.perform('add', { name: 'never', runtime: 'swarm', database: 'postgresql', ...input })
      await expect(add({ database: 'sqlite' })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringContaining('needs a database server, not SQLite'),
      })
      const refused = await add({}).catch((error: unknown) => error as ManagerError)
      expect(refused).toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringMatching(/cannot be pushed to the registry .*unauthorized/),
      })
      expect(JSON.stringify(refused)).not.toContain('wrong-passw0rd')
      writeFileSync(passwordFile, `${registry.password}\n`)
      await expect(manager.perform('swarm drain', { node: 'node9' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
      await expect(manager.perform('swarm label', { node: 'node2', labels: ['a b'] })).rejects.toMatchObject({
        code: 'ERR_USAGE',
      })
      expect(manager.context.registry.instances()).toEqual([])
      expect(await engine().ask('GET', '/services')).toEqual([])
      expect(await engine().ask('GET', '/secrets')).toEqual([])
    })

    it('starts a registry of its own on the machine of the manager', async () => {
      const port = await takeTestPort()
      const { message } = await manager.perform('swarm registry', { port })
      expect(message).toContain(`APPS_SWARM_REGISTRY=${node(1).address}:${port} `)
      const answers = () =>
        fetch(`http://${node(1).address}:${port}/v2/`).then(
          ({ status }) => status,
          () => 0,
        )
      await expect.poll(answers, patience).toBe(200)
    })

    it('adds an instance, whose placement is kept', async () => {
      const settings = () => manager.path('demo', 'settings.sh')
      await manager.perform('add', { name: 'demo', runtime: 'swarm', database: 'postgresql', 'no-start': true })
      writeFileSync(settings(), `${readFileSync(settings(), 'utf8')}\nexport SERVICE_PLACEMENT=disk=none\n`)
      await expect(manager.perform('start', { name: 'demo' })).rejects.toMatchObject({
        message: expect.stringContaining('no suitable node'),
      })
      expect(await nodeOf('demo')).toBeUndefined()
      writeFileSync(settings(), readFileSync(settings(), 'utf8').replace('disk=none', 'disk=ssd'))
      await manager.perform('start', { name: 'demo' })
      expect(await reasonOf('demo')).toBeUndefined()
      expect(await nodeOf('demo')).toBe('node2')
      writeFileSync(settings(), readFileSync(settings(), 'utf8').replace('disk=ssd', 'disk!=none'))
      const services = JSON.stringify(await engine().ask('GET', '/services'))
      const { adminPassword, databasePassword } = await manager.context.settings.instance(manager.path('demo'))
      for (const secret of [adminPassword, databasePassword]) expect(services).not.toContain(secret.reveal())
      expect(services).toMatch(/"Image":"[\d.]+:\d+\/steward\/app@sha256:/)
      expect(services).not.toContain(registry.password)
      await expect.poll(() => manager.log('demo'), patience).not.toBe('')
      await manager.context.proxies.publish(manager.caller)
    })

    it('restarts, upgrades, and goes back from a bad version without a failed request', async () => {
      const requests = await traffic('demo', 'Upgrade')
      await requests.round()
      expect((await manager.perform('restart', { name: 'demo' })).warnings).toBeUndefined()
      await publish(endsWhenItServes(0))
      await expect(manager.perform('upgrade', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
      await publish('// A new version.')
      expect((await manager.perform('upgrade', { name: 'demo' })).warnings).toBeUndefined()
      await requests.round()
      await requests.stop()
      expect(requests.failures).toEqual([])
      const made = requests.answers.flatMap((answer) => /^\{"row_id":"(\d+)"/.exec(answer)?.[1] ?? [])
      expect(new Set(made).size).toBe(made.length)
      expect(made.length).toBeGreaterThan(10)
    })

    it('is reached again after a boot of the manager machine, by the same task', async () => {
      const before = await servingTask('demo')
      await endProcessesOf(manager.home)
      expect((await checkHealth(healthPlace(manager.context, manager.instance('demo')))).reason).toBe('unreachable')
      await manager.perform('startall')
      expect(await reasonOf('demo')).toBeUndefined()
      expect(await servingTask('demo')).toEqual(before)
    })

    it('moves everything from a node that is drained, and has no place left when both are', async () => {
      await addCompany(manager, 'demo', 'Before the loss')
      await manager.perform('swarm drain', { node: 'node2' })
      expect(await nodeOf('demo')).toBe('node1')
      await expect(manager.perform('swarm drain', { node: 'node1' })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: 'No other node is ready to run what runs on "node1".',
      })
      await manager.perform('swarm drain', { node: 'node2', undo: true })
      await onNode2()
      await expect((others[0] as TestManager).perform('swarm leave')).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringContaining('Instances run on "node2"'),
      })
      expect(await reasonOf('demo')).toBeUndefined()
    })

    it('saves, restores, clones, renames and deletes one whose task is on another node', async ({ skip }) => {
      if (!isDeep) return skip(onlyDeep)
      await onNode2()
      await addCompany(manager, 'demo', 'Before the save')
      await manager.perform('save', { name: 'demo' })
      await addCompany(manager, 'demo', 'After the save')
      await manager.perform('restore', { name: 'demo' })
      expect(await companies('demo')).toContain('Before the save')
      expect(await companies('demo')).not.toContain('After the save')
      await manager.perform('clone', { name: 'demo', new: 'twin' })
      expect(manager.instance('twin').runtime).toBe('swarm')
      expect(await companies('twin', 'demo')).toContain('Before the save')
      await manager.perform('rename', { name: 'twin', new: 'other' })
      expect(await reasonOf('other')).toBeUndefined()
      expect((await manager.perform('logs', { name: 'other' })).list?.length).toBeGreaterThan(0)
      expect(await nodeOf('demo')).toBeDefined()
      await manager.perform('delete', { name: 'other', purge: true })
      const services = await engine().ask<readonly { readonly Spec: { readonly Name: string } }[]>('GET', '/services')
      expect(services?.every(({ Spec }) => Spec.Name.includes(manager.instance('demo').id))).toBe(true)
      const found = (await manager.perform('doctor', { category: 'instances' })).list as readonly {
        readonly level: string
      }[]
      expect(found.filter(({ level }) => level !== 'ok')).toEqual([])
    })

    it('serves from the other node while a node is cut off, and has one task when that is back', async ({ skip }) => {
      if (!isDeep) return skip(onlyDeep)
      await onNode2()
      await addCompany(manager, 'demo', 'Before the cut')
      const begin = performance.now()
      await node(2).connect(false)
      await expect.poll(() => companies('demo').catch(() => []), patience).toContain('Before the cut')
      tell('a cable was pulled', begin)
      expect(await nodeOf('demo')).toBe('node1')
      await node(2).connect(true)
      const states = async () =>
        ((await manager.perform('swarm nodes')).list as { readonly state: string }[]).map(({ state }) => state)
      await expect.poll(states, patience).toEqual(['ready', 'ready'])
      const there = () => createContainerEngine(node(2).docker.socket).ask('GET', '/containers/json')
      await expect.poll(there, patience).toEqual([])
      expect(await companies('demo')).toContain('Before the cut')
    })

    it('is as before, or as after, when a manager is killed in the middle of an upgrade', async ({ skip }) => {
      if (!isDeep) return skip(onlyDeep)
      const { program } = await bundledManager()
      const { home, template } = manager
      const run = { home, applicationServer: realApplication.applicationServer, defaultTemplate: template }
      for (const at of [
        { at: 'effect', step: 'copy' },
        { at: 'effect', step: 'point' },
      ] as const) {
        await publish(`// ${at.step}`)
        expect(await crashAction(program, { ...run, at, action: 'upgrade', input: { name: 'demo' } })).toBeUndefined()
        await manager.context.operations.recover(manager.caller)
        expect(manager.instance('demo').operation).toBe('')
        expect(await reasonOf('demo')).toBeUndefined()
        expect(await companies('demo')).toContain('Before the loss')
      }
      await manager.perform('upgrade', { name: 'demo' })
      expect(await reasonOf('demo')).toBeUndefined()
    })

    it('replaces several tasks one after the other, and has the swarm put them back', async ({ skip }) => {
      if (!isDeep) return skip(onlyDeep)
      const settings = manager.path('demo', 'settings.sh')
      const before = readFileSync(settings, 'utf8')
      writeFileSync(settings, `${before}\nexport SERVICE_REPLICAS=2\n`)
      const requests = await traffic('demo', 'Replica')
      await requests.round()
      expect((await manager.perform('restart', { name: 'demo' })).warnings).toBeUndefined()
      const used = async () =>
        ((await manager.perform('swarm nodes')).list as { readonly instances: string }[]).map(
          ({ instances }) => instances,
        )
      await expect.poll(used, patience).toEqual(['demo', 'demo'])
      const { id } = await servingTask('demo')
      const { port } = manager.instance('demo')
      await publish(endsWhenItServes(0))
      await expect(manager.perform('upgrade', { name: 'demo' })).rejects.toMatchObject({
        code: 'ERR_ROLLED_BACK',
        message: expect.stringContaining('The swarm put the former tasks of "demo" back'),
      })
      expect(await reasonOf('demo')).toBeUndefined()
      await publish('// A version for two.')
      expect((await manager.perform('upgrade', { name: 'demo' })).warnings).toBeUndefined()
      expect(manager.instance('demo').port).toBe(port)
      expect((await servingTask('demo')).id).not.toBe(id)
      const updates = (await engine().ask<readonly Service[]>('GET', '/services')) ?? []
      const states = updates.flatMap(({ Spec, UpdateStatus }) =>
        Spec.Mode.Replicated.Replicas === 2 ? [UpdateStatus?.State] : [],
      )
      expect(states).toEqual(['completed'])
      await requests.round()
      await requests.stop()
      expect(requests.failures).toEqual([])
      writeFileSync(settings, before)
      await manager.perform('restart', { name: 'demo' })
    })

    it('serves from the other node after a loss of power, with its data', async () => {
      await onNode2()
      const begin = performance.now()
      await node(2).docker.cutPower()
      // The relay has callers wait until it is there again.
      await expect.poll(() => companies('demo').catch(() => []), patience).toContain('Before the loss')
      tell('a loss of power', begin)
      expect(await nodeOf('demo')).toBe('node1')
      expect((await manager.perform('swarm nodes')).list).toMatchObject([{ state: 'ready' }, { state: 'down' }])
      expect(await manager.perform('app-status', { name: 'demo' })).toMatchObject({
        item: { state: 'started', health: 'OK' },
      })
    })

    it('leaves nothing in the swarm of an instance that is deleted', async () => {
      await expect(manager.perform('swarm leave')).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: '"node1" is the last manager node of the swarm, in which instances run: demo.',
      })
      await manager.perform('delete', { name: 'demo', purge: true })
      expect(await engine().ask('GET', '/services')).toEqual([])
      expect(await engine().ask('GET', '/secrets')).toEqual([])
      await manager.perform('swarm leave')
      await expect(manager.perform('swarm nodes')).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringContaining('is not part of a swarm'),
        command: 'swarm init',
      })
    })
  }),
)
