import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { specOf } from '../instances/instance-spec.js'
import { runApplicationTask } from './application-process.js'

/**
 * Has the application of an instance, which is stopped, bring its database in step, whatever is lost by that. The start
 * that follows finds nothing to change, and no start after it can lose anything.
 *
 * @throws ManagerError ERR_DATABASE
 */
export async function syncDestructively(context: ManagerContext, instance: Instance, signal: AbortSignal) {
  const { folder, app, data } = context.home.instance(instance.id)
  const { environment } = await specOf(context, instance)
  const options = { app, environment, account: accountAt(folder), home: data, signal }
  const task = ['--sync', '--destructive', '--data', data]
  const { failed, reason, errors } = await runApplicationTask(context, options, task)
  if (failed)
    throw new ManagerError('ERR_DATABASE', reason ?? 'The application server ended before the database was changed.', {
      output: errors,
    })
}
