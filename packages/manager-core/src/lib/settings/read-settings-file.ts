import { readFileSync, statSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import { readShellSettings, type Assignment } from './read-shell-settings.js'
import type { Lookup } from './shell-word.js'

const maxBytes = 256 * 1024

interface ReadFileOptions {
  /** How errors call it. */
  readonly shown?: string
  /** See `readShellSettings`. */
  readonly wrong?: (error: ManagerError) => void
}

/**
 * Reads a settings file, see `readShellSettings`.
 *
 * @returns undefined when it is not there.
 * @throws ManagerError ERR_SETTINGS when it cannot be read or holds something else than settings.
 */
export function readSettingsFile(
  file: string,
  lookup?: Lookup,
  { shown = file, wrong }: ReadFileOptions = {},
): readonly Assignment[] | undefined {
  let text: string
  try {
    const content = contentOf(file, shown)
    if (content === undefined) return undefined
    text = textOf(content, shown)
  } catch (error) {
    if (!wrong || !ManagerError.is(error)) throw error
    wrong(error)
    return []
  }
  return readShellSettings(text, { file: shown, lookup, ...(wrong && { wrong }) })
}

/** Undefined: it is not there. */
function contentOf(file: string, shown: string): Buffer | undefined {
  try {
    const stats = statSync(file)
    if (!stats.isFile()) throw new ManagerError('ERR_SETTINGS', `${shown} is not a file.`)
    if (stats.size > maxBytes)
      throw new ManagerError('ERR_SETTINGS', `${shown} is too long for settings: ${stats.size} bytes.`)
    return readFileSync(file)
  } catch (error) {
    if (ManagerError.is(error)) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const help =
      code === 'EACCES' ? { help: 'It belongs to another user. Run the manager as the owner of the home.' } : {}
    throw new ManagerError('ERR_SETTINGS', `${shown} cannot be read: ${message}.`, { cause: error, ...help })
  }
}

function textOf(content: Buffer, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (error) {
    throw new ManagerError('ERR_SETTINGS', `${shown} is not written in UTF-8.`, { cause: error })
  }
}
