import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ManagerError } from '../../../errors.js'
import type { ManagerContext } from '../../context.js'
import type { Manifest } from '../backup.js'
import { nameIn } from '../choose-backup.js'
import { manifestName } from '../manifest.js'
import { forgetBackup } from '../remove-backup.js'
import { changeStatus, readStatus, statusFile, type CopyStatus } from '../status.js'

/** A backup at a target: complete by its manifest and the sizes of its files. */
export interface RemoteBackup {
  /** Name of the target. */
  readonly target: string
  /** See `Backup.key`. Its files are `<key>/<file>` there. */
  readonly key: string
  readonly manifest: Manifest
  /** When it was stored there, by the clock of the store; ISO 8601. */
  readonly stored: string
  /** When every byte of it was read last, ISO 8601; empty: not known. */
  readonly verified: string
  /** What was wrong then; undefined: nothing. */
  readonly damage: string | undefined
}

/** `demo/20261121T030000Z-1.0-abcdefgh/files.tar.zst` */
export function remoteKey(key: string, file: string = manifestName): string {
  return `${key}/${file}`
}

/** `scp:latest`, `scp:20261121T03…`: a backup at a target; undefined: a local one. */
export function remoteIn(text: string): { readonly target: string; readonly backup: string } | undefined {
  const at = text.indexOf(':')
  return at < 0 ? undefined : { target: text.slice(0, at), backup: text.slice(at + 1) || 'latest' }
}

/** For errors: what is wrong with a copy. `why` continues a sentence that begins with the file. */
export function damagedCopy(target: string, key: string, file: string, why: string): ManagerError {
  return new ManagerError('ERR_BACKUP', `The copy at "${target}" is damaged: ${remoteKey(key, file)} ${why}.`, {
    help: 'Use another backup. If this backup exists locally, send it again with "backups export".',
    command: `backups list ${nameIn(key)}`,
  })
}

/** Where a backup is, was, or would be on this machine. */
export function localFolderOf({ settings }: Pick<ManagerContext, 'settings'>, key: string): string {
  const { saveFolder, saveAllFolder } = settings.global
  const folders = [saveAllFolder, saveFolder].map((root) => join(root, key))
  return (
    folders.find((folder) => existsSync(folder)) ??
    folders.find((folder) => existsSync(statusFile(folder))) ??
    join(saveFolder, key)
  )
}

export async function copyStatus(
  context: Pick<ManagerContext, 'settings'>,
  key: string,
  target: string,
): Promise<CopyStatus | undefined> {
  return (await readStatus(localFolderOf(context, key))).copies?.[target]
}

export async function rememberCopy(
  context: Pick<ManagerContext, 'settings'>,
  { key, manifest }: Pick<RemoteBackup, 'key' | 'manifest'>,
  target: string,
  status: CopyStatus,
): Promise<void> {
  const folder = localFolderOf(context, key)
  // The instance may never have had a backup here. When the folder cannot be made, nothing is remembered.
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 }).catch(() => undefined)
  await changeStatus(folder, (before) => ({
    ...before,
    of: { instance: manifest.instance.id, started: manifest.started },
    copies: { ...before.copies, [target]: status },
  }))
}

/** There is none any more. */
export async function forgetCopy(
  context: Pick<ManagerContext, 'settings'>,
  key: string,
  target: string,
): Promise<void> {
  const folder = localFolderOf(context, key)
  if (!existsSync(statusFile(folder))) return
  await changeStatus(folder, ({ copies: { [target]: _gone, ...copies } = {}, ...others }) => ({ ...others, copies }))
  if (!existsSync(folder)) await forgetBackup(folder)
}
