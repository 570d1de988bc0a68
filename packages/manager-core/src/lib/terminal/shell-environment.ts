import { specOf } from '../application/instance-spec.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { hookEnvironment } from '../hooks/hook-environment.js'

/** What a shell of an instance has in its environment: that of its application server, with secrets, and what hooks get. */
export async function shellEnvironment(
  context: ManagerContext,
  instance: Instance,
): Promise<Readonly<Record<string, string>>> {
  const { environment } = await specOf(context, instance)
  const { USER: _, ...settings } = await hookEnvironment(context, instance)
  // Commands of the manager in it know whom they are about.
  return { ...settings, ...environment, APPS_HOME: context.home.folder, STEWARD_INSTANCE: instance.name }
}
