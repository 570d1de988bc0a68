import { ManagerError } from '../../errors.js'
import type { QualityModule } from './quality-server.js'

/**
 * The modules of these names; all when none is named.
 *
 * @throws ManagerError ERR_NOT_FOUND that lists the known ones
 */
export function chooseModules(all: readonly QualityModule[], names: readonly string[]): readonly QualityModule[] {
  if (names.length === 0) return all
  return [...new Set(names)].map((name) => {
    const found = all.find((module) => module.name === name)
    if (found) return found
    const known = all.map((module) => module.name).join(', ')
    throw new ManagerError('ERR_NOT_FOUND', `Unknown module "${name}".`, {
      help: `The application has: ${known}. A module is a folder of the application with objects or code; app is what lies beside app.yaml.`,
    })
  })
}
