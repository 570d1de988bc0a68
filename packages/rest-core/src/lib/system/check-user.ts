import { RestError } from '../../errors.js'
import type { DeleteContext, HookContext, WriteContext } from '../service/hooks.js'
import { isAdministrator, mayDoEverything, refuseLast } from './administrators.js'
import { checkLogin } from './check-login.js'

/** Keeps administrators out of the reach of others, the last one in place, and logins apart. */
export async function checkUser(context: WriteContext): Promise<void> {
  const { values } = context
  const before = await context.old()
  if (before) await refuseAdministrator(context, before.row_id)
  await checkLogin(context, before?.['usr_login'] as string | undefined)
  if (before?.['usr_active'] === true && values['usr_active'] === false)
    await refuseLast(context, ({ userId }) => userId === before.row_id)
}

/** Memberships go first, one by one: they know which of them is the last. */
export async function checkUserDeletion(context: DeleteContext): Promise<void> {
  await refuseAdministrator(context, context.record.row_id)
}

async function refuseAdministrator(context: HookContext, userId: string): Promise<void> {
  if (!mayDoEverything(context.principal) && (await isAdministrator(context, userId)))
    throw new RestError('ERR_RIGHT', 'Only administrators may change or delete an administrator.')
}
