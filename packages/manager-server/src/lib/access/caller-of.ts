import type { Caller } from '@steward/manager-core'
import type { Principal } from './principal.js'

/** What performs actions for a principal; what dead owners left is for workers. */
export function callerOf({ actor, address, grant }: Principal): Caller {
  return { actor, surface: 'api', address, grant, leavesRecovery: true }
}
