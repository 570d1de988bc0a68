import { uptime } from 'node:os'
import { bootId } from './process-identity.js'

/** How long the machine has been running, whatever its clock shows. */
export interface Uptime {
  /** Identifies the boot. */
  readonly boot: string
  readonly seconds: number
}

export function systemUptime(): Uptime {
  return { boot: bootId(), seconds: uptime() }
}
