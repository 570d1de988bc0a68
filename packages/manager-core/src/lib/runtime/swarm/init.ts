import { hostname } from 'node:os'
import { ManagerError } from '../../../errors.js'
import { createContainerEngine, type ContainerEngine } from '../container/engine.js'
import { managerId, swarmLabels } from './names.js'
import { engineInfo, swarmOf, type Swarm } from './swarm.js'

export interface SwarmPlace {
  /** Socket of the engine of this machine. */
  readonly socket: string
  /** Folder of the instances of this manager. */
  readonly instances: string
}

export interface InitOptions {
  /** Address of this machine for other nodes. Default: the engine finds one. */
  readonly advertise?: string | undefined
  /** From a manager that is lost. */
  readonly takeOver?: boolean
}

/** How often a node must say that it is there, in ns: one that is silent for three times as long is taken as lost. */
const heartbeat = 1e9

/**
 * Makes a swarm of which this machine is the first node, unless it is a manager node of one, and takes it for this manager. May be
 * repeated.
 *
 * @returns whether it was made
 * @throws ManagerError ERR_STATE when it belongs to another manager
 */
export async function initSwarm(
  { socket, instances }: SwarmPlace,
  { advertise, takeOver = false }: InitOptions = {},
): Promise<boolean> {
  const engine = createContainerEngine(socket)
  const { Swarm: state } = await engineInfo(engine)
  const isNew = state?.LocalNodeState === 'inactive'
  if (isNew) {
    const body = {
      ListenAddr: advertise === undefined ? '0.0.0.0:2377' : `${advertise}:2377`,
      AdvertiseAddr: advertise ?? '',
    }
    await engine.ask('POST', '/swarm/init', { body })
  }
  await take(engine, await swarmOf(engine), { manager: managerId(instances), instances, takeOver })
  return isNew
}

async function take(
  engine: ContainerEngine,
  { Version, Spec }: Swarm,
  {
    manager,
    instances,
    takeOver,
  }: { readonly manager: string; readonly instances: string; readonly takeOver: boolean },
): Promise<void> {
  const owner = Spec.Labels?.[swarmLabels.manager]
  if (owner === manager) return
  if (owner !== undefined && !takeOver)
    throw new ManagerError(
      'ERR_STATE',
      `The swarm belongs to another manager: ${Spec.Labels?.[swarmLabels.machine] ?? 'of an unknown machine'}.`,
      {
        help: 'A swarm has one manager. Use that one; if it is permanently lost, take the swarm over.',
        command: 'swarm init --take-over',
      },
    )
  const Labels = {
    ...Spec.Labels,
    [swarmLabels.manager]: manager,
    [swarmLabels.machine]: `${instances} on ${hostname()}`,
  }
  const body = { ...Spec, Labels, Dispatcher: { ...Spec.Dispatcher, HeartbeatPeriod: heartbeat } }
  await engine.ask('POST', '/swarm/update', { query: { version: String(Version.Index) }, body })
}
