import { existsSync } from 'node:fs'
import { ManagerError } from '../../../errors.js'
import { foreignOwner } from '../../accounts/foreign.js'
import { programPath } from '../../system/run.js'
import { commandOfPackage, managersCommand } from '../resolve-package.js'

/** A program and the arguments before its own. */
export type Scanner = readonly [program: string, ...before: readonly string[]]

/**
 * The vendor's scanner, which is not part of the manager: APPS_QUALITY_SCANNER, else a program in the PATH, else the package
 * `@sonar/scan` that the application or the manager has. It runs as the manager's user: of an application with an account
 * of its own it is not taken.
 *
 * @param setting absolute path
 * @throws ManagerError ERR_STATE with what to do when there is none
 */
export function findScanner(setting: string | undefined, app: string): Scanner {
  if (setting !== undefined) {
    if (existsSync(setting)) return [setting]
    throw new ManagerError('ERR_SETTINGS', `APPS_QUALITY_SCANNER: ${setting} does not exist.`, {
      help: 'Give the path of sonar-scanner, or remove the setting.',
    })
  }
  const program = programPath('sonar-scanner') ?? programPath('sonar-scanner-npm')
  if (program !== undefined) return [program]
  const [name, bin] = ['@sonar/scan', 'sonar']
  const command = foreignOwner(app) === undefined ? commandOfPackage(name, bin, app) : managersCommand(name, bin)
  if (command !== undefined) return [process.execPath, command]
  throw new ManagerError('ERR_STATE', 'There is no SonarQube scanner on this machine.', {
    help: 'Install it with "npm install -g @sonar/scan", or set APPS_QUALITY_SCANNER to the path of sonar-scanner.',
  })
}
