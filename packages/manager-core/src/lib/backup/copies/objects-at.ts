import type { BackupTarget, CallOptions, StoredObject } from '@steward/backup-targets'
import { isBackupId } from '../choose-backup.js'

/** What is at a target of one backup, complete or not. */
export interface ObjectSet {
  /** See `Backup.key`. */
  readonly key: string
  /** By the name of the file. */
  readonly objects: ReadonlyMap<string, StoredObject>
}

/** All objects that belong to backups, by backup, in the order in which they are first seen. Others' objects are left out. */
export async function objectsAt(
  target: BackupTarget,
  { prefix, signal }: CallOptions & { readonly prefix: string },
): Promise<readonly ObjectSet[]> {
  const sets = new Map<string, Map<string, StoredObject>>()
  let cursor: string | undefined
  do {
    const page = await target.list({ prefix, cursor, signal })
    for (const object of page.objects) {
      const [name = '', id = '', file, more] = object.key.split('/')
      if (file === undefined || more !== undefined || !isBackupId(id)) continue
      const key = `${name}/${id}`
      const objects = sets.get(key) ?? new Map<string, StoredObject>()
      sets.set(key, objects.set(file, object))
    }
    cursor = page.next
  } while (cursor !== undefined)
  return [...sets].map(([key, objects]) => ({ key, objects }))
}
