import { accountAt } from '../accounts/account.js'
import { specOf } from '../application/instance-spec.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { allowedForHooks, hookEnvironment } from '../hooks/hook-environment.js'
import { isOfApplication } from '../settings/foreign-settings.js'

/**
 * What a shell of an instance has in its environment: that of its application server, with secrets, and what hooks get.
 * Without an account of the instance the shell belongs to the operator, and has no variables that programs take for theirs.
 */
export async function shellEnvironment(
  context: ManagerContext,
  instance: Instance,
): Promise<Readonly<Record<string, string>>> {
  const { folder } = context.home.instance(instance.id)
  const { environment } = await specOf(context, instance)
  const { USER: _, ...settings } = await hookEnvironment(context, instance)
  // Commands of the manager in it know whom they are about.
  const own = { APPS_HOME: context.home.folder, STEWARD_INSTANCE: instance.name }
  if (accountAt(folder)) return { ...settings, ...environment, ...own }
  const { others } = await context.settings.instance(folder)
  const isAllowed = (name: string) => !Object.hasOwn(others, name) || isOfApplication(name)
  const allowed = Object.entries(environment).filter(([name]) => isAllowed(name))
  return { ...allowedForHooks(settings), ...Object.fromEntries(allowed), ...own }
}
