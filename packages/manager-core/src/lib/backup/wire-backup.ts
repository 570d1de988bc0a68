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
  /** What is wrong with it; empty: nothing. */
  readonly damage: string
  readonly folder: string
}

export function wireBackup({ key, folder, manifest, verified, damage = '' }: Backup): WireBackup {
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
    damage,
    folder,
  }
}
