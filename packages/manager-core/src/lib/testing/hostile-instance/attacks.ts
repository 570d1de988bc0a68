import type { Attack } from './attack.js'
import { databaseAttacks } from './databases.js'
import { linkAttacks } from './links.js'
import { logAttacks } from './logs.js'
import { packageAttacks } from './packages.js'
import { pipeAttacks } from './pipes-and-devices.js'
import { portAttacks } from './ports.js'
import { processAttacks } from './processes.js'
import { raceAttacks } from './races.js'
import { terminalAttacks } from './terminals.js'

/** What hostile code of an instance does, by groups. */
export const attacks: readonly Attack[] = [
  ...linkAttacks,
  ...pipeAttacks,
  ...logAttacks,
  ...packageAttacks,
  ...terminalAttacks,
  ...portAttacks,
  ...databaseAttacks,
  ...processAttacks,
  ...raceAttacks,
]

export const groups: ReadonlyMap<string, readonly Attack[]> = Map.groupBy(attacks, ({ group }) => group)
