import { constants } from 'node:fs'
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkKey, uploadId } from '../key.js'
import { giveBack } from '../lent.js'
import { exists, isFinal, partPath } from '../parts.js'
import { chunksOf } from '../sources.js'
import { TargetError } from '../target-error.js'
import type { PutOptions, Source, StoredObject } from '../target.js'
import { fileError, isCode } from './errors.js'
import { assertFolder, fileAt, makeFolders, removeEmptyFolders, syncFolder } from './files.js'

/** Stores a file below `root`. What a failed upload of a name has written stays for the next one, when that is of use. */
export async function put(root: string, key: string, source: Source, options: PutOptions = {}): Promise<StoredObject> {
  checkKey(key)
  const id = uploadId(options.upload)
  options.signal?.throwIfAborted()
  if (options.lockUntil)
    throw new TargetError('ERR_TARGET_SETTINGS', `A folder cannot lock "${key}": it has no immutability.`)
  await assertFolder(root)
  try {
    return await upload(root, key, id, source, options)
  } catch (error) {
    const failure = options.signal?.aborted ? options.signal.reason : fileError(error, `Cannot store "${key}"`)
    const isOfUse = options.upload !== undefined && !isFinal(failure)
    if (!isOfUse) {
      const part = join(root, partPath(key, id))
      await rm(part).catch(() => {})
      await removeEmptyFolders(root, dirname(part))
    }
    throw failure
  }
}

/** Writes beside, makes it durable, and renames. What is there of a former upload is compared, not written again. */
async function upload(
  root: string,
  key: string,
  id: string,
  source: Source,
  { signal, onProgress, ifAbsent = false }: PutOptions,
): Promise<StoredObject> {
  const path = join(root, key)
  const folders = key.split('/').slice(0, -1)
  const part = join(root, partPath(key, id))
  if (ifAbsent && (await fileAt(path))) throw exists(key)
  const handle = await openPart(root, folders, part)
  try {
    const size = await write(handle, source, signal, onProgress)
    await handle.sync()
    const { size: stored, mtime, ino } = await handle.stat()
    if (stored !== size) throw new TargetError('ERR_TARGET_DAMAGED', `"${key}" has ${stored} bytes instead of ${size}.`)
    signal?.throwIfAborted()
    await publish(part, path, key, ifAbsent).catch(async (error: unknown) => {
      // Another process with the same upload was faster: it is this very file.
      if (!isCode(error, 'ENOENT') || (await fileAt(path))?.ino !== ino) throw error
    })
    await syncFolder(dirname(path))
    return { key, size, modified: mtime }
  } finally {
    await handle.close()
  }
}

/** A `delete` may remove the folders that it leaves empty meanwhile. */
async function openPart(root: string, folders: readonly string[], part: string): Promise<FileHandle> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolders(root, folders)
      const handle = await open(part, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
      if ((await handle.stat()).nlink === 1) return handle
      // Its process was killed when it had just published it: what is written now would change the object.
      await handle.close()
      await rm(part, { force: true })
    } catch (error) {
      if (!isCode(error, 'ENOENT') || attempt === 10) throw error
    }
  }
}

async function write(
  handle: FileHandle,
  source: Source,
  signal: AbortSignal | undefined,
  onProgress: PutOptions['onProgress'],
): Promise<number> {
  let { size: there } = await handle.stat()
  let at = 0
  for await (const chunk of chunksOf(source, 0, signal)) {
    const same = at < there ? await countSame(handle, chunk, at) : 0
    if (same < chunk.length) {
      // From here on it is another content, or the end of what was written.
      if (at + same < there) await handle.truncate((there = at + same))
      await writeAll(handle, chunk.subarray(same), at + same)
      there = at + chunk.length
    }
    at += chunk.length
    giveBack(chunk)
    if (at >= there) onProgress?.(at)
  }
  if (at < there) await handle.truncate(at)
  return at
}

/** How many bytes at the start of the chunk the file has already at this place. */
async function countSame(handle: FileHandle, chunk: Buffer, at: number): Promise<number> {
  const there = Buffer.allocUnsafe(chunk.length)
  const { bytesRead } = await handle.read(there, 0, chunk.length, at)
  if (there.compare(chunk, 0, bytesRead, 0, bytesRead) === 0) return bytesRead
  return there.findIndex((byte, index) => index >= bytesRead || byte !== chunk[index])
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

async function publish(part: string, path: string, key: string, ifAbsent: boolean): Promise<void> {
  if (!ifAbsent) return rename(part, path)
  try {
    await link(part, path)
    await rm(part, { force: true })
  } catch (error) {
    if (isCode(error, 'EEXIST')) throw exists(key)
    // File systems without hard links, as of USB sticks, have no way to do it at once.
    if (!isCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error
    if (await fileAt(path)) throw exists(key)
    await rename(part, path)
  }
}
