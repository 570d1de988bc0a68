import type { Backup } from './backup.js'

/** A backup as surfaces show it. */
export type WireBackup = {
  /** What `restore --from` takes. */
  readonly backup: string
  /** Name of the instance at that time. */
  readonly name: string
  /** ISO 8601 */
  readonly saved: string
  readonly version: string
  /** Bytes on the disk. */
  readonly size: number
  readonly database: string
  readonly consistency: string
  /** When every byte was read last, ISO 8601; empty: it is damaged. */
  readonly verified: string
  /** When it was proved last, ISO 8601; empty: never. */
  readonly proved: string
  /** How long that took, from the backup to an instance that is healthy. */
  readonly proved_seconds: number
  /** What is wrong with it; empty: nothing. */
  readonly damage: string
  readonly folder: string
}

export function wireBackup({ key, folder, manifest, verified, proved, damage = '' }: Backup): WireBackup {
  const { instance, database, files, started, consistency, id } = manifest
  return {
    backup: id,
    name: key.slice(0, key.indexOf('/')),
    saved: started,
    version: instance.version,
    size: files.reduce((sum, { size }) => sum + size, 0),
    database: database.type,
    consistency,
    verified: damage === '' ? verified : '',
    proved: proved?.at ?? '',
    proved_seconds: proved?.seconds ?? 0,
    damage,
    folder,
  }
}
