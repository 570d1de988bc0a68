import type { Home } from '../domain/home.js'
import { isOfApplication } from '../settings/foreign-settings.js'
import { instanceVariables } from '../settings/instance-variables.js'
import { instanceTable } from '../settings/tables/instance.js'
import type { Settings } from '../settings/settings.js'
import type { Registry } from '../store/registry.js'

export interface HookContext {
  readonly home: Home
  readonly registry: Registry
  readonly settings: Settings
}

/**
 * What hooks of an instance find in their environment beside the manager's variables: `USER`, the instance's name, and
 * its settings (`SERVICE_URL`, `SERVICE_USER`, `SERVICE_PASSWORD` …). Source: docs/spec/instances-manager.md, "Events".
 */
export async function hookEnvironment(
  context: HookContext,
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

/**
 * What of an instance's variables may reach a program that has the rights of the manager, whatever its settings file says:
 * `USER`, those of the manager's table, and names of the application that no program takes for its own. A shell runs the
 * file that `BASH_ENV` names before the hook, and the dynamic linker the code of `LD_PRELOAD`.
 */
export function allowedForHooks(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isAllowed = (name: string) => name === 'USER' || Object.hasOwn(instanceTable, name) || isOfApplication(name)
  return Object.fromEntries(Object.entries(variables).filter(([name]) => isAllowed(name)))
}
