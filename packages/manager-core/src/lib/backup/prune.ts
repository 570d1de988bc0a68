import { dirname } from 'node:path'
import type { ManagerContext } from '../context.js'
import type { Registry } from '../store/registry.js'
import type { Backup } from './backup.js'
import { endRemovals, removeBackup } from './remove-backup.js'
import { retain, type RetentionRules, type Verdict } from './retention.js'

type PruneContext = Pick<ManagerContext, 'backups' | 'clock' | 'settings' | 'registry'>

/** What the rules of `config.sh` say of the local backups of an instance; nothing is changed. */
export async function examineBackups(context: PruneContext, name: string): Promise<readonly Verdict<Backup>[]> {
  const busy = foldersInUse(context.registry)
  const all = await context.backups.list({ name })
  const candidates = all.map((backup) => (busy.has(backup.folder) ? { ...backup, needed: 'it is being used' } : backup))
  return retain(candidates, rulesOf(context), context.clock())
}

/** Removes local backups of an instance that no rule keeps. @returns what became of each. */
export async function prune(context: PruneContext, name: string): Promise<readonly Verdict<Backup>[]> {
  const verdicts = await examineBackups(context, name)
  for (const { keep, backup } of verdicts) if (!keep) await removeBackup(backup.folder)
  for (const folder of new Set(verdicts.map(({ backup }) => dirname(backup.folder)))) await endRemovals(folder)
  return verdicts
}

function rulesOf({ settings }: Pick<ManagerContext, 'settings'>): RetentionRules {
  const { saveDepthDays, keep } = settings.global
  return { depthDays: saveDepthDays, ...keep }
}

/** Backups that operations read, which have not ended. */
function foldersInUse({ database }: Pick<Registry, 'database'>): ReadonlySet<string> {
  const rows = database
    .prepare(
      `select request ->> '$.backup' as folder from operation where state not in ('succeeded', 'rolled_back') and kind in ('restore', 'recreate', 'prove')`,
    )
    .all()
  return new Set(rows.map(({ folder }) => String(folder)))
}
