import type { Instance } from '../domain/instance.js'
import type { StreamOptions } from '../files/stream-options.js'
import type { BackupStatus } from './status.js'

/**
 * A local backup: a folder of write-once files, committed by its manifest. Source: docs/spec/wire-decisions.md,
 * "files".
 */
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
  /** Copies that are still to be made; undefined: none. */
  readonly wanted: BackupStatus['wanted']
}

/** `manifest.json`, written last. No secrets. Every field is explained in `docs/backup-format.md`. */
export interface Manifest {
  /** 2: documents are in a file of their own, which older managers do not restore. */
  readonly format: 1 | 2
  /** The last part of the key. */
  readonly id: string
  readonly instance: BackedUpInstance
  /** Where the template of its version was fetched from, without user and password. Absent: not known. */
  readonly template?: string
  readonly database: BackedUpDatabase
  /** ISO 8601 */
  readonly started: string
  readonly finished: string
  /** `online`: consistent without a pause; `suspended`: it was paused; `stopped`: it did not run. */
  readonly consistency: 'online' | 'suspended' | 'stopped'
  readonly files: readonly ManifestFile[]
  /** Absent: nothing is encrypted; else every file but the manifest is. */
  readonly encryption?: BackupEncryption
  /** The instance's settings, with its passwords, and the key of its tokens are in it, as the caller asked for. Absent: no. */
  readonly secrets?: true
  /** It sent nothing out, and an instance that is created from it does not either. Absent: it did. */
  readonly neutralised?: true
  /** Programs that made it, with their versions. */
  readonly tools: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

/** What an instance was when it was saved; with it one that is gone can be made again. */
export type BackedUpInstance = Omit<
  Instance,
  'observed' | 'operation' | 'port' | 'proved' | 'installedVersion' | 'heldRevision' | 'runtime' | 'host'
> & {
  /** What ran it. Absent: `process`; the manager that saved it knew no other. */
  readonly runtime?: string
}

export interface BackedUpDatabase {
  readonly type: string
  /** `PostgreSQL 15.14` */
  readonly server: string
  /**
   * Rows by table. Nothing was written meanwhile, or they are of a moment before the dump; then those tables are in
   * `rowsAfter` of which there were more or less when they were counted again while it was made (`null`: the table was
   * gone). So a restored database has exactly `rows` of a table that is not in `rowsAfter`, and of one that is, as many as
   * one of both or between them; of such a table that is in only one of both, it may also be missing.
   */
  readonly rows: Readonly<Record<string, number>>
  /** Absent: the same. */
  readonly rowsAfter?: Readonly<Record<string, number | null>>
}

/** How the files of a backup are encrypted, format `age-encryption.org/v1`. */
export type BackupEncryption = {
  readonly format: 'age'
  /** Public keys of those who can open it; absent: those who know the passphrase. */
  readonly recipients?: readonly string[]
}

export interface ManifestFile {
  /** `db.sqlite.zst`, `files.tar.zst`, `documents.tar.zst`, `settings.sh.zst`; with `.age` after it when it is encrypted. */
  readonly name: string
  /** Bytes and SHA-256 (hex) as stored. */
  readonly size: number
  readonly sha256: string
  /** Before compression. */
  readonly plainSize: number
  readonly plainSha256: string
  /** For a tar: how many entries it has. */
  readonly entries?: number
  /** From the programs that made it, in order; none when Node did. 1 from `tar`: files changed meanwhile, see `warnings`. */
  readonly exitCodes?: Readonly<Record<string, number>>
}

export interface BackupFilter {
  /** The instance that has this name, with all its former names; if none has it, what was saved under it. */
  readonly name?: string
  /** All that was saved under a name, whichever instance has it now. */
  readonly savedAs?: string
}

export interface Backups {
  /** Complete ones, newest first. Incomplete folders are not backups. */
  list(filter?: BackupFilter): Promise<readonly Backup[]>
  /** Folders with a manifest that is cut off or changed: whose they are is unknown. */
  damaged(filter?: BackupFilter): Promise<readonly { readonly key: string; readonly message: string }[]>
  /**
   * A backup of the owner of the name, see `ownerOf`: `latest`, or a unique start or the end of the last part of
   * its key. A whole key, `<name>/…`, names one of any owner.
   *
   * @throws ManagerError ERR_NOT_FOUND, ERR_USAGE (several), ERR_BACKUP (its manifest is damaged)
   */
  find(name: string, backup: string): Promise<Backup>
  /** Reads every byte, and remembers what came out. @throws ManagerError ERR_BACKUP naming the file that is wrong. */
  verify(backup: Backup, options?: VerifyOptions): Promise<Verification>
}

/** What was found good. */
export interface Verification {
  /** `stored`: all bytes as they are stored; `contents`: also what they hold when they are decrypted and decompressed. */
  readonly depth: 'stored' | 'contents'
  /** Why it is not as deep as was asked for, in one sentence: what is missing to decrypt it. */
  readonly note?: string
}

export interface VerifyOptions extends StreamOptions {
  /**
   * Also decrypts and decompresses, and looks at every entry of the tar; `onBytes` counts what comes out then. Default:
   * the bytes are read as they are stored.
   */
  readonly deep?: boolean
}
