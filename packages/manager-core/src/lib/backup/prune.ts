import { dirname } from 'node:path'
import type { ManagerContext } from '../context.js'
import type { Registry } from '../store/registry.js'
import type { Backup } from './backup.js'
import { removeBackup, tidyFolder } from './remove-backup.js'
import { retainByName, type RetentionRules, type Verdict } from './retention.js'

type PruneContext = Pick<ManagerContext, 'backups' | 'clock' | 'settings' | 'registry' | 'targets'>

/**
 * What the rules of `config.sh` say of the local backups of an instance, or of all; nothing is changed. By name, newest
 * first.
 */
export async function examineBackups(context: PruneContext, name?: string): Promise<readonly Verdict<Backup>[]> {
  const all = await context.backups.list(name === undefined ? {} : { name })
  const candidates = all.map((backup) => ({ ...backup, needed: needOf(context, backup) }))
  return retainByName(candidates, rulesOf(context), context.clock())
}

/** Removes local backups that no rule keeps, of an instance or of all. @returns what became of each. */
export async function prune(context: PruneContext, name?: string): Promise<readonly Verdict<Backup>[]> {
  const verdicts = await examineBackups(context, name)
  for (const { keep, backup } of verdicts) if (!keep) await removeBackup(backup.folder)
  const folders = new Set(verdicts.map(({ backup }) => dirname(backup.folder)))
  for (const folder of folders) await tidyFolder(folder, context.clock())
  return verdicts
}

/** Whether an operation reads the backup in this folder, which has not ended. */
export function isInUse({ database }: Pick<Registry, 'database'>, folder: string): boolean {
  const found = database
    .prepare(
      `select 1 from operation where state not in ('succeeded', 'rolled_back')
       and kind in ('restore', 'recreate', 'prove') and request ->> '$.backup' = ?`,
    )
    .get(folder)
  return found !== undefined
}

/** Why a backup must stay whatever rules say. */
function needOf({ registry, targets }: PruneContext, { folder, wanted, copies }: Backup): string | undefined {
  if (isInUse(registry, folder)) return 'it is being used'
  const isSet = (name: string) => targets.all.some((target) => target.name === name)
  const missing = wanted?.targets.find((name) => copies[name] === undefined && isSet(name))
  return missing === undefined ? undefined : `it is not at "${missing}" yet`
}

function rulesOf({ settings }: Pick<ManagerContext, 'settings'>): RetentionRules {
  const { saveDepthDays, keep } = settings.global
  return { depthDays: saveDepthDays, ...keep }
}
