import type { ManagerError } from '../../../errors.js'
import type { ManagerContext } from '../../context.js'
import type { Caller } from '../../domain/caller.js'
import { failureOf } from '../../system/failure.js'
import type { Backup } from '../backup.js'
import { nameIn } from '../choose-backup.js'
import { exportBackup } from './export-backup.js'

export interface CopiesReport {
  /** Names of the targets where it is now. */
  readonly copied: readonly string[]
  readonly failed: readonly { readonly target: string; readonly error: ManagerError }[]
  readonly warnings: readonly string[]
}

/** Copies a backup to one target after the other; one that fails keeps it from no other one. */
export async function makeCopies(
  context: ManagerContext,
  caller: Caller,
  { backup, targets, readBack }: { backup: Backup; targets: readonly string[]; readBack: boolean },
): Promise<CopiesReport> {
  const copied: string[] = []
  const failed: { readonly target: string; readonly error: ManagerError }[] = []
  const warnings: string[] = []
  for (const target of targets)
    try {
      warnings.push(...(await exportBackup(context, caller, { backup, target, readBack })).warnings)
      copied.push(target)
    } catch (error) {
      caller.signal?.throwIfAborted()
      failed.push({ target, error: failureOf(error) })
    }
  return { copied, failed, warnings }
}

/** What failed, for people; undefined: nothing. */
export function failureText(backup: Backup, { failed }: CopiesReport): string | undefined {
  if (failed.length === 0) return undefined
  const { key, manifest } = backup
  const reasons = failed.map(({ error }) => error.message).join(' ')
  if (failed.some(({ error }) => error.code === 'ERR_BACKUP')) return reasons
  const name = nameIn(key)
  const targets = failed.map(({ target }) => target).join(',')
  return `The backup ${key} is good, but not copied to ${targets}: ${reasons} Try again with: backups export ${name} ${manifest.id} --to ${targets}`
}
