import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManagerContext } from '../../context.js'
import { isBackupId, newestFirst } from '../choose-backup.js'
import { readStatus, type CopyStatus } from '../status.js'

/** A backup that is not here any more, with the copies that this manager made or read. */
export interface RememberedBackup {
  /** See `Backup.key`. */
  readonly key: string
  /** Good ones, by the name of the target; at least one. */
  readonly copies: Readonly<Record<string, CopyStatus>>
}

/**
 * Backups that are only at targets any more (APPS_SAVEALL_REMOVE_LOCAL), newest first; no target is asked.
 *
 * @param name of the instance, without regard to case; undefined: of all
 */
export async function rememberedCopies(
  { settings }: Pick<ManagerContext, 'settings'>,
  name?: string,
): Promise<readonly RememberedBackup[]> {
  const { saveFolder, saveAllFolder } = settings.global
  const found: RememberedBackup[] = []
  for (const root of new Set([saveFolder, saveAllFolder]))
    for (const instance of await entriesOf(root)) {
      if (name !== undefined && instance.toLowerCase() !== name.toLowerCase()) continue
      for (const file of await entriesOf(join(root, instance))) {
        const id = /^\.(.+)\.status\.json$/.exec(file)?.[1]
        if (id === undefined || !isBackupId(id) || existsSync(join(root, instance, id))) continue
        const { copies = {} } = await readStatus(join(root, instance, id))
        const good = Object.entries(copies).filter(([, copy]) => copy.damage === undefined)
        if (good.length > 0) found.push({ key: `${instance}/${id}`, copies: Object.fromEntries(good) })
      }
    }
  return newestFirst(found)
}

/** None when it cannot be read: nothing is remembered then. */
async function entriesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => [])
}
