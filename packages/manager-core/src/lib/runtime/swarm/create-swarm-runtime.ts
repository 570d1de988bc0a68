import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../../errors.js'
import { accountAt } from '../../accounts/account.js'
import { instanceHomeAt } from '../../domain/home.js'
import { isRunning, type Observed } from '../../domain/instance.js'
import { readForeignFile } from '../../accounts/foreign.js'
import { copiesOf, servingCopy, setServingCopy } from '../copies.js'
import { nameOf } from '../container/body.js'
import { createContainerEngine, type EngineRequest } from '../container/engine.js'
import { environmentFile } from '../container/environment-file.js'
import { containerName, homeIdIn, labels } from '../container/names.js'
import { usageOf } from '../container/usage.js'
import { exclusively } from '../exclusively.js'
import { usualPolicy, type RestartPolicy } from '../launch.js'
import type { LimitInForce } from '../limits/limits.js'
import type { Copy, ExitInfo, InstanceRef, InstanceSpec, Observation, RollOptions, Runtime } from '../runtime.js'
import { translated } from '../translated.js'
import { appImageOf, type AppImage } from './image.js'
import { assertOurService, managerId, swarmLabels } from './names.js'
import { forgetPosition, relayOf } from './relay.js'
import { environmentOf, labelsOf, serviceOf, type SecretReference, type ServiceOptions } from './service.js'
import { ourSwarm } from './swarm.js'
import {
  failed,
  isLive,
  isServing,
  lastExitOf,
  nodesOf,
  sinceStart,
  stateOf,
  tasksOf,
  type Service,
  type ServiceSpec,
  type SwarmNode,
  type Task,
} from './tasks.js'
import { updated } from './updates.js'

export interface SwarmRuntimeOptions {
  /** Socket of the engine of this machine, which is a manager node of the swarm. */
  readonly socket: string
  /** Folder of the instances of this manager. */
  readonly instances: string
  /** Image below those of applications. Default: one that is made from this machine's own Node. */
  readonly image?: string | undefined
  /** Where nodes get images from: `registry.example.org:5000`. */
  readonly registry?: string | undefined
  /** See `registryAuth`. Default: it has no password. */
  readonly registryAuth?: () => Readonly<Record<string, string>>
  /** What runs the relays, and has processes. */
  readonly processes: Runtime
  readonly restart?: RestartPolicy
  /** How long the engine lets tasks finish that it stops by itself, and those of other nodes at all, in ms. */
  readonly graceMs: number
}

/** How long a start waits for a node that takes it, and a stop beyond its grace for what a node says, in ms. */
const placedMs = 5000
const pollMs = 50

/**
 * Runs instances as services of a swarm, on any of its nodes: each copy is a service. What they need travels in an image
 * and in secrets. On the manager's machine runs a relay for each, which is the way to its task, wherever that is, and
 * writes down what it says: for all else an instance answers on 127.0.0.1 and has its log in its folder, as always.
 */
export function createSwarmRuntime({
  socket,
  instances,
  image: base,
  registry,
  registryAuth: auth = () => ({}),
  processes,
  restart = usualPolicy,
  graceMs: usualGraceMs,
}: SwarmRuntimeOptions): Runtime {
  const engine = createContainerEngine(socket)
  const manager = managerId(instances)
  const limit = restart.limit
  const withCopy = <T extends InstanceRef>(ref: T): T & { readonly copy: Copy } => ({
    ...ref,
    copy: ref.copy ?? servingCopy(ref.folder),
  })
  const nameFor = ({ id, folder, copy }: InstanceRef) => containerName({ id, folder }, copy ?? servingCopy(folder))

  async function find(ref: InstanceRef): Promise<Service | undefined> {
    const name = nameFor(ref)
    const found = await engine.ask<Service>('GET', `/services/${name}`, { besides: [404] })
    if (found) assertOurService(name, manager, found.Spec.Labels)
    return found
  }

  async function look(ref: InstanceRef) {
    const service = await find(ref)
    if (!service) return undefined
    const [tasks, nodes] = await Promise.all([tasksOf(engine, [service.ID]), nodesOf(engine)])
    return { service, tasks, nodes }
  }

  /** Another one may have changed it meanwhile: it is read and changed again then. */
  async function change(
    ref: InstanceRef,
    next: (spec: ServiceSpec) => ServiceSpec,
    { query: more, headers }: Pick<EngineRequest, 'query' | 'headers'> = {},
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      const found = await find(ref)
      if (!found) return
      try {
        const query = { version: String(found.Version.Index), ...more }
        await engine.ask('POST', `/services/${found.ID}/update`, {
          query,
          body: next(found.Spec),
          ...(headers && { headers }),
        })
        return
      } catch (error) {
        if (tries > 20 || !/out of sequence/.test((error as Error).message)) throw error
        await sleep(pollMs)
      }
    }
  }

  async function imageFor(spec: InstanceSpec, signal?: AbortSignal): Promise<AppImage> {
    await ourSwarm(engine, manager)
    checkFitsSwarm(spec)
    const nodes = await nodesOf(engine)
    if (registry === undefined && nodes.size > 1)
      throw new ManagerError('ERR_SETTINGS', `The swarm has ${nodes.size} nodes, but APPS_SWARM_REGISTRY is not set.`, {
        help: 'Nodes get the images of applications from a registry. Name yours in config.sh, or start one here.',
        command: 'swarm registry',
      })
    return appImageOf(engine, spec, { base, registry, auth: auth(), signal })
  }

  async function secret(spec: InstanceSpec, name: string, content: string): Promise<SecretReference> {
    const SecretName = `${nameOf(spec)}-${randomUUID().slice(0, 8)}-${name}`
    const body = { Name: SecretName, Labels: labelsOf(spec, manager), Data: Buffer.from(content).toString('base64') }
    const made = await engine.ask<{ readonly ID: string }>('POST', '/secrets/create', { body })
    return { SecretID: made?.ID ?? '', SecretName }
  }

  /** Those of a copy; none of one that is used can be removed. */
  async function removeSecrets(ref: InstanceRef): Promise<void> {
    const { folder, copy } = withCopy(ref)
    const filters = JSON.stringify({
      label: [`${labels.folder}=${folder}`, `${labels.copy}=${copy}`, `${swarmLabels.manager}=${manager}`],
    })
    const found = await engine.ask<readonly { readonly ID: string }[]>('GET', '/secrets', { query: { filters } })
    for (const { ID } of found ?? []) await engine.ask('DELETE', `/secrets/${ID}`, { besides: [400, 404, 409, 500] })
  }

  /** The service, with secrets of its own. */
  async function prepared(spec: InstanceSpec, options: Pick<ServiceOptions, 'image' | 'start' | 'roll'>) {
    // Those that nothing uses any more, not even to go back to.
    await removeSecrets(spec)
    const environment = await secret(spec, 'environment', environmentFile(environmentOf(spec)))
    const token = await secret(spec, 'token', tokenKeyOf(spec.folder))
    return serviceOf(spec, {
      ...options,
      manager,
      policy: restart,
      graceMs: usualGraceMs,
      secrets: { environment, token },
      smallestCpu: smallestCpuOf(await nodesOf(engine)),
    })
  }

  async function startService(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void> {
    const now = await look(spec)
    const state = now && stateOf(now.service, now.tasks, { nodes: now.nodes, limit })
    if (now && now.service.Spec.Mode.Replicated.Replicas > 0 && state !== 'crashed') return
    const image = await imageFor(spec, signal)
    signal?.throwIfAborted()
    const service = await prepared(spec, { image, start: (now?.service.Spec.TaskTemplate.ForceUpdate ?? 0) + 1 })
    forgetPosition(spec)
    if (now) await change(spec, () => service, { headers: auth() })
    else await engine.ask('POST', '/services/create', { body: service, headers: auth() })
    await removeSecrets(spec)
  }

  /** Its tasks are those of the same start: new ones differ from old ones by their secrets. */
  async function roll(spec: InstanceSpec, { id, windowMs, ...options }: Parameters<NonNullable<Runtime['roll']>>[1]) {
    const found = await find(spec)
    if (!found) throw new ManagerError('ERR_STATE', `Instance ${spec.id} does not run in the swarm.`)
    const image = await imageFor(spec, options.signal)
    const start = found.Spec.TaskTemplate.ForceUpdate ?? 0
    const service = await prepared(spec, { image, start, roll: { id, windowMs } })
    options.signal?.throwIfAborted()
    await change(spec, () => service, { headers: auth() })
    return updated(() => find(spec), options)
  }

  async function unroll(ref: InstanceRef, { id, ...options }: RollOptions): Promise<void> {
    const found = await find(ref)
    if (found?.Spec.Labels[swarmLabels.roll] === id)
      await change(ref, (spec) => spec, {
        query: { rollback: 'previous', registryAuthFrom: 'previous-spec' },
      })
    else if (!found?.UpdateStatus?.State?.startsWith('rollback')) return
    await updated(() => find(ref), options)
  }

  /** @throws ManagerError ERR_FAILED when no node may take it */
  async function placed(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void> {
    const begin = performance.now()
    for (;;) {
      const now = await look(spec)
      const current = now ? sinceStart(now.service, now.tasks) : []
      if (current.some(({ NodeID = '' }) => NodeID !== '')) return
      if (performance.now() - begin > placedMs) {
        const why = current.find(({ Status }) => Status.Err !== undefined)?.Status.Err ?? 'no node has taken it'
        throw new ManagerError('ERR_FAILED', `The swarm cannot run it now: ${why}.`, {
          help: 'Check that nodes are ready and active, and have the labels of SERVICE_PLACEMENT.',
          command: 'swarm nodes',
        })
      }
      await sleep(pollMs, undefined, { signal })
    }
  }

  /** Ends the tasks of a copy, then its relay, which has their last lines then. */
  async function endCopy(ref: InstanceRef & { readonly copy: Copy }, graceMs: number): Promise<ExitInfo> {
    const before = await look(ref)
    const wasRunning = before?.tasks.some((task) => isLive(task, before.nodes)) ?? false
    let forced = false
    if (before && before.service.Spec.Mode.Replicated.Replicas > 0)
      await change(ref, (spec) => ({ ...spec, Mode: { Replicated: { Replicas: 0 } } }))
    const begin = performance.now()
    for (;;) {
      const now = await look(ref)
      const live = now?.tasks.filter((task) => isLive(task, now.nodes)) ?? []
      if (live.length === 0) break
      const waited = performance.now() - begin
      if (waited >= graceMs) forced = (await kill(live)) || forced
      if (waited >= usualGraceMs) forced = true
      if (waited > Math.max(graceMs, usualGraceMs) + 60_000)
        throw new ManagerError('ERR_FAILED', `A node does not end the task of instance ${ref.id}.`, {
          help: 'Check the engine of that node.',
          command: 'swarm nodes',
        })
      await sleep(pollMs)
    }
    const { id, folder, copy } = ref
    const { code } = await processes.stop({ id, folder, copy }, { graceMs: 10_000 })
    return { wasRunning, ...(wasRunning && !forced && code !== undefined && { code }), ...(forced && { forced }) }
  }

  /** An engine kills what it has itself; of others the engine ends it after the grace that it was started with. */
  async function kill(tasks: readonly Task[]): Promise<boolean> {
    const ids = tasks.flatMap(({ Status }) => Status.ContainerStatus?.ContainerID ?? [])
    for (const id of ids)
      await engine.ask('POST', `/containers/${id}/kill`, { query: { signal: 'SIGKILL' }, besides: [404, 409] })
    return ids.length > 0
  }

  /** Services of the homes of these instances, by their names, with all tasks. */
  async function lookAtAll(refs: readonly InstanceRef[]) {
    const homes = new Set(refs.map(({ folder }) => homeIdIn(dirname(folder))))
    const lists = await Promise.all(
      [...homes].map((home) => {
        const filters = JSON.stringify({ label: [`${labels.home}=${home}`, `${swarmLabels.manager}=${manager}`] })
        return engine.ask<readonly Service[]>('GET', '/services', { query: { filters } })
      }),
    )
    const services = new Map(lists.flatMap((list) => list ?? []).map((each) => [each.Spec.Name, each]))
    const nodes = await nodesOf(engine)
    const tasks = services.size === 0 ? [] : await tasksOf(engine)
    return { services, nodes, tasks: Map.groupBy(tasks, ({ ServiceID }) => ServiceID) }
  }

  return {
    name: 'swarm',
    capabilities: Object.freeze({
      parallelCopies: true,
      suspend: false,
      limits: true,
      // The swarm starts its tasks again, but nothing the relay.
      bootStart: false,
      nativeRollback: true,
      processes: false,
      debug: false,
      elsewhere: true,
    }),
    async probe() {
      try {
        await ourSwarm(engine, manager)
        const nodes = [...(await nodesOf(engine)).values()]
        const ready = nodes.filter(({ Status }) => Status.State === 'ready').length
        return {
          ok: true,
          message: `Instances run in the swarm of this machine (${ready} of ${nodes.length} nodes ready).`,
        }
      } catch (error) {
        if (!ManagerError.is(error)) throw error
        const command = error.command === undefined ? '' : `Command: ${error.command}.`
        return { ok: false, message: [error.message, error.help, command].filter(Boolean).join(' ') }
      }
    },
    howLimited: () => 'Limits of memory, CPU and processes apply to each task as a whole (cgroup of its node).',
    define: (spec) =>
      translated(spec, 'prepare', async () => {
        await imageFor(spec)
        await processes.define(relayOf(spec, socket))
      }),
    async undefine(ref) {
      const copies = copiesOf(ref)
      const found = await Promise.all(copies.map((copy) => look({ ...ref, copy })))
      if (found.some((each) => each && stateOf(each.service, each.tasks, { nodes: each.nodes, limit }) !== 'stopped'))
        throw new ManagerError('ERR_STATE', `Instance ${ref.id} is running. Stop it first.`)
      for (const each of found) if (each) await engine.ask('DELETE', `/services/${each.service.ID}`, { besides: [404] })
      for (const copy of copies) {
        // The service that uses them may be there for a moment still.
        for (let tries = 0; tries < 20 && (await hasSecrets({ ...ref, copy })); tries++) {
          await removeSecrets({ ...ref, copy })
          await sleep(pollMs)
        }
      }
      await processes.undefine(ref)
    },
    async start(spec, { signal } = {}) {
      signal?.throwIfAborted()
      const relay = relayOf(spec, socket)
      const startNow = async () => {
        try {
          await startService(spec, signal)
          signal?.throwIfAborted()
          await processes.start(relay, { ...(signal && { signal }) })
          await placed(spec, signal)
          signal?.throwIfAborted()
        } catch (error) {
          // The swarm would keep trying. Where it does not answer, the first error says so.
          await endCopy(withCopy(spec), 0).catch(() => undefined)
          throw error
        }
      }
      await translated(spec, 'start', async () => {
        checkFitsSwarm(spec)
        await processes.define(relay)
        await exclusively(spec, 'start', startNow, signal, 'swarm')
      })
    },
    async stop(ref, { graceMs, force = false }) {
      const grace = force ? 0 : graceMs
      const endAll = async () => {
        const exits = await Promise.all(copiesOf(ref).map((copy) => endCopy({ ...ref, copy }, grace)))
        return exits.find(({ wasRunning }) => wasRunning) ?? { wasRunning: false }
      }
      const mayLock = !force && existsSync(instanceHomeAt(ref.folder).run)
      return translated(ref, 'stop', () => (mayLock ? exclusively(ref, 'stop', endAll, undefined, 'swarm') : endAll()))
    },
    serving: async ({ folder }) => servingCopy(folder),
    serve: (ref, copy) => translated(ref, 'switch', async () => setServingCopy(ref.folder, copy)),
    roll: (spec, options) =>
      translated(spec, 'change', () => exclusively(spec, 'start', () => roll(spec, options), options.signal, 'swarm')),
    unroll: (ref, options) =>
      translated(ref, 'change back', () =>
        exclusively(ref, 'start', () => unroll(ref, options), options.signal, 'swarm'),
      ),
    async observe(ref): Promise<Observation> {
      const now = await look(ref)
      if (!now) return { state: 'stopped', restarts: 0, pids: [], missing: `service ${nameFor(ref)}` }
      const { service, tasks, nodes } = now
      const current = sinceStart(service, tasks)
      const relay = await processes.observe(ref)
      const state = withRelay(stateOf(service, tasks, { nodes, limit }), relay.state)
      const serving = current.find((task) => isServing(task, nodes))
      const limits = JSON.parse(service.Spec.Labels[swarmLabels.limits] ?? '[]') as readonly LimitInForce[]
      const isUp = state === 'started' || state === 'starting'
      return {
        state,
        restarts: isUp ? failed(current).length : 0,
        pids: [],
        ...(serving && { since: new Date(serving.Status.Timestamp).toISOString() }),
        ...(state !== 'stopped' && lastExitOf(current)),
        ...(isUp && limits.length > 0 && { limits }),
      }
    },
    async observeAll(refs) {
      const [{ services, tasks, nodes }, relays] = await Promise.all([lookAtAll(refs), processes.observeAll(refs)])
      return new Map(
        refs.map((ref) => {
          const service = services.get(nameFor(ref))
          const state = service ? stateOf(service, tasks.get(service.ID) ?? [], { nodes, limit }) : 'stopped'
          return [ref.id, withRelay(state, relays.get(ref.id) ?? 'unknown')]
        }),
      )
    },
    processes: async () => [],
    async usageAll(refs) {
      const { services, tasks } = await lookAtAll(refs)
      const ids = await localContainers()
      const named = refs.flatMap((ref) => {
        const service = services.get(nameFor(ref))
        const containers = service
          ? (tasks.get(service.ID) ?? []).map(({ Status }) => Status.ContainerStatus?.ContainerID)
          : []
        return containers.flatMap((each) => (each !== undefined && ids.has(each) ? [[ref.id, each] as const] : []))
      })
      return usageOf(engine, named)
    },
    logs: (ref, options) => processes.logs(ref, options),
  }

  async function hasSecrets(ref: InstanceRef): Promise<boolean> {
    const { folder, copy } = withCopy(ref)
    const filters = JSON.stringify({ label: [`${labels.folder}=${folder}`, `${labels.copy}=${copy}`] })
    return ((await engine.ask<readonly unknown[]>('GET', '/secrets', { query: { filters } })) ?? []).length > 0
  }

  /** Ids of containers that this machine's engine runs. */
  async function localContainers(): Promise<ReadonlySet<string>> {
    const filters = JSON.stringify({ label: [`${swarmLabels.manager}=${manager}`] })
    const found = await engine.ask<readonly { readonly Id: string }[]>('GET', '/containers/json', {
      query: { filters },
    })
    return new Set((found ?? []).map(({ Id }) => Id))
  }
}

/**
 * That an instance needs nothing that is on one machine only.
 *
 * @throws ManagerError ERR_STATE
 */
function checkFitsSwarm({ needs, folder, environment }: InstanceSpec): void {
  if (needs !== undefined)
    throw new ManagerError('ERR_STATE', 'Its database is a SQLite file, which is on one machine only.', {
      help: 'Instances in a swarm need a database server that all nodes reach: PostgreSQL, MySQL or another.',
    })
  if (environment['STEWARD_DATABASE'] !== undefined && environment['STEWARD_DOCUMENTS'] === undefined)
    throw new ManagerError('ERR_STATE', 'Its documents are in a folder, which is on one machine only.', {
      help: 'Move them to a bucket first.',
      command: 'documents',
    })
  if (accountAt(folder))
    throw new ManagerError('ERR_STATE', 'It has a system account of this machine, which other nodes do not have.', {
      help: 'Its tasks are isolated by their containers: take the account away.',
      command: 'isolate --undo',
    })
}

/** The key that signs tokens of users is the same on all nodes. */
function tokenKeyOf(folder: string): string {
  const { data } = instanceHomeAt(folder)
  const file = join(data, 'token.secret')
  if (!existsSync(file)) {
    mkdirSync(data, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  }
  const key = readForeignFile(file)
  if (key !== undefined) return key
  throw new ManagerError('ERR_STATE', `${file} is not a file.`, { help: 'Remove it, then start the instance again.' })
}

/** After a boot of this machine, tasks of others still run, but are unreachable: it is started, its relay alone. */
function withRelay(state: Observed, relay: Observed): Observed {
  return isRunning(state) && !isRunning(relay) ? 'stopped' : state
}

function smallestCpuOf(nodes: ReadonlyMap<string, SwarmNode>): number {
  return Math.min(...[...nodes.values()].flatMap(({ Description }) => Description.Resources?.NanoCPUs ?? []))
}
