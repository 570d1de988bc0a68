import { ManagerError } from '../../../errors.js'
import type { ContainerEngine } from '../container/engine.js'
import { swarmLabels } from './names.js'

/** The engine's description of its swarm, as far as it is used. */
export interface Swarm {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly Spec: {
    readonly Labels?: Readonly<Record<string, string>> | null
    readonly Dispatcher?: { readonly HeartbeatPeriod?: number }
    readonly Orchestration?: { readonly TaskHistoryRetentionLimit?: number }
    readonly [name: string]: unknown
  }
  readonly JoinTokens: { readonly Worker: string; readonly Manager: string }
}

interface EngineInfo {
  readonly Name: string
  readonly Swarm?: {
    readonly NodeID?: string
    readonly LocalNodeState?: string
    readonly ControlAvailable?: boolean
    readonly Error?: string
    readonly Nodes?: number
  }
}

export async function engineInfo(engine: ContainerEngine): Promise<EngineInfo> {
  return (await engine.ask<EngineInfo>('GET', '/info')) as EngineInfo
}

/**
 * The swarm of this engine, whichever manager it belongs to.
 *
 * @throws ManagerError ERR_STATE when there is none, or the engine is not a manager node of it
 */
export async function swarmOf(engine: ContainerEngine): Promise<Swarm> {
  const { Swarm: state, Name } = await engineInfo(engine)
  if (state?.LocalNodeState === 'inactive' || state?.LocalNodeState === undefined)
    throw new ManagerError('ERR_STATE', `The container engine at ${engine.socket} is not part of a swarm.`, {
      help: 'Create a swarm, or add this machine to one with the join token of a manager node.',
      command: 'swarm init',
    })
  if (state.LocalNodeState === 'locked')
    throw new ManagerError('ERR_STATE', `The swarm of ${Name} is locked.`, { help: 'Unlock it: docker swarm unlock' })
  if (state.LocalNodeState === 'active' && state.ControlAvailable !== true)
    throw new ManagerError(
      'ERR_STATE',
      `${Name} is a worker of its swarm, not a manager node: it cannot change services.`,
      {
        help: 'Use Steward on a manager node, or promote this one there: docker node promote ' + Name,
      },
    )
  try {
    return (await engine.ask<Swarm>('GET', '/swarm')) as Swarm
  } catch (error) {
    if (!ManagerError.is(error) || error.code !== 'ERR_FAILED') throw error
    throw new ManagerError(
      'ERR_STATE',
      `The swarm of ${Name} cannot be changed now: ${error.message.replace(/^.*?: /, '')}`,
      {
        cause: error,
        help: 'More than half of its manager nodes must run and reach each other. Services keep running meanwhile.',
      },
    )
  }
}

/**
 * The same, of this manager.
 *
 * @throws ManagerError ERR_STATE also when it belongs to another manager, or to none
 */
export async function ourSwarm(engine: ContainerEngine, manager: string): Promise<Swarm> {
  const swarm = await swarmOf(engine)
  const owner = swarm.Spec.Labels?.[swarmLabels.manager]
  if (owner === undefined)
    throw new ManagerError('ERR_STATE', 'The swarm of this machine is not managed by Steward yet.', {
      help: 'Let this manager use it. Services that others made in it are not touched.',
      command: 'swarm init',
    })
  if (owner !== manager)
    throw new ManagerError(
      'ERR_STATE',
      `The swarm belongs to another manager: ${swarm.Spec.Labels?.[swarmLabels.machine] ?? 'of an unknown machine'}.`,
      {
        help: 'A swarm has one manager. Use that one; if it is permanently lost, take the swarm over.',
        command: 'swarm init --take-over',
      },
    )
  return swarm
}
