import { RestError } from '../../errors.js'
import type { DeleteContext, WriteContext } from '../service/hooks.js'
import { administratorGroup } from './administrator.js'
import { mayDoEverything, refuseLast } from './administrators.js'

/**
 * Keeps the group of administrators out of the reach of others, and in place as long as it is needed. Names of groups are
 * rights (of transitions, of actions): who is not an administrator does not change them.
 */
export async function checkGroup(context: WriteContext): Promise<void> {
  const { principal, values } = context
  const before = (await context.old())?.['grp_name']
  const after = values['grp_name'] ?? before
  const isRenamed = before !== undefined && after !== before
  if (!mayDoEverything(principal)) {
    if (before === administratorGroup || after === administratorGroup) throw refusal()
    if (isRenamed) throw new RestError('ERR_RIGHT', 'Only administrators may rename a group.')
  }
  if (isRenamed && before === administratorGroup) await refuseLast(context, () => true)
}

/** Memberships go first, one by one: they know which of them is the last. */
export function checkGroupDeletion({ principal, record }: DeleteContext): void {
  if (!mayDoEverything(principal) && record['grp_name'] === administratorGroup) throw refusal()
}

function refusal(): RestError {
  return new RestError('ERR_RIGHT', `Only administrators may change the group "${administratorGroup}".`)
}
