import type { ManagerContext } from '../../context.js'
import type { Caller } from '../../operation/operation.js'
import type { Backup } from '../backup.js'
import { isInUse } from '../prune.js'
import { removeBackup } from '../remove-backup.js'
import { changeStatus, readStatus, type BackupStatus } from '../status.js'
import { instanceOf } from './export-backup.js'
import { failureText, makeCopies } from './make-copies.js'

export interface SettleReport {
  readonly warnings: readonly string[]
  /** Targets that did not take it. */
  readonly failed: readonly string[]
  /** What failed, for people; undefined: nothing. */
  readonly failure: string | undefined
}

/**
 * Makes the copies of a backup that are still wanted, and removes the local one when it may go
 * (APPS_SAVEALL_REMOVE_LOCAL): every byte of every copy was read back then, and its hashes were right.
 *
 * @param without targets that are not tried now
 */
export async function settleCopies(
  context: ManagerContext,
  caller: Caller,
  backup: Backup,
  without: ReadonlySet<string> = new Set(),
): Promise<SettleReport> {
  const { wanted } = await readStatus(backup.folder)
  if (!wanted) return { warnings: [], failed: [], failure: undefined }
  const mayGo = wanted.automatic && context.settings.global.saveAllRemoveLocal
  const due = dueOf(context, await readStatus(backup.folder), mayGo)
  const report = await makeCopies(context, caller, {
    backup,
    targets: due.filter((target) => !without.has(target)),
    readBack: mayGo,
  })
  const failure = failureText(backup, report)
  const failed = report.failed.map(({ target }) => target)
  const status = await readStatus(backup.folder)
  if (dueOf(context, status, mayGo).length > 0) return { warnings: report.warnings, failed, failure }
  // Targets that are not set any more have no copy that anybody could have back.
  const isSomewhere = wanted.targets.some((target) => isSet(context, target))
  const kept = mayGo && isSomewhere ? await removeLocal(context, caller, backup) : undefined
  if (kept === undefined) await changeStatus(backup.folder, ({ wanted: _done, ...rest }) => rest)
  return { warnings: [...report.warnings, ...(kept === undefined ? [] : [kept])], failed, failure }
}

/** Targets that a backup is wanted at and is not, or not for certain. */
function dueOf(
  context: Pick<ManagerContext, 'targets'>,
  { wanted, copies = {} }: BackupStatus,
  mustBeRead: boolean,
): readonly string[] {
  return (wanted?.targets ?? []).filter((target) => {
    const copy = copies[target]
    const isThere = copy !== undefined && copy.damage === undefined && (!mustBeRead || copy.verified !== undefined)
    return isSet(context, target) && !isThere
  })
}

function isSet({ targets }: Pick<ManagerContext, 'targets'>, name: string): boolean {
  return targets.all.some((target) => target.name === name)
}

/** @returns why it stays for now; undefined: it is gone. */
async function removeLocal(
  { locks, registry }: ManagerContext,
  { actor }: Caller,
  { key, folder }: Backup,
): Promise<string | undefined> {
  const { id } = instanceOf({ registry }, key)
  const lock = locks.tryAcquire(id === '' ? [] : [`instance:${id}`], `removal of ${key} by ${actor}`)
  try {
    if (!lock || isInUse(registry, folder))
      return `${key} is being used, and removed here by the next saveall.`
    await removeBackup(folder)
    return undefined
  } finally {
    lock?.release()
  }
}
