import { createSaveSteps } from '../../backup/save-steps.js'
import type { Step } from '../operation.js'

export interface SaveStepsOptions {
  readonly instance: { readonly id: string; readonly name: string }
  /** Home of the instance. */
  readonly folder: string
  /** Folder of the backup: absolute, not there yet. */
  readonly target: string
  /** See `Backup.key`; its last part will do. */
  readonly backup: string
  /** Freeze it while files are read. */
  readonly suspend: boolean
}

/** Dumps the database and packs the files into `target`, verifies by reading, writes the manifest; undo removes it. */
export function saveSteps(options: SaveStepsOptions): readonly Step[] {
  return createSaveSteps(options)
}

/**
 * Puts a backup's data (database and files) in the place of the instance's; undo puts back what was there. The instance
 * is stopped.
 */
export function restoreDataSteps(options: {
  readonly instance: { readonly id: string; readonly name: string }
  readonly folder: string
  /** Folder of the backup: absolute. */
  readonly backup: string
  /** `data` also leaves the application as it is. */
  readonly parts: 'all' | 'data' | 'app'
}): readonly Step[] {
  throw new Error(`Not there yet: ${options.backup}`)
}
