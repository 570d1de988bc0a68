/** A local backup: a folder of write-once files, committed by its manifest. Source: wire-decisions, "files". */
export interface Backup {
  /** `<name>/<UTC yyyymmddThhmmssZ>-<version>-<id>`: path below the save folder. */
  readonly key: string
  /** Absolute. */
  readonly folder: string
  readonly manifest: Manifest
}

/** `manifest.json`, written last. No secrets. */
export interface Manifest {
  readonly format: 1
  /** The last part of the key. */
  readonly id: string
  readonly instance: { readonly id: string; readonly name: string; readonly version: string; readonly revision: string }
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
  /** Complete ones, newest first. Incomplete folders are not backups. */
  list(filter?: { readonly name?: string }): Promise<readonly Backup[]>
  /** By key, `latest`, or a unique beginning of its last part. @throws ManagerError ERR_NOT_FOUND */
  find(name: string, backup: string): Promise<Backup>
  /** Reads every byte. @throws ManagerError ERR_BACKUP naming the file that is wrong. */
  verify(backup: Backup, signal?: AbortSignal): Promise<void>
}
