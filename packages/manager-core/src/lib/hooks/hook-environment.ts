import type { ManagerContext } from '../context.js'
import { instanceVariables } from '../settings/instance-variables.js'

/**
 * What hooks of an instance find in their environment beside the manager's variables: `USER`, the instance's name, and
 * its settings (`SERVICE_URL`, `SERVICE_USER`, `SERVICE_PASSWORD` …). Source: requirements, "Events".
 */
export async function hookEnvironment(
  context: ManagerContext,
  { id, name }: { readonly id: string; readonly name: string },
  folder: string = context.home.instance(id).folder,
): Promise<Readonly<Record<string, string>>> {
  const instance = context.registry.byId(id)
  const version = instance && (await context.settings.version(instance.version))
  return {
    USER: name,
    ...instanceVariables(await context.settings.instance(folder)),
    ...(version && { SERVICE_AUTOUPGRADE: String(version.autoUpgrade) }),
  }
}
