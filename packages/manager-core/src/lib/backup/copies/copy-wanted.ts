import type { ManagerContext } from '../../context.js'
import type { Caller } from '../../domain/caller.js'
import { isBackupInUse } from '../../store/operation-rows.js'
import type { Backup } from '../backup.js'
import { instanceOf } from '../owner.js'
import { removeBackup } from '../remove-backup.js'
import { changeStatus, readStatus, type BackupStatus } from '../status.js'
import { copyTo, failureText } from './copy-to.js'

export interface WantedReport {
  readonly warnings: readonly string[]
  /** Targets that did not take it. */
  readonly failed: readonly string[]
  /** What failed, for people; undefined: nothing. */
  readonly failure: string | undefined
}

/**
 * Makes the copies of a backup that are still wanted, see {@link endWanted}.
 *
 * @param without targets that are not tried now
 */
export async function copyWanted(
  context: ManagerContext,
  caller: Caller,
  backup: Backup,
  without: ReadonlySet<string> = new Set(),
): Promise<WantedReport> {
  const status = await readStatus(backup.folder)
  const due = dueOf(context, status)
  const report = await copyTo(context, caller, {
    backup,
    targets: due.filter((target) => !without.has(target)),
    readBack: mayGo(context, status),
  })
  return {
    warnings: [...report.warnings, ...(await endWanted(context, caller, backup, report.copied))],
    failed: report.failed.map(({ target }) => target),
    failure: failureText(backup, report),
  }
}

/**
 * When all copies of a backup are there that are wanted, the local one is removed if it may go
 * (APPS_SAVEALL_REMOVE_LOCAL): every byte of every copy was read back then, and its hashes were right.
 *
 * @param fresh targets that were written to or read just now; copies at others must still be there
 * @returns warnings
 */
export async function endWanted(
  context: ManagerContext,
  caller: Caller,
  backup: Backup,
  fresh: readonly string[],
): Promise<readonly string[]> {
  const status = await readStatus(backup.folder)
  if (!status.wanted || dueOf(context, status).length > 0) return []
  // It could not be restored from targets that are no longer set.
  const targets = status.wanted.targets.filter((target) => isSet(context, target))
  if (!mayGo(context, status) || targets.length === 0) {
    await changeStatus(backup.folder, ({ wanted: _done, ...rest }) => rest)
    return []
  }
  const others = targets.filter((target) => !fresh.includes(target))
  const { warnings, failed } = await copyTo(context, caller, { backup, targets: others, readBack: false })
  const problems = failed.map(({ error }) => `${backup.key} stays here: ${error.message}`)
  // What was sent again is read back the next time.
  const mayGoNow = problems.length === 0 && dueOf(context, await readStatus(backup.folder)).length === 0
  return [...warnings, ...problems, ...(mayGoNow ? await removeLocal(context, caller, backup) : [])]
}

function mayGo({ settings }: Pick<ManagerContext, 'settings'>, { wanted }: BackupStatus): boolean {
  return wanted?.automatic === true && settings.global.saveAllRemoveLocal
}

/** Targets that a backup is wanted at and is not, or not for certain. */
function dueOf(context: Pick<ManagerContext, 'settings' | 'targets'>, status: BackupStatus): readonly string[] {
  const { wanted, copies = {} } = status
  const mustBeRead = mayGo(context, status)
  return (wanted?.targets ?? []).filter((target) => {
    const copy = copies[target]
    const isThere = copy !== undefined && copy.damage === undefined && (!mustBeRead || copy.verified !== undefined)
    return isSet(context, target) && !isThere
  })
}

function isSet({ targets }: Pick<ManagerContext, 'targets'>, name: string): boolean {
  return targets.all.some((target) => target.name === name)
}

async function removeLocal(
  { locks, registry }: ManagerContext,
  { actor }: Caller,
  backup: Backup,
): Promise<readonly string[]> {
  const { key, folder } = backup
  const { id } = instanceOf(registry, backup)
  const lock = locks.tryAcquire(id === '' ? [] : [`instance:${id}`], `removal of ${key} by ${actor}`)
  try {
    if (!lock || isBackupInUse(registry, folder)) return [`${key} is in use. The next saveall will remove it here.`]
    await removeBackup(folder)
    return []
  } finally {
    lock?.release()
  }
}
