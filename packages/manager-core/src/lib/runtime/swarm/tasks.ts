import type { Observed } from '../../domain/instance.js'
import type { ContainerEngine } from '../container/engine.js'
import { exitOf } from '../run-files.js'
import type { Observation } from '../runtime.js'

/** One run of a copy of an instance on a node, as the engine describes it. */
export interface Task {
  readonly ID: string
  readonly ServiceID: string
  readonly NodeID?: string
  readonly DesiredState: string
  readonly Spec: { readonly ForceUpdate?: number }
  readonly Status: {
    readonly State: string
    readonly Timestamp: string
    readonly Err?: string
    readonly Message?: string
    readonly ContainerStatus?: { readonly ContainerID?: string; readonly ExitCode?: number }
    readonly PortStatus?: { readonly Ports?: readonly { readonly PublishedPort?: number }[] }
  }
}

export interface SwarmNode {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly Spec: {
    readonly Role: 'worker' | 'manager'
    readonly Availability: 'active' | 'pause' | 'drain'
    readonly Labels?: Readonly<Record<string, string>> | null
  }
  readonly Description: {
    readonly Hostname: string
    readonly Resources?: { readonly NanoCPUs?: number }
    readonly Engine?: { readonly EngineVersion?: string }
  }
  readonly Status: { readonly State: string; readonly Addr?: string; readonly Message?: string }
  readonly ManagerStatus?: { readonly Leader?: boolean; readonly Addr?: string }
}

export interface Service {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly Spec: ServiceSpec
  readonly UpdateStatus?: { readonly State?: string; readonly Message?: string }
}

export interface ServiceSpec {
  readonly Name: string
  readonly Labels: Readonly<Record<string, string>>
  readonly Mode: { readonly Replicated: { readonly Replicas: number } }
  readonly TaskTemplate: { readonly ForceUpdate?: number; readonly [name: string]: unknown }
  readonly [name: string]: unknown
}

/** States that a task does not leave. */
const ended: ReadonlySet<string> = new Set(['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'])
const failures: ReadonlySet<string> = new Set(['complete', 'failed', 'rejected'])

export async function nodesOf(engine: ContainerEngine): Promise<ReadonlyMap<string, SwarmNode>> {
  const nodes = (await engine.ask<readonly SwarmNode[]>('GET', '/nodes')) ?? []
  return new Map(nodes.map((node) => [node.ID, node]))
}

/** Tasks of these services, by their names or ids; of all services when none are given. */
export async function tasksOf(engine: ContainerEngine, services: readonly string[] = []): Promise<readonly Task[]> {
  const query = services.length > 0 ? { filters: JSON.stringify({ service: services }) } : undefined
  return (await engine.ask<readonly Task[]>('GET', '/tasks', { ...(query && { query }), besides: [404] })) ?? []
}

/** Address under which other machines reach a node; undefined: it has none. */
export function addressOf({ Status, ManagerStatus }: SwarmNode): string | undefined {
  const all = [Status.Addr, ManagerStatus?.Addr?.replace(/:\d+$/, '')]
  return all.find((each) => each !== undefined && each !== '' && each !== '0.0.0.0')
}

/** Whether it may have a process: those on a node that is lost are unknown. */
export function isLive({ Status, NodeID }: Task, nodes: ReadonlyMap<string, SwarmNode>): boolean {
  const node = NodeID === undefined || NodeID === '' ? undefined : nodes.get(NodeID)
  return !ended.has(Status.State) && node !== undefined && node.Status.State !== 'down'
}

/** Whether it serves, as far as the swarm knows. */
export function isServing(task: Task, nodes: ReadonlyMap<string, SwarmNode>): boolean {
  return task.Status.State === 'running' && task.DesiredState === 'running' && isLive(task, nodes)
}

/** Tasks since the service was started last. */
export function sinceStart({ Spec }: Pick<Service, 'Spec'>, tasks: readonly Task[]): readonly Task[] {
  const start = Spec.TaskTemplate.ForceUpdate ?? 0
  return tasks.filter((task) => (task.Spec.ForceUpdate ?? 0) === start)
}

export function stateOf(
  service: Service,
  tasks: readonly Task[],
  { nodes, limit }: { readonly nodes: ReadonlyMap<string, SwarmNode>; readonly limit: number },
): Observed {
  const current = sinceStart(service, tasks)
  if (service.Spec.Mode.Replicated.Replicas === 0)
    return tasks.some((task) => isLive(task, nodes)) ? 'started' : 'stopped'
  if (current.some((task) => isServing(task, nodes))) return 'started'
  return !current.some(mayCome) && failed(current).length >= limit ? 'crashed' : 'starting'
}

/** Tasks that ended by themselves, the last one first. */
export function failed(tasks: readonly Task[]): readonly Task[] {
  return tasks
    .filter(({ Status }) => failures.has(Status.State))
    .toSorted((a, b) => (a.Status.Timestamp < b.Status.Timestamp ? 1 : -1))
}

/**
 * Whether the swarm gave a service up although its application never ended: nodes could not start its last task, because
 * a disk was full, its image could not be fetched, or the like.
 */
export function wasRefused(service: Service, tasks: readonly Task[], nodes: ReadonlyMap<string, SwarmNode>): boolean {
  const current = sinceStart(service, tasks)
  const [last] = failed(current)
  const { State = 'completed' } = service.UpdateStatus ?? {}
  return (
    service.Spec.Mode.Replicated.Replicas > 0 &&
    ['completed', 'rollback_completed'].includes(State) &&
    !current.some((task) => isServing(task, nodes) || mayCome(task)) &&
    last !== undefined &&
    hadNoProcess(last)
  )
}

function mayCome({ Status, DesiredState }: Task): boolean {
  return !ended.has(Status.State) && DesiredState !== 'shutdown'
}

/** A task whose process has ended has its exit code in the error: `task: non-zero exit (1)`. */
function hadNoProcess({ Status: { State, Err = '' } }: Task): boolean {
  return State === 'rejected' || (State === 'failed' && Err !== '' && !Err.startsWith('task: non-zero exit'))
}

export function lastExitOf(tasks: readonly Task[]): Pick<Observation, 'lastExit'> {
  const [last] = failed(tasks)
  if (!last) return {}
  const { Timestamp, Err, ContainerStatus, State } = last.Status
  const at = new Date(Timestamp).toISOString()
  // Refused before it had a process: its image, a mount, a port.
  if (State === 'rejected')
    return { lastExit: { at, ...(Err !== undefined && { reason: `was refused by its node: ${Err}` }) } }
  return { lastExit: { ...exitOf(ContainerStatus?.ExitCode ?? 0), at } }
}
