import type { CallOptions } from '@steward/backup-targets'
import type { ManagerContext } from '../../context.js'
import { believedTime } from '../../history/believed-time.js'
import { retainByInstance, type Verdict } from '../retention.js'
import { readStatus } from '../status.js'
import { listCopies } from './list-copies.js'
import { localFolderOf, type RemoteBackup } from './remote-backup.js'
import { removeCopies } from './remove-copy.js'

export interface PruneCopiesOptions extends CallOptions {
  /** See `BackupFilter`. Default: of all. */
  readonly name?: string | undefined
}

/**
 * What APPS_KEEP_LAST, APPS_KEEP_DAILY … mean for the copies at a target; nothing is changed. APPS_SAVE_DIR_DEPTH is for
 * backups that are here. Copies whose manifest cannot be read are left alone. By name, newest first.
 *
 * @throws ManagerError ERR_NOT_FOUND (no such target), ERR_TARGET
 */
export async function examineCopies(
  context: ManagerContext,
  target: string,
  options: PruneCopiesOptions = {},
): Promise<readonly Verdict<RemoteBackup>[]> {
  const { backups } = await listCopies(context, target, options)
  const candidates = await Promise.all(
    backups.map(async (copy) => ({ ...copy, proved: (await readStatus(localFolderOf(context, copy.key))).proved })),
  )
  const rules = { depthDays: 0, ...context.settings.global.keep }
  return retainByInstance(candidates, rules, believedTime(context))
}

/**
 * Removes copies at a target that no rule keeps. @returns the result for each; those that the store keeps until a date,
 * and those that are being read or written, are kept.
 *
 * @throws ManagerError ERR_NOT_FOUND (no such target), ERR_TARGET
 */
export async function pruneCopies(
  context: ManagerContext,
  target: string,
  options: PruneCopiesOptions = {},
): Promise<readonly Verdict<RemoteBackup>[]> {
  const verdicts: Verdict<RemoteBackup>[] = []
  for (const verdict of await examineCopies(context, target, options)) {
    const kept = verdict.keep ? undefined : await remove(context, target, verdict.backup.key, options)
    verdicts.push(kept === undefined ? verdict : { ...verdict, keep: true, reason: kept })
  }
  return verdicts
}

/** @returns why it is kept all the same; undefined: it is gone. */
async function remove(
  context: ManagerContext,
  target: string,
  key: string,
  { signal }: CallOptions,
): Promise<string | undefined> {
  const lock = context.locks.tryAcquire([`export:${target}:${key}`, `fetch:${key}`], `removal of ${key} at ${target}`)
  if (!lock) return 'it is in use'
  try {
    const [done] = await removeCopies(context, target, [key], { signal })
    return done?.removal === 'locked' ? 'the store keeps it until a date' : undefined
  } finally {
    lock.release()
  }
}
