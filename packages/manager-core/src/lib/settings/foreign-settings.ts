import { instanceSettingsOf } from './instance-settings.js'
import { isTakenByPrograms } from './instance-variable.js'
import type { Assignment } from './read-shell-settings.js'
import { settingsFile } from './settings-file.js'
import type { InstanceSettings, Settings } from './settings.js'
import { instanceTable } from './tables/instance.js'
import type { Variable } from './variable.js'

/** Settings that came from elsewhere. */
export interface ForeignSettings {
  readonly settings: InstanceSettings
  /** Names of variables that were left out, sorted. */
  readonly dropped: readonly string[]
}

/**
 * Settings that the manager has not written, without what affects more than the instance: variables that programs take for
 * their own, that the manager has for hooks and all instances, and those that only an administrator of the whole manager
 * may change.
 *
 * @param shown how errors call the file
 * @throws ManagerError ERR_SETTINGS
 */
export function foreignSettings(
  assignments: readonly Assignment[],
  shown: string,
  settings: Pick<Settings, 'environment'>,
): ForeignSettings {
  const shared = settings.environment()
  const isKept = ({ name }: Assignment) =>
    Object.hasOwn(instanceTable, name)
      ? isOfInstance(name as keyof typeof instanceTable)
      : isOfApplication(name) && !Object.hasOwn(shared, name)
  const { values, others } = settingsFile(instanceTable, assignments.filter(isKept), shown)
  const dropped = assignments.filter((one) => !isKept(one)).map(({ name }) => name)
  return { settings: instanceSettingsOf(values, others), dropped: [...new Set(dropped)].toSorted() }
}

/** The heap stays: the memory limit bounds it. */
function isOfInstance(name: keyof typeof instanceTable): boolean {
  const { change }: Variable = instanceTable[name]
  return name.startsWith('SERVICE_TOMCAT') || !change || 'not' in change || !change.needs.includes('admin')
}

/** Whether it is a variable that the application alone uses. */
export function isOfApplication(name: string): boolean {
  return /^[A-Za-z]\w{0,99}$/.test(name) && !/^(?:APPS|SERVICE)_/i.test(name) && !isTakenByPrograms(name)
}
