import { dirname } from 'node:path'
import type { ManagerContext } from '../context.js'
import type { Backup } from './backup.js'
import { timeOf } from './new-backup.js'
import { endRemovals, removeBackup } from './remove-backup.js'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Those that are older than the days of APPS_SAVE_DIR_DEPTH (0: none). Never the newest that is good. Those from the
 * future (the clock was set back) are young.
 *
 * @param backups newest first
 */
export function expiredOf(backups: readonly Backup[], now: Date, depthDays: number): readonly Backup[] {
  if (depthDays === 0) return []
  const newest = backups.find(({ damage }) => damage === undefined)
  // Without a good one nothing is known to be worth less than another.
  if (!newest) return []
  return backups.filter((backup) => backup !== newest && now.getTime() - timeOf(backup.key) > depthDays * dayMs)
}

/** Removes what has expired of an instance. @returns their keys. */
export async function prune(
  { backups, clock, settings }: Pick<ManagerContext, 'backups' | 'clock' | 'settings'>,
  name: string,
): Promise<readonly string[]> {
  const all = await backups.list({ name })
  const expired = expiredOf(all, clock(), settings.global.saveDepthDays)
  for (const { folder } of expired) await removeBackup(folder)
  for (const folder of new Set(all.map((backup) => dirname(backup.folder)))) await endRemovals(folder)
  return expired.map(({ key }) => key)
}
