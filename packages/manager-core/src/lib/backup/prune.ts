import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { believedTime } from '../history/believed-time.js'
import { isBackupInUse } from '../store/operation-rows.js'
import type { Backup } from './backup.js'
import { foldersOfBackups } from './backup-folders.js'
import { removeBackup, tidyFolder } from './remove-backup.js'
import { isFuture, retainByInstance, type RetentionRules, type Verdict } from './retention.js'
import { checkSizes } from './verify-backup.js'

type PruneContext = Pick<ManagerContext, 'backups' | 'clock' | 'uptime' | 'settings' | 'registry' | 'targets'>

/**
 * What the rules of `config.sh` mean for the local backups of an instance, or of all; nothing is changed. One whose files
 * do not have their sizes is damaged. By instance, newest first.
 *
 * @param found what is known to be wrong besides, by key
 */
export async function examineBackups(
  context: PruneContext,
  name?: string,
  found: ReadonlyMap<string, string> = new Map(),
): Promise<readonly Verdict<Backup>[]> {
  const all = await context.backups.list(name === undefined ? {} : { name })
  const few = pLimit(16)
  const candidates = await few.map(all, async (backup) => ({
    ...backup,
    damage: backup.damage ?? found.get(backup.key) ?? (await wrongSizes(backup)),
    needed: needOf(context, backup),
  }))
  return retainByInstance(candidates, rulesOf(context), believedTime(context))
}

/**
 * Removes local backups that no rule keeps, of an instance or of all. Before the first one of an instance goes, every byte
 * of the newest that is kept as a good one is read.
 *
 * @param justRead key of one that was read a moment ago
 * @returns the result for each
 */
export async function prune(
  context: PruneContext,
  name?: string,
  justRead?: string,
): Promise<readonly Verdict<Backup>[]> {
  const read = new Set([justRead])
  const damaged = new Map<string, string>()
  let verdicts = await examineBackups(context, name)
  for (;;) {
    const unread = newestGood(verdicts, believedTime(context)).filter(({ key }) => !read.has(key))
    if (unread.length === 0) break
    for (const backup of unread) {
      read.add(backup.key)
      const damage = await damageOf(context, backup)
      if (damage !== undefined) damaged.set(backup.key, damage)
    }
    verdicts = await examineBackups(context, name, damaged)
  }
  for (const { keep, backup } of verdicts) if (!keep) await removeBackup(backup.folder)
  for (const folder of await foldersOf(context, verdicts)) await tidyFolder(folder, believedTime(context))
  return verdicts
}

/** Also those without a backup: what a removal left that was interrupted may be all that a former name has. */
async function foldersOf(
  { settings }: PruneContext,
  verdicts: readonly Verdict<Backup>[],
): Promise<ReadonlySet<string>> {
  const { saveFolder, saveAllFolder } = settings.global
  const folders = new Set(verdicts.map(({ backup }) => dirname(backup.folder)))
  for (const root of new Set([saveFolder, saveAllFolder])) {
    if (!existsSync(root)) continue
    for (const name of await foldersOfBackups(root)) if (!name.startsWith('.')) folders.add(join(root, name))
  }
  return folders
}

/** For instances that lose a backup: the newest one that is known to be good. */
function newestGood(verdicts: readonly Verdict<Backup>[], now: Date): readonly Backup[] {
  const groups = Map.groupBy(verdicts, ({ backup }) => backup.manifest.instance.id)
  return [...groups.values()].flatMap((group) => {
    if (group.every(({ keep }) => keep)) return []
    return group.find(({ backup }) => backup.damage === undefined && !isFuture(backup, now))?.backup ?? []
  })
}

async function wrongSizes({ folder, manifest }: Backup): Promise<string | undefined> {
  return messageOfDamage(() => checkSizes(folder, manifest))
}

/** It is remembered, too. */
function damageOf({ backups }: PruneContext, backup: Backup): Promise<string | undefined> {
  return messageOfDamage(() => backups.verify(backup))
}

/** @throws what is not damage: then nothing is known */
async function messageOfDamage(look: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await look()
    return undefined
  } catch (error) {
    if (ManagerError.is(error) && error.code === 'ERR_BACKUP') return error.message
    throw error
  }
}

/** Why a backup must stay whatever rules say. */
function needOf({ registry, targets }: PruneContext, { folder, wanted, copies }: Backup): string | undefined {
  if (isBackupInUse(registry, folder)) return 'it is in use'
  const isSet = (name: string) => targets.all.some((target) => target.name === name)
  const missing = wanted?.targets.find((name) => copies[name] === undefined && isSet(name))
  return missing === undefined ? undefined : `it is not at "${missing}" yet`
}

function rulesOf({ settings }: Pick<ManagerContext, 'settings'>): RetentionRules {
  const { saveDepthDays, keep } = settings.global
  return { depthDays: saveDepthDays, ...keep }
}
