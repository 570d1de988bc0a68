import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManagerContext } from '../../context.js'
import { isBackupId, newestFirst } from '../choose-backup.js'
import { isFolderOf, ownerOf, type BackupOwner } from '../owner.js'
import { readStatus, type BackupStatus, type CopyStatus } from '../status.js'

/** A backup that is not here any more, with the copies that this manager made or read. */
export interface RememberedBackup {
  /** See `Backup.key`. */
  readonly key: string
  /** Good ones, by the name of the target; at least one. */
  readonly copies: Readonly<Record<string, CopyStatus>>
  /** See `BackupStatus.of`. */
  readonly of: BackupStatus['of']
}

/**
 * Backups that are only at targets any more (APPS_SAVEALL_REMOVE_LOCAL), newest first; no target is asked.
 *
 * @param name see `BackupFilter`; undefined: of all. Those of which it is not known whose they are belong to their folder
 */
export async function rememberedCopies(
  { settings, registry }: Pick<ManagerContext, 'settings' | 'registry'>,
  name?: string,
): Promise<readonly RememberedBackup[]> {
  const owner = name === undefined ? undefined : ownerOf(registry, name)
  const { saveFolder, saveAllFolder } = settings.global
  const found: RememberedBackup[] = []
  for (const root of new Set([saveFolder, saveAllFolder]))
    for (const instance of await entriesOf(root)) {
      if (owner && !isFolderOf(owner, instance)) continue
      for (const file of await entriesOf(join(root, instance))) {
        const id = /^\.(.+)\.status\.json$/.exec(file)?.[1]
        if (id === undefined || !isBackupId(id) || existsSync(join(root, instance, id))) continue
        const { copies = {}, of } = await readStatus(join(root, instance, id))
        if (owner && !isOwn(owner, instance, of)) continue
        const good = Object.entries(copies).filter(([, copy]) => copy.damage === undefined)
        if (good.length > 0) found.push({ key: `${instance}/${id}`, copies: Object.fromEntries(good), of })
      }
    }
  return newestFirst(found)
}

function isOwn({ id, name }: BackupOwner, folder: string, of: BackupStatus['of']): boolean {
  if (id === undefined) return true
  return of ? of.instance === id : folder.toLowerCase() === name.toLowerCase()
}

/** None when it cannot be read: nothing is remembered then. */
async function entriesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => [])
}
