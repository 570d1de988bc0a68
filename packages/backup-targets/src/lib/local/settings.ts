import { isAbsolute } from 'node:path'
import { TargetError } from '../target-error.js'

export interface LocalSettings {
  /** Absolute path of a folder that is there; objects are files below it, named by their keys. */
  readonly path: string
}

/** @throws TargetError ERR_TARGET_SETTINGS */
export function readSettings({ path = '' }: Readonly<Record<string, string>>): LocalSettings {
  if (isAbsolute(path)) return { path }
  throw new TargetError('ERR_TARGET_SETTINGS', `The path ${JSON.stringify(path)} of a local target is not absolute.`)
}
