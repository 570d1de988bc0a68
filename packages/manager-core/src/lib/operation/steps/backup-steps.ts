import { createSaveSteps } from '../../backup/save-steps.js'
import { createRestoreDataSteps, dropOldStep, type RestoreDataOptions } from '../../backup/restore-data-steps.js'
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
  /** Also its settings, with its passwords, and the key of its tokens. */
  readonly secrets: boolean
  /** As the settings say; else not at all, for what stays here for a while. */
  readonly encrypt: boolean
}

/** Dumps the database and packs the files into `target`, verifies by reading, writes the manifest; undo removes it. */
export function saveSteps(options: SaveStepsOptions): readonly Step[] {
  return createSaveSteps(options)
}

/**
 * Puts a backup's data (database and files) in the place of the instance's; undo puts back what was there. The instance
 * is stopped. `removeReplacedStep` follows when all is well.
 */
export function restoreDataSteps(options: RestoreDataOptions): readonly Step[] {
  return createRestoreDataSteps(options)
}

/** Removes what `restoreDataSteps` replaced: the point of no return. */
export function removeReplacedStep(options: Pick<RestoreDataOptions, 'instance'>): Step {
  return dropOldStep(options)
}
