import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { ManagerError } from '../../../errors.js'
import type { ServiceSpec } from './tasks.js'

/** By which a swarm, and all that is in it, is known as this manager's; see also those of containers. */
export const swarmLabels = {
  /** On a swarm, a service, a secret. */
  manager: 'steward.manager',
  /** Machine and folder of that manager, for people. */
  machine: 'steward.machine',
  /** Id of the change that replaced its tasks last. */
  roll: 'steward.roll',
  /** Limits that were set, as JSON. */
  limits: 'steward.limits',
} as const

const machineIdFile = '/etc/machine-id'

/** Identifies the manager of a home on this machine; the same path on another machine is another manager. */
export function managerId(instances: string): string {
  const machine = existsSync(machineIdFile) ? readFileSync(machineIdFile, 'utf8').trim() : hostname()
  return createHash('sha256').update(`${machine} ${instances}`).digest('hex').slice(0, 12)
}

/** @throws ManagerError ERR_STATE for what has the name by chance */
export function assertOurService(name: string, manager: string, found: ServiceSpec['Labels'] | null | undefined): void {
  if (found?.[swarmLabels.manager] === manager) return
  throw new ManagerError(
    'ERR_STATE',
    `The service "${name}" exists in the swarm, but does not belong to this manager.`,
    {
      help: `See "docker service inspect ${name}". Use the manager that created it, or remove it.`,
    },
  )
}
