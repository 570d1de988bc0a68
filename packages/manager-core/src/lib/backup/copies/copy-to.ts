import type { BackupTarget } from '@steward/backup-targets'
import { ManagerError } from '../../../errors.js'
import type { ManagerContext } from '../../context.js'
import type { Caller } from '../../domain/caller.js'
import { sizeText } from '../../domain/readable.js'
import { recordHistory } from '../../history/record-history.js'
import { failureOf } from '../../system/failure.js'
import { lockOptionsOf } from '../../system/lock-options.js'
import type { Backup } from '../backup.js'
import { lastPart, nameIn } from '../choose-backup.js'
import { storedBytes } from '../manifest.js'
import { instanceOf } from '../owner.js'
import { rememberingDamage } from '../remembering-damage.js'
import { changeStatus } from '../status.js'
import { copyStatus, rememberCopy } from './remote-backup.js'
import { sweepTarget } from './sweep-target.js'
import { writeCopy } from './write-copy.js'

export interface BackupCopyOptions {
  readonly backup: Backup
  /** Names of targets. */
  readonly targets: readonly string[]
  /** Every byte is read back, also where the store has hashes of its own. */
  readonly readBack: boolean
}

export interface CopyReport {
  /** Names of the targets where it is now. */
  readonly copied: readonly string[]
  readonly failed: readonly { readonly target: string; readonly error: ManagerError }[]
  readonly warnings: readonly string[]
}

/**
 * Copies a backup to one target after the other; one that fails keeps it from no other one. No operation: it may be
 * repeated, resumes where it was cut off, and nothing counts there before all of it does. Each copy is in the history and
 * in the backup's status. Failures are ERR_TARGET, ERR_BUSY, ERR_NOT_FOUND (no such target), ERR_BACKUP (the local one is
 * damaged).
 */
export async function copyTo(
  context: ManagerContext,
  caller: Caller,
  { backup, targets, readBack }: BackupCopyOptions,
): Promise<CopyReport> {
  const { key } = backup
  const instance = instanceOf(context.registry, backup)
  const copied: string[] = []
  const failed: { readonly target: string; readonly error: ManagerError }[] = []
  const warnings: string[] = []
  for (const target of targets) {
    const entry = { action: 'backups export', instance, parameters: { backup: key, target } }
    const lockOptions = lockOptionsOf(caller, `export of ${key} to ${target}`, context.clock())
    try {
      const { warnings: more } = await recordHistory(context, caller, entry, () =>
        context.locks.with([`export:${target}:${key}`], lockOptions, () =>
          assertGood(context, backup, () => copyToOne(context, caller, { backup, target, readBack })),
        ),
      )
      warnings.push(...more)
      copied.push(target)
    } catch (error) {
      caller.signal?.throwIfAborted()
      failed.push({ target, error: failureOf(error) })
    }
  }
  return { copied, failed, warnings }
}

/** @returns the message for the history, and warnings */
function copyToOne(
  context: ManagerContext,
  { signal, onEvent }: Caller,
  { backup, target, readBack }: { readonly backup: Backup; readonly target: string; readonly readBack: boolean },
): Promise<{ readonly message: string; readonly warnings: readonly string[] }> {
  const { key, manifest } = backup
  const of = storedBytes(manifest.files)
  return context.targets.use(target, async (opened) => {
    const before = await copyStatus(context, key, target)
    // What it reports about a copy that was found damaged may be no better than that.
    const isReadBack = readBack || before?.damage !== undefined
    const sent = await writeCopy(opened, backup, {
      readBack: isReadBack,
      signal,
      onBytes: (done) =>
        onEvent?.({ type: 'progress', step: `export ${target}`, text: `Copy to ${target}`, bytes: done / 2, of }),
    })
    const at = context.clock().toISOString()
    const verified = isReadBack ? at : sent > 0 ? undefined : before?.verified
    await rememberCopy(context, backup, target, {
      at: sent > 0 ? at : (before?.at ?? at),
      ...(verified !== undefined && { verified }),
    })
    const message =
      sent > 0
        ? `The backup ${key} is at "${target}" (${sizeText(of)}).`
        : `The backup ${key} was already at "${target}".`
    return { message, warnings: await sweep(context, opened, key, signal) }
  })
}

/** A backup that is damaged here is not wanted anywhere any more. */
async function assertGood<T>(
  { clock }: Pick<ManagerContext, 'clock'>,
  { key, folder, damage }: Backup,
  work: () => Promise<T>,
): Promise<T> {
  try {
    if (damage === undefined) return await rememberingDamage({ folder, clock }, work)
    throw new ManagerError('ERR_BACKUP', `The backup ${key} is not copied: ${damage}`, {
      help: 'Use another backup. Once this one is repaired, verify it.',
      command: `backups verify ${nameIn(key)} ${lastPart(key)}`,
    })
  } catch (error) {
    if (ManagerError.is(error) && error.code === 'ERR_BACKUP')
      await changeStatus(folder, ({ wanted: _never, ...rest }) => rest)
    throw error
  }
}

/** What is not tidied up now is so later. */
async function sweep(
  context: ManagerContext,
  opened: BackupTarget,
  key: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    await sweepTarget(context, opened, { prefix: `${nameIn(key)}/`, signal })
    return []
  } catch (error) {
    signal?.throwIfAborted()
    return [`The remains of unfinished uploads could not be removed: ${(error as Error).message}`]
  }
}

/** What failed, for people; undefined: nothing. */
export function failureText(backup: Backup, { failed }: CopyReport): string | undefined {
  if (failed.length === 0) return undefined
  const { key, manifest } = backup
  const reasons = failed.map(({ error }) => error.message).join(' ')
  if (failed.some(({ error }) => error.code === 'ERR_BACKUP')) return reasons
  const name = nameIn(key)
  const targets = failed.map(({ target }) => target).join(',')
  return (
    `The backup ${key} is good, but was not copied to ${targets}: ${reasons} To try again, run: manager backups ` +
    `export ${name} ${manifest.id} --to ${targets}`
  )
}
