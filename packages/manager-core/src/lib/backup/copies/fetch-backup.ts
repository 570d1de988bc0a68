import { createHash } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { callbackify } from 'node:util'
import { removeTree } from '../../accounts/remove-tree.js'
import { giveBack, type BackupTarget } from '@steward/backup-targets'
import type { ManagerContext } from '../../context.js'
import type { Caller } from '../../domain/caller.js'
import { sizeText } from '../../domain/readable.js'
import { fileError } from '../../files/file-error.js'
import { hashFile, type FileHash } from '../../files/hash-file.js'
import type { StreamOptions } from '../../files/stream-options.js'
import { syncPath } from '../../files/tree.js'
import { recordHistory } from '../../history/record-history.js'
import { checkSpace } from '../../instances/inspect-creation.js'
import { lockOptionsOf } from '../../system/lock-options.js'
import { isTargetError } from '../../targets/target-failure.js'
import type { Backup, ManifestFile } from '../backup.js'
import { nameIn } from '../choose-backup.js'
import { manifestName, manifestText, storedBytes } from '../manifest.js'
import { instanceOf } from '../owner.js'
import { removeBackup } from '../remove-backup.js'
import { changeStatus } from '../status.js'
import { damagedCopy, rememberCopy, remoteKey, type RemoteBackup } from './remote-backup.js'

/** A local backup that came from a target. */
export interface FetchReport {
  readonly backup: Backup
  readonly message: string
  /** Nothing was fetched. */
  readonly wasHere: boolean
}

/**
 * Brings a backup from a target into APPS_SAVE_DIR. It gets its name when every byte's hash was compared and it is on the
 * disk; a fetch that was cut off resumes after the files that are there. One that is here already is left alone, unless
 * it is known to be damaged.
 *
 * @throws ManagerError ERR_BACKUP when the copy is damaged, ERR_TARGET, ERR_DISK, ERR_BUSY
 */
export function fetchBackup(context: ManagerContext, caller: Caller, copy: RemoteBackup): Promise<FetchReport> {
  const { key, target } = copy
  const options = {
    action: 'backups fetch',
    instance: instanceOf(context.registry, copy),
    parameters: { backup: key, target },
  }
  return recordHistory(context, caller, options, () =>
    context.locks.with([`fetch:${key}`], lockOptionsOf(caller, `fetch of ${key}`, context.clock()), async () => {
      const local = await localBackup(context, key)
      if (local && local.damage === undefined)
        return { backup: local, message: `The backup ${key} is already here.`, wasHere: true }
      await fetchInto(context, caller, copy, local?.folder ?? join(context.settings.global.saveFolder, key))
      const backup = (await localBackup(context, key)) as Backup
      const bytes = storedBytes(copy.manifest.files)
      return { backup, wasHere: false, message: `The backup ${key} is here, from "${target}" (${sizeText(bytes)}).` }
    }),
  )
}

async function localBackup({ backups }: Pick<ManagerContext, 'backups'>, key: string): Promise<Backup | undefined> {
  return (await backups.list({ savedAs: nameIn(key) })).find((backup) => backup.key === key)
}

/**
 * Brings it into a folder; beside it, its status says that every byte was read.
 *
 * @param folder absolute
 * @throws ManagerError ERR_BACKUP when the copy is damaged, ERR_TARGET, ERR_DISK
 */
export async function fetchInto(
  context: ManagerContext,
  { signal, onEvent }: Pick<Caller, 'signal' | 'onEvent'>,
  { target, key, manifest, stored }: RemoteBackup,
  folder: string,
): Promise<void> {
  const part = `${folder}.part`
  const of = storedBytes(manifest.files)
  try {
    await mkdir(part, { recursive: true, mode: 0o700 })
    const there = await tidied(part, manifest.files)
    const missing = manifest.files.filter(({ name }) => !there.has(name))
    await checkSpace(part, storedBytes(missing))
    let before = 0
    await context.targets.use(target, async (opened) => {
      for (const file of manifest.files) {
        const onBytes = (bytes: number) =>
          onEvent?.({ type: 'progress', step: 'fetch', text: `Fetch from ${target}`, bytes: before + bytes, of })
        if (!there.has(file.name)) {
          const fault = await fetchFile(opened, key, file, join(part, file.name), { signal, onBytes })
          if (fault !== undefined) {
            const error = damagedCopy(target, key, file.name, fault)
            const verified = context.clock().toISOString()
            await rememberCopy(context, { key, manifest }, target, { at: stored, verified, damage: error.message })
            throw error
          }
        }
        before += file.size
      }
    })
    await writeFile(join(part, manifestName), manifestText(manifest), { mode: 0o400, flush: true })
    await syncPath(part)
    await replace(folder, part)
  } catch (error) {
    signal?.throwIfAborted()
    throw fileError(error, `Cannot fetch ${key} into ${dirname(folder)}`)
  }
  const at = context.clock().toISOString()
  await rememberCopy(context, { key, manifest }, target, { at: stored, verified: at })
  await changeStatus(folder, (status) => ({ ...status, verified: { at } }))
}

/** Files of a former fetch that are whole and good; all others are removed. */
async function tidied(part: string, files: readonly ManifestFile[]): Promise<ReadonlySet<string>> {
  const good = new Set<string>()
  for (const name of await readdir(part)) {
    const file = files.find((one) => one.name === name)
    const path = join(part, name)
    if (file && (await stat(path)).size === file.size && (await hashFile(path)).sha256 === file.sha256) good.add(name)
    else await removeTree(path)
  }
  return good
}

/** @returns what is wrong with the copy, as half a sentence; nothing is left of the file then. */
export async function fetchFile(
  target: BackupTarget,
  key: string,
  { name, size, sha256 }: ManifestFile,
  path: string,
  { signal, onBytes }: StreamOptions,
): Promise<string | undefined> {
  try {
    const found = await writeMeasured(path, () => target.get(remoteKey(key, name), { signal }), { signal, onBytes })
    if (found.size === size && found.sha256 === sha256) {
      await chmod(path, 0o400)
      return undefined
    }
    await rm(path)
    return found.size === size ? 'was changed (its hash is another one)' : `gives ${found.size} bytes, not ${size}`
  } catch (error) {
    await rm(path, { force: true })
    if (isTargetError(error, 'ERR_TARGET_NOT_FOUND')) return 'is missing'
    if (isTargetError(error, 'ERR_TARGET_DAMAGED')) return `cannot be read completely (${error.message})`
    throw error
  }
}

/** Writes a new file, which is on the disk when this resolves; what comes meanwhile is written together. */
async function writeMeasured(
  path: string,
  read: () => Promise<Readable>,
  { signal, onBytes }: StreamOptions,
): Promise<FileHash> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', 0o600)
  const take = async (chunks: readonly Buffer[]) => {
    for (const chunk of chunks) hash.update(chunk)
    await writeAll(file, chunks)
    for (const chunk of chunks) {
      size += chunk.length
      giveBack(chunk)
    }
    onBytes?.(size)
  }
  let taken = Promise.resolve()
  const taking = callbackify((chunks: readonly Buffer[]) => (taken = take(chunks)))
  const sink = new Writable({
    highWaterMark: 1 << 20,
    write: (chunk: Buffer, _encoding, done) => taking([chunk], done),
    writev: (all, done) =>
      taking(
        all.map(({ chunk }) => chunk as Buffer),
        done,
      ),
  })
  try {
    await pipeline(await read(), sink, { signal })
    await file.sync()
  } finally {
    // A write may be under way when it is aborted.
    await taken.catch(() => {})
    await file.close()
  }
  return { size, sha256: hash.digest('hex') }
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  let { bytesWritten: done } = await file.writev(chunks)
  for (const chunk of chunks) {
    if (done < chunk.length) await file.writeFile(chunk.subarray(done))
    done = Math.max(0, done - chunk.length)
  }
}

/** What is there is known to be damaged. */
async function replace(folder: string, part: string): Promise<void> {
  await removeBackup(folder)
  await rename(part, folder)
  await syncPath(dirname(folder))
}
