import { existsSync } from 'node:fs'
import type { BackupTarget, CallOptions } from '@steward/backup-targets'
import type { ManagerContext } from '../../context.js'
import { isTargetError } from '../../targets/target-failure.js'
import { manifestName } from '../manifest.js'
import { objectsAt } from './objects-at.js'
import { localFolderOf, remoteKey } from './remote-backup.js'

/** What is younger may belong to an export that is under way. */
const unfinishedMs = 24 * 60 * 60 * 1000

/**
 * Removes what exports left that were started more than a day ago and never ended: partial objects, and files without a
 * manifest of backups that are not here any more, so that they are never completed.
 *
 * @returns how many
 */
export async function sweepTarget(
  context: Pick<ManagerContext, 'settings' | 'clock'>,
  target: BackupTarget,
  { prefix, signal }: CallOptions & { readonly prefix: string },
): Promise<number> {
  const before = new Date(context.clock().getTime() - unfinishedMs)
  let count = await target.sweep({ before, prefix, signal })
  for (const { key, objects } of await objectsAt(target, { prefix, signal })) {
    const isOld = [...objects.values()].every(({ modified }) => modified < before)
    if (objects.has(manifestName) || !isOld || existsSync(localFolderOf(context, key))) continue
    for (const file of objects.keys()) if (await removed(target, remoteKey(key, file), { signal })) count++
  }
  return count
}

async function removed(target: BackupTarget, key: string, options: CallOptions): Promise<boolean> {
  try {
    return await target.delete(key, options)
  } catch (error) {
    if (isTargetError(error, 'ERR_TARGET_LOCKED')) return false
    throw error
  }
}
