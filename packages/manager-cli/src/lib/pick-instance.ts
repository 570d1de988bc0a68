import { isCancel, select } from '@clack/prompts'
import { fullGrant } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import type { Manager } from '@steward/manager-core'
import { printable } from './output/text.js'
import { actorOf } from './run-call.js'
import type { Surroundings } from './surroundings.js'

/** More are easier typed than looked for. */
const most = 20

/**
 * Asks which instance is meant.
 *
 * @returns its name; undefined when there are none, too many to choose from, or they cannot be listed
 * @throws ManagerError ERR_CONFIRMATION when the user cancels
 */
export async function pickInstance(manager: Manager, surroundings: Surroundings): Promise<string | undefined> {
  // What keeps them from being listed is reported by the command, when a name is given.
  const found = await manager
    .perform('list', { measure: false }, { actor: actorOf(surroundings), surface: 'cli', grant: fullGrant })
    .then(({ list }) => list as readonly { readonly name: string; readonly state: string }[])
    .catch(() => [])
  if (found.length === 0 || found.length > most) return undefined
  const name = await select({
    input: surroundings.stdin,
    output: surroundings.stderr,
    message: 'Which instance?',
    options: found.map((one) => ({ value: one.name, label: printable(one.name), hint: one.state })),
  })
  if (isCancel(name)) throw new ManagerError('ERR_CONFIRMATION', 'Nothing was done.')
  return name
}
