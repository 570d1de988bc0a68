import { RestError } from '../../errors.js'
import { allRights } from '../rights/create-rights.js'
import { systemPrincipal } from '../rights/principal.js'
import type { Principal } from '../rights/rights.js'
import type { HookContext } from '../service/hooks.js'
import { administratorGroup } from './administrator.js'

/** For reads that the caller need not be allowed. */
export const system = systemPrincipal()

/** Whether rights have no limits: administrators, and code that acts on its own. */
export function mayDoEverything({ rights }: Principal): boolean {
  return rights === allRights
}

/** A membership of the group of administrators. */
export interface Membership {
  readonly rowId: string
  readonly userId: string
}

/** Row id of the group that may do everything; `undefined` when it does not exist. */
export async function administratorGroupId({ service }: HookContext): Promise<string | undefined> {
  const filter = { op: '=', field: 'grp_name', value: administratorGroup } as const
  for await (const [group] of await service.search(system, 'Group', { filter, fields: [], page: 0, pageSize: 1 }))
    return group?.row_id
  return undefined
}

export async function isAdministrator(context: HookContext, userId: string): Promise<boolean> {
  return (await memberships(context)).some((membership) => membership.userId === userId)
}

/**
 * Refuses what would leave no user who may do everything. The caller waits for others who have asked in a transaction
 * that is not over, so that two administrators cannot remove each other.
 *
 * @param goes which memberships end, or stop to count.
 * @throws RestError ERR_CONFLICT
 */
export async function refuseLast(context: HookContext, goes: (membership: Membership) => boolean): Promise<void> {
  const groupId = await administratorGroupId(context)
  if (groupId === undefined || !(await activeAmong(context, (await memberships(context)).filter(goes)))) return
  await context.service.get(system, 'Group', groupId, { fields: ['grp_name'], lock: true })
  if (
    await activeAmong(
      context,
      (await memberships(context)).filter((membership) => !goes(membership)),
    )
  )
    return
  throw new RestError(
    'ERR_CONFLICT',
    'This would remove the last active administrator. Make another user an administrator first.',
  )
}

async function memberships({ service }: HookContext): Promise<Membership[]> {
  const filter = { op: '=', field: 'rsp_group_id__grp_name', value: administratorGroup } as const
  const found: Membership[] = []
  for await (const batch of await service.search(system, 'Responsibility', { filter, fields: ['rsp_login_id'] }))
    found.push(...batch.map((record) => ({ rowId: record.row_id, userId: record['rsp_login_id'] as string })))
  return found
}

async function activeAmong({ service }: HookContext, members: readonly Membership[]): Promise<boolean> {
  if (members.length === 0) return false
  const active = { op: '=', field: 'usr_active', value: true } as const
  const among = { op: 'in', field: 'row_id', values: members.map(({ userId }) => userId) } as const
  return (await service.count(system, 'User', { filter: { op: 'and', terms: [active, among] } })).count > 0
}
