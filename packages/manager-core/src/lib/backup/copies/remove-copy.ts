import type { BackupTarget, CallOptions } from '@steward/backup-targets'
import type { ManagerContext } from '../../context.js'
import { isTargetError } from '../../targets/target-failure.js'
import { manifestName } from '../manifest.js'
import { objectsAt } from './objects-at.js'
import { forgetCopy, remoteKey } from './remote-backup.js'

/** `locked`: the store keeps it until a date. */
export type Removal = 'removed' | 'absent' | 'locked'

/**
 * Removes copies of backups from a target: from the removal of its manifest on each is none any more.
 *
 * @param target name of the target
 * @returns the result for each, in their order
 * @throws ManagerError ERR_TARGET
 */
export function removeCopies(
  context: Pick<ManagerContext, 'targets' | 'settings'>,
  target: string,
  keys: readonly string[],
  options: CallOptions = {},
): Promise<readonly { readonly key: string; readonly removal: Removal }[]> {
  return context.targets.use(target, async (opened) => {
    const removals: { readonly key: string; readonly removal: Removal }[] = []
    for (const key of keys) {
      const removal = await removeCopy(opened, key, options)
      if (removal !== 'locked') await forgetCopy(context, key, target)
      removals.push({ key, removal })
    }
    return removals
  })
}

async function removeCopy(target: BackupTarget, key: string, { signal }: CallOptions): Promise<Removal> {
  try {
    const isThere = await target.delete(remoteKey(key), { signal })
    const [set] = await objectsAt(target, { prefix: `${key}/`, signal })
    const files = [...(set?.objects.keys() ?? [])].filter((file) => file !== manifestName)
    for (const file of files) await target.delete(remoteKey(key, file), { signal })
    return isThere || files.length > 0 ? 'removed' : 'absent'
  } catch (error) {
    if (isTargetError(error, 'ERR_TARGET_LOCKED')) return 'locked'
    throw error
  }
}
