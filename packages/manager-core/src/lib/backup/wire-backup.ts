import type { Backup } from './backup.js'
import { nameIn } from './choose-backup.js'
import { storedBytes } from './manifest.js'
import type { RemoteBackup } from './copies/remote-backup.js'

/** A backup as surfaces show it. */
export type WireBackup = {
  /** What `restore --from` takes, after `<target>:` when it is at a target. */
  readonly backup: string
  /** Name of the instance at that time. */
  readonly name: string
  /** Its id, which stays when it is renamed. */
  readonly instance: string
  /** ISO 8601 */
  readonly saved: string
  readonly version: string
  /** Bytes on the disk. */
  readonly size: number
  readonly database: string
  readonly consistency: string
  /** When every byte was read last, ISO 8601; empty: it is damaged. */
  readonly verified: string
  /** When it was proved last, ISO 8601; empty: never, or it is damaged. */
  readonly proved: string
  /** How long that took, from the backup to an instance that is healthy. */
  readonly proved_seconds: number
  /** Targets where it is, or is to be: `scp, s3 (damaged), ftp (missing)`; empty: none. */
  readonly copies: string
  /** What is wrong with it; empty: nothing. */
  readonly damage: string
  /** Empty: it is not here. */
  readonly folder: string
}

export function wireBackup(backup: Backup): WireBackup {
  const { folder, verified, proved, damage = '' } = backup
  return {
    ...wireManifest(backup),
    verified: damage === '' ? verified : '',
    proved: damage === '' ? (proved?.at ?? '') : '',
    proved_seconds: damage === '' ? (proved?.seconds ?? 0) : 0,
    copies: copiesOf(backup),
    damage,
    folder,
  }
}

/** One at a target. */
export function wireCopy(copy: RemoteBackup): WireBackup {
  const { target, verified, damage = '' } = copy
  return {
    ...wireManifest(copy),
    verified: damage === '' ? verified : '',
    proved: '',
    proved_seconds: 0,
    copies: target,
    damage,
    folder: '',
  }
}

function wireManifest({ key, manifest }: Pick<Backup, 'key' | 'manifest'>) {
  const { instance, database, files, started, consistency, id } = manifest
  return {
    backup: id,
    name: nameIn(key),
    instance: instance.id,
    saved: started,
    version: instance.version,
    size: storedBytes(files),
    database: database.type,
    consistency,
  }
}

function copiesOf({ copies, wanted }: Pick<Backup, 'copies' | 'wanted'>): string {
  const missing = wanted?.targets.filter((target) => copies[target] === undefined) ?? []
  return [
    ...Object.entries(copies).map(([target, { damage }]) => (damage === undefined ? target : `${target} (damaged)`)),
    ...missing.map((target) => `${target} (missing)`),
  ].join(', ')
}
