import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createMemoryMachine, createMemoryRuntime } from './memory-runtime.js'
import { createSpecs } from './processes-for-test.js'
import type { InstanceSpec, Runtime } from './runtime.js'
import { createSwarmRuntime } from './swarm/create-swarm-runtime.js'
import { startFakeEngine, type FakeEngine } from './swarm/fake-engine-for-test.js'
import { managerId, swarmLabels } from './swarm/names.js'
import { registryAuth } from './swarm/registry-auth.js'

/*
 * What the runtime asks an engine, and what it makes of its refusals: by a made-up engine, since a real one takes long to
 * be brought there. Real ones: swarm/swarm.servers.test.ts.
 */

let folder: string
let engine: FakeEngine
let runtime: Runtime
let spec: InstanceSpec
const registry = 'registry.example.org:5000'

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-swarm-'))
  engine = await startFakeEngine()
  engine.labels[swarmLabels.manager] = managerId(folder)
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, 'registry-s3cret\n', { mode: 0o600 })
  runtime = createSwarmRuntime({
    socket: engine.socket,
    instances: folder,
    image: 'node:24-slim',
    registry,
    registryAuth: () => registryAuth({ registry, user: 'steward', passwordFile }),
    processes: createMemoryRuntime(
      createMemoryMachine((_, { exited }) => ({ terminate: () => exited(0), kill: () => exited('SIGKILL') })),
    ),
    graceMs: 1000,
  })
  const plain = await createSpecs(folder)('demo', 1, {})
  spec = { ...plain, copy: 'a', swarm: { placement: [], replicas: 3 } }
})
afterEach(async () => {
  await engine.close()
  rmSync(folder, { recursive: true })
})

const only = () => [...engine.services.values()][0]
const roll = (id = 'op1') => runtime.roll?.(spec, { id, windowMs: 5000, timeoutMs: 10_000 })
const failure = (work: Promise<unknown> | undefined) =>
  (work ?? Promise.resolve()).then(
    () => expect.fail('It succeeded.'),
    (error: unknown) => error as Error & { code: string; help?: string },
  )

it('roll() has the swarm replace tasks one after the other and go back by itself, and waits for it', async () => {
  await runtime.start(spec)
  expect(only()?.Spec).toMatchObject({
    Mode: { Replicated: { Replicas: 3 } },
    UpdateConfig: { FailureAction: 'continue' },
  })
  const before = engine.secrets.length
  expect(await roll()).toMatchObject({ state: 'completed' })
  expect(only()?.Spec).toMatchObject({
    Labels: { [swarmLabels.roll]: 'op1' },
    TaskTemplate: { ForceUpdate: 1 },
    UpdateConfig: {
      Parallelism: 1,
      Order: 'start-first',
      FailureAction: 'rollback',
      Monitor: 5_000_000_000,
      MaxFailureRatio: 0,
    },
  })
  // They make tasks new ones although nothing else changes.
  expect(engine.secrets.length).toBe(before + 2)
  expect((await runtime.observe(spec)).state).toBe('started')
})

it('unroll() goes back to what was there before its roll(), once, and touches nothing else', async () => {
  await runtime.start(spec)
  const { Spec: first } = only() ?? {}
  await runtime.unroll?.(spec, { id: 'op1', timeoutMs: 10_000 })
  expect(only()?.Spec).toBe(first)
  await roll()
  for (let times = 0; times < 2; times++) {
    await runtime.unroll?.(spec, { id: 'op1', timeoutMs: 10_000 })
    expect(only()?.Spec).toEqual(first)
  }
})

it('roll() says when the swarm went back, and when it could not', async () => {
  await runtime.start(spec)
  engine.update = 'rollback_completed'
  expect(await roll()).toEqual({
    state: 'rolled-back',
    message: 'update rolled back due to failure of task abc',
  })
  await runtime.unroll?.(spec, { id: 'op1', timeoutMs: 10_000 })
  expect(only()?.Spec.Labels).not.toHaveProperty(swarmLabels.roll)
  engine.update = 'rollback_paused'
  expect(await failure(roll('op2'))).toMatchObject({
    code: 'ERR_FAILED',
    message: expect.stringContaining('The swarm stopped replacing its tasks'),
  })
})

it('the account of the registry reaches the engine with each image and service, and nothing else', async () => {
  await runtime.start(spec)
  const proofs = [...engine.proofs]
  expect(proofs.map(([call]) => call.replace(/\/images\/.*\/push/, '/images/…/push'))).toEqual([
    'POST /images/…/push',
    'POST /services/create',
  ])
  for (const [, proof] of proofs)
    expect(JSON.parse(Buffer.from(proof, 'base64url').toString())).toEqual({
      username: 'steward',
      password: 'registry-s3cret',
      serveraddress: registry,
    })
  expect(JSON.stringify(only())).not.toContain('registry-s3cret')
})

it('an account of a registry that is incomplete, or that others may read, is refused without its password', async () => {
  const passwordFile = join(folder, 'password')
  expect(registryAuth({ registry, user: undefined, passwordFile: undefined })).toEqual({})
  const refused = (account: Partial<Parameters<typeof registryAuth>[0]>) => {
    try {
      return expect.fail(
        `It gave ${JSON.stringify(registryAuth({ registry, user: 'steward', passwordFile, ...account }))}`,
      )
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(refused({ user: undefined })).toBe('The account of the registry of the swarm is incomplete.')
  expect(refused({ passwordFile: join(folder, 'none') })).toContain('Cannot read APPS_SWARM_REGISTRY_PASSWORD_FILE')
  chmodSync(passwordFile, 0o644)
  expect(refused({})).toBe(`Other users may read the password of the registry in ${passwordFile}.`)
  chmodSync(passwordFile, 0o600)
  writeFileSync(passwordFile, '\n')
  expect(refused({})).toBe(`The password of the registry is missing: ${passwordFile} is empty.`)
})

it.each([
  [
    'documents in a folder',
    (): void => void (spec = { ...spec, environment: { STEWARD_DATABASE: 'postgresql://db/demo' } }),
    'ERR_STATE',
    'Its documents are in a folder, which is on one machine only.',
  ],
  [
    'a registry that is away',
    (): void => void (engine.pushError = `Get "http://${registry}/v2/": dial tcp: connection refused`),
    'ERR_STATE',
    `The image cannot be pushed to the registry ${registry}: Get "http://${registry}/v2/": dial tcp: connection refused`,
  ],
  [
    'a registry that refuses the account',
    (): void => void (engine.pushError = 'unauthorized: authentication required'),
    'ERR_STATE',
    `The image cannot be pushed to the registry ${registry}: unauthorized: authentication required`,
  ],
  [
    'an image without its digest',
    (): void => void (engine.hasDigests = false),
    'ERR_FAILED',
    `The registry ${registry} returned no digest of the image`,
  ],
  [
    'a swarm of another manager',
    (): void => {
      engine.labels[swarmLabels.manager] = 'another'
      engine.labels[swarmLabels.machine] = '/home/two on machine2'
    },
    'ERR_STATE',
    'The swarm belongs to another manager: /home/two on machine2.',
  ],
])('start() refuses %s, and leaves nothing', async (_, harm, code, message) => {
  harm()
  const refused = await failure(runtime.start(spec))
  expect(refused).toMatchObject({ code, message: expect.stringContaining(message) })
  expect(refused.message + (refused.help ?? '')).not.toContain('registry-s3cret')
  expect(engine.services.size).toBe(0)
  expect(engine.secrets).toEqual([])
  expect((await runtime.observe(spec)).state).toBe('stopped')
})

it('observe() does not count tasks of a node that is gone', async () => {
  await runtime.start(spec)
  expect((await runtime.observe(spec)).state).toBe('started')
  for (const node of engine.nodes) node.state = 'down'
  expect((await runtime.observe(spec)).state).toBe('starting')
})
