import { instanceSettingsOf } from './instance-settings.js'
import { readShellSettings } from './read-shell-settings.js'
import { settingsFile } from './settings-file.js'
import type { InstanceSettings } from './settings.js'
import { instanceTable } from './tables/instance.js'

/**
 * What a `settings.sh` of an instance says.
 *
 * @param shown how errors call it
 * @throws ManagerError ERR_SETTINGS
 */
export function parseInstanceSettings(text: string, shown: string): InstanceSettings {
  const { values, others } = settingsFile(instanceTable, readShellSettings(text, { file: shown }), shown)
  return instanceSettingsOf(values, others)
}
