import { readFileSync, statSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import { readShellSettings, type Assignment } from './read-shell-settings.js'
import type { Lookup } from './shell-word.js'

const maxBytes = 256 * 1024

/**
 * Reads a settings file, see `readShellSettings`.
 *
 * @param shown how errors call it
 * @returns undefined when it is not there.
 * @throws ManagerError ERR_SETTINGS when it cannot be read or holds something else than settings.
 */
export function readSettingsFile(file: string, lookup?: Lookup, shown = file): readonly Assignment[] | undefined {
  let content: Buffer
  try {
    const stats = statSync(file)
    if (!stats.isFile()) throw new ManagerError('ERR_SETTINGS', `${shown} is not a file.`)
    if (stats.size > maxBytes)
      throw new ManagerError('ERR_SETTINGS', `${shown} is too long for settings: ${stats.size} bytes.`)
    content = readFileSync(file)
  } catch (error) {
    if (ManagerError.is(error)) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const help =
      code === 'EACCES' ? { help: 'It belongs to another user. Run the manager as the owner of the home.' } : {}
    throw new ManagerError('ERR_SETTINGS', `${shown} cannot be read: ${message}.`, { cause: error, ...help })
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (error) {
    throw new ManagerError('ERR_SETTINGS', `${shown} is not written in UTF-8.`, { cause: error })
  }
  return readShellSettings(text, { file: shown, lookup })
}
