import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { forEachInstance, type Done } from '../operation/for-each-instance.js'
import { ofSeveral } from '../operation/of-several.js'
import { raiseAlarm } from './alarm.js'
import type { Backup } from './backup.js'
import { pruneCopies } from './copies/prune-copies.js'
import { copyWanted } from './copies/copy-wanted.js'
import { saveKind } from './save.js'

export type SaveAllEntry = {
  readonly name: string
  /** `not begun`: the window (APPS_WINDOW) ended. */
  readonly result: 'saved' | 'failed' | 'not begun'
  /** Key of the backup, which is good even when a copy failed; empty: none. */
  readonly backup: string
  readonly message: string
}

export interface SaveAllReport {
  readonly entries: readonly SaveAllEntry[]
  readonly warnings: readonly string[]
}

export interface SaveAllOptions {
  /** How many instances at the same time. */
  readonly parallel: number
  /** Names of targets that each backup is copied to. */
  readonly copyTo: readonly string[]
}

interface Saved extends Done {
  /** Key */
  readonly backup: string
}

/**
 * Saves instances, and copies each backup to targets; earlier ones whose copies failed are copied, too. Failures are
 * reported by mail and by `monitoring.sh`, and keep no other instance from being saved.
 */
export function saveAll(
  context: ManagerContext,
  caller: Caller,
  { parallel, copyTo }: SaveAllOptions,
): Promise<SaveAllReport> {
  return forEachInstance<Saved, SaveAllEntry>(context, caller, {
    instances: autoSaved(context),
    noun: 'save',
    titleOf: (name) => `Back up instance "${name}"`,
    parallel,
    run: (instance, of) => saveOne(context, of, instance, copyTo),
    entryOf: ({ name }, { result, message, done }) => ({
      name,
      result: result === 'done' ? 'saved' : result,
      backup: done?.backup ?? '',
      message,
    }),
    onFailure: (failed, text) =>
      raiseAlarm(context, {
        subject: `saving ${failed.map(({ name }) => name).join(', ')} failed`,
        text,
        instances: failed.map(({ name, backup, message }) => ({
          name,
          message,
          reason: backup === '' ? 'save-failed' : 'copy-failed',
        })),
      }),
  })
}

/** In the order of their names. */
export function autoSaved({ registry }: Pick<ManagerContext, 'registry'>): readonly Instance[] {
  return registry.instances().filter(({ autoSave }) => autoSave)
}

async function saveOne(
  context: ManagerContext,
  caller: Caller,
  { id, name }: Instance,
  copyTo: readonly string[],
): Promise<Saved> {
  // Before, as that may make room here.
  const earlier = await copyEarlier(context, caller, name)
  const request = { id, name, automatic: true, secrets: false, copyTo }
  const { outcomes, warnings } = await context.operations.run(saveKind, request, ofSeveral(caller))
  const { backup } = outcomes.get('save') as { backup: string }
  const copied = await copyWanted(context, caller, await context.backups.find(name, backup))
  const pruned = copied.failure === undefined ? await pruneAt(context, caller, copyTo, name) : []
  const failures = [copied.failure, ...earlier.failures].filter((text) => text !== undefined)
  return {
    backup,
    warnings: [...warnings, ...earlier.warnings, ...copied.warnings, ...pruned],
    ...(failures.length > 0 && { failure: failures.join(' ') }),
  }
}

/** Removes copies that APPS_KEEP_LAST, APPS_KEEP_DAILY … do not keep. @returns what could not be removed */
async function pruneAt(
  context: ManagerContext,
  { signal }: Caller,
  targets: readonly string[],
  name: string,
): Promise<readonly string[]> {
  if (Object.values(context.settings.global.keep).every((count) => count === 0)) return []
  const warnings: string[] = []
  for (const target of targets)
    try {
      await pruneCopies(context, target, { name, signal })
    } catch (error) {
      signal?.throwIfAborted()
      warnings.push(`Copies at "${target}" that no rule keeps could not be removed: ${(error as Error).message}`)
    }
  return warnings
}

/** A target that does not take one is not tried with the next one. */
async function copyEarlier(context: ManagerContext, caller: Caller, name: string) {
  const unfinished = (await context.backups.list({ name })).filter(({ wanted }: Backup) => wanted !== undefined)
  const failed = new Set<string>()
  const warnings: string[] = []
  const failures: string[] = []
  for (const backup of unfinished) {
    const copied = await copyWanted(context, caller, backup, failed)
    for (const target of copied.failed) failed.add(target)
    warnings.push(...copied.warnings)
    if (copied.failure !== undefined) failures.push(copied.failure)
  }
  return { warnings, failures }
}
