import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../../errors.js'
import { createContainerEngine, type ContainerEngine } from '../container/engine.js'
import { labels } from '../container/names.js'
import type { SwarmPlace } from './init.js'
import { managerId, swarmLabels } from './names.js'
import { engineInfo, ourSwarm } from './swarm.js'
import { addressOf, isLive, nodesOf, tasksOf, type Service, type SwarmNode, type Task } from './tasks.js'

/** A node as `swarm nodes` answers it. */
export type NodeItem = {
  readonly name: string
  /** `ready`, `down`, `unknown`, `disconnected`. */
  readonly state: string
  /** `active`, `pause`, `drain`. */
  readonly availability: string
  /** `worker`, `manager`, or `leader`: the manager node that decides. */
  readonly role: string
  /** `disk=ssd,zone=b`; empty: none. */
  readonly labels: string
  readonly address: string
  readonly engine: string
  /** Ids of instances that have tasks there. */
  readonly instances: readonly string[]
}

export async function listNodes({ socket, instances }: SwarmPlace): Promise<readonly NodeItem[]> {
  const engine = createContainerEngine(socket)
  await ourSwarm(engine, managerId(instances))
  const nodes = await nodesOf(engine)
  const found = await tasksByNode(engine, instances, nodes)
  return [...nodes.values()]
    .map((node) => ({
      name: node.Description.Hostname,
      state: node.Status.State,
      availability: node.Spec.Availability,
      role: node.ManagerStatus?.Leader === true ? 'leader' : node.Spec.Role,
      labels: Object.entries(node.Spec.Labels ?? {})
        .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
        .toSorted()
        .join(','),
      address: addressOf(node) ?? '',
      engine: node.Description.Engine?.EngineVersion ?? '',
      instances: [...new Set((found.get(node.ID) ?? []).map(({ instance }) => instance))],
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

export interface DrainOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Called with the number of tasks left there, when that changes. */
  readonly onProgress?: (left: number) => void
}

/**
 * Lets a node have no tasks any more, and waits until those that it had are on others.
 *
 * @throws ManagerError ERR_STATE when nothing else could run them; ERR_FAILED when it takes too long
 */
export async function drainNode(
  { socket, instances }: SwarmPlace,
  name: string,
  { timeoutMs, signal, onProgress }: DrainOptions,
): Promise<void> {
  const engine = createContainerEngine(socket)
  await ourSwarm(engine, managerId(instances))
  const nodes = await nodesOf(engine)
  const node = nodeNamed(nodes, name)
  const others = [...nodes.values()].filter(({ ID }) => ID !== node.ID)
  const had = (await tasksByNode(engine, instances, nodes)).get(node.ID) ?? []
  if (had.length > 0 && !others.some(({ Status, Spec }) => Status.State === 'ready' && Spec.Availability === 'active'))
    throw new ManagerError('ERR_STATE', `No other node is ready to run what runs on "${name}".`, {
      help: 'Add a node, or make one active: swarm drain <node> --undo.',
      command: 'swarm nodes',
    })
  await setAvailability(engine, node.ID, 'drain')
  const services = [...new Set(had.map(({ task }) => task.ServiceID))]
  const begin = performance.now()
  for (let told = -1; ;) {
    const [tasks, now] = await Promise.all([services.length > 0 ? tasksOf(engine, services) : [], nodesOf(engine)])
    const moved = (id: string) =>
      tasks.some(
        (task) =>
          task.ServiceID === id && task.NodeID !== node.ID && task.Status.State === 'running' && isLive(task, now),
      )
    const there = tasks.filter((task) => task.NodeID === node.ID && isLive(task, now))
    const left = services.filter((id) => there.some(({ ServiceID }) => ServiceID === id) || !moved(id)).length
    if (left !== told) onProgress?.((told = left))
    if (left === 0) return
    if (performance.now() - begin > timeoutMs)
      throw new ManagerError('ERR_FAILED', `${left} services have not moved from "${name}" yet.`, {
        help: 'It stays drained, and they move as soon as a node may run them: look at labels and SERVICE_PLACEMENT.',
        command: 'swarm nodes',
      })
    await sleep(100, undefined, { signal })
  }
}

/** Lets a node have tasks again. Those that moved stay where they are. */
export async function activateNode({ socket, instances }: SwarmPlace, name: string): Promise<void> {
  const engine = createContainerEngine(socket)
  await ourSwarm(engine, managerId(instances))
  await setAvailability(engine, nodeNamed(await nodesOf(engine), name).ID, 'active')
}

/** Adds labels to a node, or changes them; one without a value is taken away. */
export async function labelNode(
  { socket, instances }: SwarmPlace,
  name: string,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  const engine = createContainerEngine(socket)
  await ourSwarm(engine, managerId(instances))
  const { ID } = nodeNamed(await nodesOf(engine), name)
  await change(engine, ID, (spec) => ({
    ...spec,
    Labels: Object.fromEntries(Object.entries({ ...spec.Labels, ...given }).filter(([, value]) => value !== '')),
  }))
}

/**
 * Takes the machine of this engine out of its swarm.
 *
 * @throws ManagerError ERR_STATE when instances would lose their node, or the swarm its last manager node
 */
export async function leaveSwarm({ socket, instances }: SwarmPlace, named: (id: string) => string): Promise<string> {
  const engine = createContainerEngine(socket)
  const { Swarm: state, Name } = await engineInfo(engine)
  if (state?.LocalNodeState === 'inactive' || state?.NodeID === undefined)
    throw new ManagerError('ERR_STATE', 'This machine is not part of a swarm.')
  if (state.ControlAvailable === true) {
    await ourSwarm(engine, managerId(instances))
    const nodes = await nodesOf(engine)
    const byNode = await tasksByNode(engine, instances, nodes)
    const here = byNode.get(state.NodeID) ?? []
    const others = [...nodes.values()].filter(({ ID, Spec }) => ID !== state.NodeID && Spec.Role === 'manager')
    const affected = (others.length === 0 ? [...byNode.values()].flat() : here).map(({ instance }) => instance)
    if (affected.length > 0)
      throw new ManagerError(
        'ERR_STATE',
        others.length === 0
          ? `"${Name}" is the last manager node of the swarm, in which instances run: ${namesOf(affected)}.`
          : `Instances run on "${Name}": ${namesOf(affected)}.`,
        {
          help:
            others.length === 0
              ? 'Move them to another runtime, or stop and delete them first.'
              : 'Move them to other nodes first.',
          command: others.length === 0 ? 'move --help' : `swarm drain ${Name}`,
        },
      )
    if (others.length > 0) await demote(engine, state.NodeID)
    await engine.ask('POST', '/swarm/leave', { query: { force: others.length === 0 ? 'true' : 'false' } })
    return Name
  }
  // A worker knows nothing of services, but which containers it has itself.
  const filters = JSON.stringify({ label: [swarmLabels.manager], status: ['running'] })
  const found = await engine.ask<readonly { readonly Labels: Readonly<Record<string, string>> }[]>(
    'GET',
    '/containers/json',
    { query: { filters } },
  )
  if (found && found.length > 0)
    throw new ManagerError(
      'ERR_STATE',
      `Instances run on "${Name}": ${namesOf(found.map(({ Labels }) => Labels[labels.instance] ?? ''))}.`,
      { help: `Move them to other nodes first, on a manager node: swarm drain ${Name}.` },
    )
  await engine.ask('POST', '/swarm/leave')
  return Name

  function namesOf(ids: readonly string[]): string {
    return [...new Set(ids)].map(named).join(', ')
  }
}

export interface JoinOptions {
  /** Address of a manager node: `10.0.0.1` or `10.0.0.1:2377`. */
  readonly address: string
  readonly token: string
  /** Address of this machine for other nodes. Default: the engine finds one. */
  readonly advertise?: string | undefined
}

/** @returns name of the machine in the swarm. @throws ManagerError ERR_STATE when it is in one, ERR_FAILED when it is refused */
export async function joinSwarm(
  { socket }: Pick<SwarmPlace, 'socket'>,
  { address, token, advertise }: JoinOptions,
): Promise<string> {
  const engine = createContainerEngine(socket)
  const { Swarm: state, Name } = await engineInfo(engine)
  if (state?.LocalNodeState !== 'inactive')
    throw new ManagerError('ERR_STATE', `"${Name}" is part of a swarm already.`, { command: 'swarm leave' })
  const body = {
    ListenAddr: advertise === undefined ? '0.0.0.0:2377' : `${advertise}:2377`,
    AdvertiseAddr: advertise ?? '',
    RemoteAddrs: [/:\d+$/.test(address) ? address : `${address}:2377`],
    JoinToken: token,
  }
  try {
    await engine.ask('POST', '/swarm/join', { body })
  } catch (error) {
    if (!ManagerError.is(error) || error.code !== 'ERR_FAILED') throw error
    // What the engine says may have the token in it.
    throw new ManagerError(
      'ERR_FAILED',
      `"${Name}" could not join: ${error.message.replaceAll(token, '***').replace(/^.*?: /, '')}`,
      {
        help: 'Check the address, that ports 2377 and 7946 are open between the machines, and that the token is valid.',
      },
    )
  }
  return Name
}

/** What a machine needs to join. */
export async function joinToken({ socket, instances }: SwarmPlace, role: 'worker' | 'manager'): Promise<string> {
  const { JoinTokens } = await ourSwarm(createContainerEngine(socket), managerId(instances))
  return role === 'manager' ? JoinTokens.Manager : JoinTokens.Worker
}

/** @throws ManagerError ERR_NOT_FOUND; ERR_USAGE when several have the name */
function nodeNamed(nodes: ReadonlyMap<string, SwarmNode>, name: string): SwarmNode {
  const all = [...nodes.values()]
  const found = all.filter(({ ID, Description }) => ID === name || Description.Hostname === name)
  const [node] = found
  if (node && found.length === 1) return node
  if (node)
    throw new ManagerError('ERR_USAGE', `${found.length} nodes are named "${name}".`, {
      help: `Use the id: ${found.map(({ ID, Status }) => `${ID} (${Status.State})`).join(', ')}.`,
    })
  throw new ManagerError('ERR_NOT_FOUND', `The swarm has no node "${name}".`, {
    help: `It has: ${all.map(({ Description }) => Description.Hostname).join(', ')}.`,
    command: 'swarm nodes',
  })
}

function setAvailability(
  engine: ContainerEngine,
  id: string,
  Availability: SwarmNode['Spec']['Availability'],
): Promise<void> {
  return change(engine, id, (spec) => ({ ...spec, Availability }))
}

async function change(
  engine: ContainerEngine,
  id: string,
  next: (spec: SwarmNode['Spec']) => SwarmNode['Spec'],
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { Version, Spec } = (await engine.ask<SwarmNode>('GET', `/nodes/${id}`)) as SwarmNode
    try {
      await engine.ask('POST', `/nodes/${id}/update`, { query: { version: String(Version.Index) }, body: next(Spec) })
      return
    } catch (error) {
      // Another one has changed it meanwhile.
      if (tries > 20 || !/out of sequence/.test((error as Error).message)) throw error
      await sleep(50)
    }
  }
}

async function demote(engine: ContainerEngine, id: string): Promise<void> {
  await change(engine, id, (spec) => ({ ...spec, Role: 'worker' }))
  for (let tries = 0; (await engineInfo(engine)).Swarm?.ControlAvailable === true; tries++) {
    if (tries > 300) throw new ManagerError('ERR_FAILED', 'This node could not be made a worker.')
    await sleep(100)
  }
}

/** Tasks of this manager that may have a process, by the ids of their nodes, each with the id of its instance. */
async function tasksByNode(
  engine: ContainerEngine,
  instances: string,
  nodes: ReadonlyMap<string, SwarmNode>,
): Promise<ReadonlyMap<string, readonly { readonly task: Task; readonly instance: string }[]>> {
  const filters = JSON.stringify({ label: [`${swarmLabels.manager}=${managerId(instances)}`] })
  const services = (await engine.ask<readonly Service[]>('GET', '/services', { query: { filters } })) ?? []
  if (services.length === 0) return new Map()
  const instanceOf = new Map(services.map(({ ID, Spec }) => [ID, Spec.Labels[labels.instance] ?? '']))
  const tasks = await tasksOf(engine, [...instanceOf.keys()])
  const live = tasks.filter((task) => isLive(task, nodes))
  return Map.groupBy(
    live.map((task) => ({ task, instance: instanceOf.get(task.ServiceID) ?? '' })),
    ({ task }) => task.NodeID ?? '',
  )
}
