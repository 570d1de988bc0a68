import type { BackupTarget, CallOptions, StoredObject } from '@steward/backup-targets'
import type { BackupEncryption, ManifestFile } from '../backup/backup.js'
import { manifestName, manifestText, parseStoredFiles } from '../backup/manifest.js'
import { readSmall } from '../backup/copies/read-object.js'
import { remoteKey } from '../backup/copies/remote-backup.js'
import type { Job } from '../schedule/jobs.js'

/** What starts the keys of copies of managers; no instance is called so. */
export const managerPrefix = '_manager/'

/** `manifest.json` of a copy of a manager: what a server needs beside the backups of its instances. No secrets. */
export interface ManagerManifest {
  readonly format: 1
  /** The last part of its key: `20261122T193000Z-42`. */
  readonly id: string
  /** Id of its registry, and where it was. */
  readonly manager: { readonly id: string; readonly host: string; readonly home: string; readonly url: string }
  /** ISO 8601 */
  readonly started: string
  /** In the registry. */
  readonly instances: readonly { readonly id: string; readonly name: string }[]
  /** What was scheduled, and by what. */
  readonly schedule: { readonly by: 'cron' | 'systemd'; readonly jobs: readonly Job[] } | null
  /** What is not in it, as it is not encrypted: names of variables and of files. */
  readonly leftOut: readonly string[]
  readonly files: readonly ManifestFile[]
  /** Absent: nothing is encrypted; else every file but the manifest is. */
  readonly encryption?: BackupEncryption
}

/** A copy of a manager at a target. */
export interface ManagerCopy {
  /** `_manager/<id of the manager>/<id>` */
  readonly key: string
  /** Id of the manager. */
  readonly manager: string
  /** When it was made, as its key says, ISO 8601. */
  readonly at: string
  /** How many changes the registry had seen; of those of one second, the copy with more of them is the newer one. */
  readonly changes: number
}

export const managerManifestText = (manifest: ManagerManifest): string => manifestText(manifest)

/** Newest first; whether they are whole is not looked at. @param manager id of one; default: of all */
export async function listManagerCopies(
  target: BackupTarget,
  { manager, signal }: CallOptions & { readonly manager?: string } = {},
): Promise<readonly (ManagerCopy & { readonly objects: readonly StoredObject[] })[]> {
  const prefix = manager === undefined ? managerPrefix : `${managerPrefix}${manager}/`
  const found = new Map<string, StoredObject[]>()
  let cursor: string | undefined
  do {
    const page = await target.list({ prefix, cursor, signal })
    for (const object of page.objects) {
      const key = object.key.slice(0, object.key.lastIndexOf('/'))
      found.set(key, [...(found.get(key) ?? []), object])
    }
    cursor = page.next
  } while (cursor !== undefined)
  return [...found]
    .flatMap(([key, objects]) => {
      const [, id = '', stamp = '', changes] = /^_manager\/([a-z0-9]+)\/(\d{8}T\d{6})Z-(\d+)$/.exec(key) ?? []
      if (id === '') return []
      const at = stamp.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6.000Z')
      return [{ key, manager: id, at, changes: Number(changes), objects }]
    })
    .toSorted((a, b) => b.at.localeCompare(a.at) || b.changes - a.changes)
}

/** @returns undefined when it was never completed @throws ManagerError ERR_BACKUP when it is damaged */
export async function readManagerManifest(
  target: BackupTarget,
  key: string,
  options: CallOptions = {},
): Promise<ManagerManifest | undefined> {
  const bytes = await readSmall(target, remoteKey(key), options)
  return bytes && (parseStoredFiles(bytes, remoteKey(key, manifestName)) as ManagerManifest)
}
