import type { BackupTarget, TargetType } from '@steward/backup-targets'
import type { Secret } from '../domain/secret.js'

/** A target as it is set in `config.sh`. */
export interface TargetSettings {
  /** `scp`, `ftp`, `swift`, `swift-alt`, `s3`, `gcs`, or one of APPS_TARGETS. */
  readonly name: string
  /** Type of `@steward/backup-targets`, or the npm package of a plug-in. */
  readonly type: string
  /** By the names of the type's options. */
  readonly options: Readonly<Record<string, string | Secret>>
}

/** The targets that are set. Source: requirements, "Backup destinations". */
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
  /** Opened as it is: nothing is tried again. Whoever opens it closes it. @throws ManagerError as `use` */
  open(name: string): Promise<BackupTarget>
}
