import type { BackupTarget } from '@steward/backup-targets'
import { ManagerError } from '../../../errors.js'
import type { ManagerContext } from '../../context.js'
import type { Caller } from '../../domain/caller.js'
import { sizeText } from '../../domain/readable.js'
import { recordHistory } from '../../history/record-history.js'
import { lockOptionsOf } from '../../system/lock-options.js'
import type { Backup } from '../backup.js'
import { lastPart, nameIn } from '../choose-backup.js'
import { storedBytes } from '../manifest.js'
import { rememberingDamage } from '../remembering-damage.js'
import { changeStatus } from '../status.js'
import { copyBackup } from './copy-backup.js'
import { copyStatus, rememberCopy } from './remote-backup.js'
import { sweepTarget } from './sweep-target.js'

export interface ExportOptions {
  readonly backup: Backup
  /** Name of the target. */
  readonly target: string
  /** Every byte is read back, also where the store tells hashes of its own. Default false. */
  readonly readBack?: boolean
}

export interface ExportReport {
  readonly message: string
  readonly warnings: readonly string[]
}

/**
 * Copies a backup to a target. No operation: it may be repeated, goes on where it was cut off, and nothing counts there
 * before all of it does. It is in the history and in the backup's status.
 *
 * @throws ManagerError ERR_TARGET, ERR_BUSY, ERR_NOT_FOUND (no such target), ERR_BACKUP (the local one is damaged)
 */
export function exportBackup(
  context: ManagerContext,
  caller: Caller,
  { backup, target, readBack = false }: ExportOptions,
): Promise<ExportReport> {
  const { key } = backup
  return recordHistory(
    context,
    caller,
    { action: 'backups export', instance: instanceOf(context, backup), parameters: { backup: key, target } },
    () =>
      context.locks.with(
        [`export:${target}:${key}`],
        lockOptionsOf(caller, `export of ${key} to ${target}`, context.clock()),
        () =>
          assertGood(context, backup, () =>
            context.targets.use(target, (opened) => exportTo(context, caller, opened, { backup, target, readBack })),
          ),
      ),
  )
}

async function exportTo(
  context: ManagerContext,
  { signal, onEvent }: Caller,
  opened: BackupTarget,
  { backup, target, readBack }: Required<ExportOptions>,
): Promise<ExportReport> {
  const { key, manifest } = backup
  const bytes = storedBytes(manifest.files)
  const before = await copyStatus(context, key, target)
  // What it tells of a copy that was found damaged may be no better than that.
  const isReadBack = readBack || before?.damage !== undefined
  const { sent } = await copyBackup(opened, backup, {
    readBack: isReadBack,
    signal,
    onBytes: (done) =>
      onEvent?.({ type: 'progress', step: `export ${target}`, text: `Copy to ${target}`, bytes: done / 2, of: bytes }),
  })
  const at = context.clock().toISOString()
  const verified = isReadBack ? at : sent > 0 ? undefined : before?.verified
  await rememberCopy(context, backup, target, {
    at: sent > 0 ? at : (before?.at ?? at),
    ...(verified !== undefined && { verified }),
  })
  const message =
    sent > 0
      ? `The backup ${key} is at "${target}" (${sizeText(bytes)}).`
      : `The backup ${key} was at "${target}" already.`
  return { message, warnings: await sweep(context, opened, key, signal) }
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
      help: 'Use another backup; when this one is good again, verify it.',
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
    return [`What uploads left unfinished could not be removed: ${(error as Error).message}`]
  }
}

/** Whose a backup is, for the history. One that is gone has no id, and the name that it had. */
export function instanceOf(
  { registry }: Pick<ManagerContext, 'registry'>,
  { key, manifest }: Pick<Backup, 'key' | 'manifest'>,
): { readonly id: string; readonly name: string } {
  const { id = '', name = nameIn(key) } = registry.byId(manifest.instance.id) ?? {}
  return { id, name }
}
