import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { checkKey } from '../key.js'
import { giveBack } from '../lent.js'
import { keyOfObject } from '../parts.js'
import { TargetError } from '../target-error.js'
import type { CallOptions, GetOptions, Hashes, ListOptions, ListPage, StoredObject } from '../target.js'
import { walk } from '../walk.js'
import { wholeStream } from '../whole-stream.js'
import { fileError, isCode } from './errors.js'
import { assertFolder, fileAt, foldersBelow } from './files.js'

const pageSize = 1000

/** A regular file below `root`, or a part of it; links are none. */
export async function get(root: string, key: string, options: GetOptions = {}): Promise<Readable> {
  const { start = 0, end = Infinity, signal } = options
  checkKey(key)
  signal?.throwIfAborted()
  await assertFolder(root)
  const translate = (error: unknown) => fileError(error, `Cannot read "${key}"`)
  try {
    const handle = await open(join(root, key), constants.O_RDONLY | constants.O_NOFOLLOW)
    const found = await handle.stat()
    const bytes = Math.max(0, Math.min(found.size, end + 1) - start)
    if (found.isFile() && bytes > 0) {
      const stream = handle.createReadStream({ start, end: start + bytes - 1, highWaterMark: 1 << 18 })
      return wholeStream(stream, { key, bytes, signal, translate, lends: true })
    }
    await handle.close()
    if (found.isFile()) return Readable.from([])
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw translate(error)
  }
  throw new TargetError('ERR_TARGET_NOT_FOUND', `There is no "${key}" in ${root}.`)
}

export async function stat(root: string, key: string, { signal }: CallOptions = {}): Promise<StoredObject | undefined> {
  checkKey(key)
  signal?.throwIfAborted()
  await assertFolder(root)
  return stored(root, key).catch((error: unknown) => Promise.reject(fileError(error, `Cannot look at "${key}"`)))
}

export async function list(root: string, options: ListOptions = {}): Promise<ListPage> {
  const { prefix = '', cursor = '', limit = pageSize, signal } = options
  signal?.throwIfAborted()
  await assertFolder(root)
  const objects: StoredObject[] = []
  try {
    for await (const { key } of walk(foldersBelow(root), { prefix, after: cursor, signal, keyOf: keyOfObject })) {
      signal?.throwIfAborted()
      if (objects.length >= Math.min(limit, pageSize)) return { objects, next: objects.at(-1)?.key }
      const found = await stored(root, key)
      if (found) objects.push(found)
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : fileError(error, `Cannot list ${root}`)
  }
  return { objects, next: undefined }
}

export async function hash(root: string, key: string, { signal }: CallOptions = {}): Promise<Hashes> {
  const sum = createHash('sha256')
  for await (const chunk of (await get(root, key, { signal })) as AsyncIterable<Buffer>) {
    sum.update(chunk)
    giveBack(chunk)
  }
  return { sha256: sum.digest('hex') }
}

async function stored(root: string, key: string): Promise<StoredObject | undefined> {
  const found = await fileAt(join(root, key))
  return found && { key, size: found.size, modified: found.mtime }
}
