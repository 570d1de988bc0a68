import { RestError } from '../../errors.js'
import type { DeleteContext, HookContext, WriteContext } from '../service/hooks.js'
import { isAdministrator, mayDoEverything, refuseLast, system } from './administrators.js'
import { checkLogin } from './check-login.js'

/** Keeps administrators out of the reach of others, the last one in place, and logins apart. */
export async function checkUser(context: WriteContext): Promise<void> {
  const { values } = context
  const before = await context.old()
  if (before) await refuseAdministrator(context, before.row_id)
  if (before && opening.some((field) => field in values && values[field] !== before[field]))
    await refuseBeyondGroups(context, before.row_id, 'change the password, e-mail address or activity of')
  await checkLogin(context, before?.['usr_login'] as string | undefined)
  if (before?.['usr_active'] === true && values['usr_active'] === false)
    await refuseLast(context, ({ userId }) => userId === before.row_id)
}

/** Memberships go first, one by one: they know which of them is the last. */
export async function checkUserDeletion(context: DeleteContext): Promise<void> {
  await refuseAdministrator(context, context.record.row_id)
  await refuseBeyondGroups(context, context.record.row_id, 'delete')
}

/** With one of these set, others can sign in as the user. */
const opening = ['usr_password', 'usr_email', 'usr_active']

/** A user who could sign in as another one would have the rights of all groups of that user. */
async function refuseBeyondGroups({ principal, service }: HookContext, userId: string, what: string): Promise<void> {
  if (mayDoEverything(principal) || userId === principal.userId) return
  const filter = { op: '=', field: 'rsp_login_id', value: userId } as const
  const fields = ['rsp_group_id__grp_name']
  for await (const batch of await service.search(system, 'Responsibility', { filter, fields }))
    for (const { rsp_group_id__grp_name: group } of batch)
      if (!principal.groups.includes(String(group)))
        throw new RestError(
          'ERR_RIGHT',
          `Only administrators, and members of all groups of a user, may ${what} the user.`,
        )
}

async function refuseAdministrator(context: HookContext, userId: string): Promise<void> {
  if (!mayDoEverything(context.principal) && (await isAdministrator(context, userId)))
    throw new RestError('ERR_RIGHT', 'Only administrators may change or delete an administrator.')
}
