import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { failureOf } from '../system/failure.js'
import { checkApplication } from './check-application.js'
import { specOf } from './instance-spec.js'
import { problemList } from './problem-list.js'

/**
 * Looks, while an instance runs, whether it could be started again: its application is loaded by its own server, in its
 * environment; nothing is changed.
 *
 * @throws ManagerError ERR_STATE when a start would fail
 */
export async function checkLoads(context: ManagerContext, instance: Instance): Promise<void> {
  const { folder, app } = context.home.instance(instance.id)
  const refused = (why: string, output?: string) =>
    new ManagerError('ERR_STATE', `"${instance.name}" was not restarted and keeps running: ${why}`, {
      help: `Correct this, or get the application back: manager upgrade ${instance.name} --force, or manager restore ${instance.name} --only app`,
      ...(output !== undefined && { output }),
    })
  const { environment } = await specOf(context, instance)
  const checked = await checkApplication(context, { app, environment, account: accountAt(folder) }).catch(
    (error: unknown) => {
      const { message, output } = failureOf(error)
      throw refused(message, output)
    },
  )
  if (checked && checked.problems.length > 0)
    throw refused(`its application cannot be served: ${problemList(checked.problems)}`)
}
