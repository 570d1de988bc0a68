import type { Instance } from '../domain/instance.js'
import type { StreamOptions } from './packing/store.js'
import type { BackupStatus } from './status.js'

/** A local backup: a folder of write-once files, committed by its manifest. Source: wire-decisions, "files". */
export interface Backup {
  /** `<name>/<UTC yyyymmddThhmmssZ>-<version>-<id>`: path below the save folder. */
  readonly key: string
  /** Absolute. */
  readonly folder: string
  readonly manifest: Manifest
  /** Every byte was read then, ISO 8601: when it was made, or later. */
  readonly verified: string
  /** What was wrong when it was verified last; undefined: nothing. */
  readonly damage: string | undefined
  readonly proved: BackupStatus['proved']
  readonly copies: NonNullable<BackupStatus['copies']>
}

/** `manifest.json`, written last. No secrets. */
export interface Manifest {
  readonly format: 1
  /** The last part of the key. */
  readonly id: string
  readonly instance: BackedUpInstance
  readonly database: { readonly type: string; readonly server: string; readonly rows: Readonly<Record<string, number>> }
  /** ISO 8601 */
  readonly started: string
  readonly finished: string
  /** `online`: consistent without a pause; `suspended`: it was paused; `stopped`: it did not run. */
  readonly consistency: 'online' | 'suspended' | 'stopped'
  readonly files: readonly ManifestFile[]
  /** Programs that made it, with their versions. */
  readonly tools: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

/** What an instance was when it was saved; with it one that is gone can be made again. */
export type BackedUpInstance = Omit<Instance, 'observed' | 'operation' | 'port' | 'proved'>

export interface ManifestFile {
  /** `db.sqlite.zst`, `files.tar.zst` */
  readonly name: string
  /** Bytes and SHA-256 (hex) as stored. */
  readonly size: number
  readonly sha256: string
  /** Before compression. */
  readonly plainSize: number
  readonly plainSha256: string
}

export interface Backups {
  /** Complete ones, newest first. Incomplete folders are not backups. `name` is without regard to case. */
  list(filter?: { readonly name?: string }): Promise<readonly Backup[]>
  /** Folders with a manifest that is cut off or changed. */
  damaged(filter?: { readonly name?: string }): Promise<readonly { readonly key: string; readonly message: string }[]>
  /**
   * By key (`<name>/…` of another instance, too), `latest`, or a unique beginning or the end of its last part.
   *
   * @throws ManagerError ERR_NOT_FOUND, ERR_USAGE (several), ERR_BACKUP (its manifest is damaged)
   */
  find(name: string, backup: string): Promise<Backup>
  /** Reads every byte, and remembers what came out. @throws ManagerError ERR_BACKUP naming the file that is wrong. */
  verify(backup: Backup, options?: StreamOptions): Promise<void>
}
