import type { BackupTarget, TargetType } from '@steward/backup-targets'
import type { TargetSettings } from '../settings/settings.js'

/** The targets that are set. Source: docs/spec/instances-manager.md, "Global settings". */
export interface Targets {
  readonly all: readonly TargetSettings[]
  /** @throws ManagerError ERR_NOT_FOUND naming those that there are. */
  get(name: string): TargetSettings
  /** @throws ManagerError ERR_SETTINGS when there is no such type, or its package is not installed. */
  type(name: string): Promise<TargetType>
  /** Where it goes, without secrets. @throws ManagerError ERR_SETTINGS */
  describe(name: string): Promise<string>
  /**
   * Opened for the work, and closed after it. Its calls are tried again, limited and watched (`reliable`).
   *
   * @throws ManagerError ERR_NOT_FOUND, ERR_SETTINGS, ERR_TARGET: what a `TargetError` says, with the name of the target.
   */
  use<T>(name: string, work: (target: BackupTarget) => Promise<T>): Promise<T>
  /** Opened as it is: nothing is tried again. The caller closes it. @throws ManagerError as `use` */
  open(name: string): Promise<BackupTarget>
}
