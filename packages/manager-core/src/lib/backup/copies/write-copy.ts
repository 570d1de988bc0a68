import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  bytesSource,
  fileSource,
  TargetError,
  type BackupTarget,
  type CallOptions,
  type Source,
} from '@steward/backup-targets'
import { ManagerError } from '../../../errors.js'
import { hashFile } from '../../files/hash-file.js'
import type { StreamOptions } from '../../files/stream-options.js'
import { isTargetError } from '../../targets/target-failure.js'
import type { Manifest, ManifestFile } from '../backup.js'
import { manifestName } from '../manifest.js'
import { faultOf, readSmall, type CheckDepth } from './read-object.js'
import { remoteKey } from './remote-backup.js'

export interface WriteCopyOptions extends StreamOptions {
  /** Every byte is read back, also of what is there already, and whatever the store reports. */
  readonly readBack: boolean
}

type Stored = Pick<ManifestFile, 'name' | 'size' | 'sha256'>

/**
 * Copies a backup to a target: its files, then its manifest, without which it is none. What is there already and good is
 * not sent again, what is damaged is replaced. When this resolves all is there, and its hashes are those of the manifest.
 *
 * @returns how many bytes were sent
 * @throws TargetError; ManagerError ERR_BACKUP when the local backup is damaged
 */
export async function writeCopy(
  target: BackupTarget,
  {
    key,
    folder,
    manifest,
  }: { readonly key: string; readonly folder: string; readonly manifest: Pick<Manifest, 'files'> },
  { readBack, signal, onBytes }: WriteCopyOptions,
): Promise<number> {
  const text = await readFile(join(folder, manifestName))
  const published = await readSmall(target, remoteKey(key), { signal })
  const isCommitted = published?.equals(text) ?? false
  const depth: CheckDepth = readBack ? 'bytes' : 'hash'
  // What a manifest commits was looked at before it was written.
  const depthOfThere = isCommitted && !readBack ? 'size' : depth
  let mustCommit = !isCommitted
  let sent = 0
  if (published !== undefined && !isCommitted) await discard(target, remoteKey(key), { signal })

  let done = 0
  for (const file of manifest.files) {
    const tell = (bytes: number) => onBytes?.(done + bytes)
    if ((await faultOf(target, key, file, { depth: depthOfThere, signal, onBytes: tell })) !== undefined) {
      if (!mustCommit) await discard(target, remoteKey(key), { signal })
      mustCommit = true
      const path = join(folder, file.name)
      await assertSize(path, file)
      await writeObject(target, key, file, fileSource(path, file.size), { depth, signal, onBytes: tell }, () =>
        assertGood(path, file),
      )
      sent += file.size
    }
    done += 2 * file.size
    onBytes?.(done)
  }
  if (!mustCommit) return sent

  for (const file of manifest.files) {
    // It may have been tidied up meanwhile.
    const fault = await faultOf(target, key, file, { depth: 'size', signal })
    if (fault !== undefined) throw new TargetError('ERR_TARGET_FAILED', `${remoteKey(key, file.name)} ${fault}.`)
  }
  const sha256 = createHash('sha256').update(text).digest('hex')
  await writeObject(target, key, { name: manifestName, size: text.length, sha256 }, bytesSource(text), {
    depth: 'bytes',
    signal,
  })
  return sent + text.length
}

/** Stores a file and looks at what is there then; when that is something else, it is removed, and sent once more. */
async function writeObject(
  target: BackupTarget,
  key: string,
  file: Stored,
  source: Source,
  { depth, signal, onBytes }: StreamOptions & { readonly depth: CheckDepth },
  assertSource?: () => Promise<void>,
): Promise<void> {
  const object = remoteKey(key, file.name)
  for (let attempt = 1; ; attempt++) {
    await target.put(object, source, { upload: file.sha256, signal, onProgress: onBytes })
    const tell = (bytes: number) => onBytes?.(file.size + bytes)
    const fault = await faultOf(target, key, file, { depth, signal, onBytes: tell })
    if (fault === undefined) return
    await discard(target, object, { signal })
    await assertSource?.()
    if (attempt === 2)
      throw new TargetError('ERR_TARGET_DAMAGED', `${object} ${fault}, although it was sent twice`, {
        help: 'The store loses data, so this copy does not count. Check the target: manager target test <name>',
        transient: false,
      })
  }
}

/** If the store keeps the object until a date, a new one takes its place. */
async function discard(target: BackupTarget, object: string, options: CallOptions): Promise<void> {
  try {
    await target.delete(object, options)
  } catch (error) {
    if (!isTargetError(error, 'ERR_TARGET_LOCKED')) throw error
  }
}

/** @throws ManagerError ERR_BACKUP */
async function assertSize(path: string, { size }: Stored): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw damagedHere(path, 'is missing')
  if (found.size !== size) throw damagedHere(path, `has ${found.size} bytes, not ${size}`)
}

/** @throws ManagerError ERR_BACKUP */
async function assertGood(path: string, file: Stored): Promise<void> {
  await assertSize(path, file)
  const { sha256 } = await hashFile(path)
  if (sha256 !== file.sha256) throw damagedHere(path, 'was changed (its hash is another one)')
}

function damagedHere(path: string, why: string): ManagerError {
  return new ManagerError('ERR_BACKUP', `The backup is damaged: ${path} ${why}.`, {
    help: 'It is not copied; use another backup.',
    command: 'backups list',
  })
}
