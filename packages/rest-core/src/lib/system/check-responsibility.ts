import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import type { Principal } from '../rights/rights.js'
import type { DeleteContext, WriteContext } from '../service/hooks.js'
import { administratorGroup } from './administrator.js'
import { mayDoEverything, refuseLast, system } from './administrators.js'

/**
 * A user who is not an administrator adds users only to groups that he is in himself, and takes them out of no other: no user
 * gives rights that he does not have, nor gets a user whose password others may set by taking groups away.
 * The last active administrator stays one.
 */
export async function checkResponsibility(context: WriteContext): Promise<void> {
  const { principal, values, service } = context
  const before = await context.old()
  const { rsp_login_id: userId = before?.['rsp_login_id'], rsp_group_id: groupId = before?.['rsp_group_id'] } = values
  const isMoved = before !== undefined && (userId !== before['rsp_login_id'] || groupId !== before['rsp_group_id'])
  if (!mayDoEverything(principal)) {
    if (before?.['rsp_group_id__grp_name'] === administratorGroup) throw refusal()
    if (isMoved) refuseForeign(principal, before['rsp_group_id__grp_name'])
    const name = typeof groupId === 'string' && groupId !== '' ? await nameOf(service, groupId) : undefined
    if (name === administratorGroup) throw refusal()
    if (name !== undefined && (isMoved || !before) && !principal.groups.includes(name))
      throw new RestError('ERR_RIGHT', `Only administrators, and members of "${name}", may put users into this group.`)
  }
  if (isMoved && before['rsp_group_id__grp_name'] === administratorGroup)
    await refuseLast(context, ({ rowId }) => rowId === before.row_id)
}

export async function checkResponsibilityDeletion(context: DeleteContext): Promise<void> {
  const { principal, record } = context
  const group = record['rsp_group_id__grp_name']
  if (!mayDoEverything(principal)) {
    if (group === administratorGroup) throw refusal()
    return refuseForeign(principal, group)
  }
  if (group !== administratorGroup) return
  await refuseLast(context, ({ rowId }) => rowId === record.row_id)
}

function refuseForeign({ groups }: Principal, group: FieldValue | undefined): void {
  if (!groups.includes(String(group)))
    throw new RestError(
      'ERR_RIGHT',
      `Only administrators, and members of "${String(group)}", may take users out of this group.`,
    )
}

/** A group that does not exist is refused as a missing row. */
async function nameOf(service: WriteContext['service'], groupId: string): Promise<string | undefined> {
  const filter = { op: '=', field: 'row_id', value: groupId } as const
  for await (const [group] of await service.search(system, 'Group', { filter, fields: ['grp_name'] }))
    return group?.['grp_name'] as string | undefined
  return undefined
}

function refusal(): RestError {
  return new RestError('ERR_RIGHT', 'Only administrators may say who is an administrator.')
}
