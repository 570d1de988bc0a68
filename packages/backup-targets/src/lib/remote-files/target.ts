import { checkKey, uploadId } from '../key.js'
import { isFinal, keyOfObject, keyOfPart, partPath } from '../parts.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget, CallOptions, StoredObject } from '../target.js'
import { walk, type WalkOptions } from '../walk.js'
import { abortable } from '../abortable.js'
import { putFile } from './write.js'
import type { RemoteFiles } from './remote-files.js'

const pageSize = 1000
/** The longest wait before a failure is reported. */
const tidyingMs = 5000

/**
 * A target whose objects are files of a server, named by their keys; partial ones are `.<name>.<upload>.part` beside.
 * What it can do is known once it was connected: a server that cannot be reached at first can do little, and each call
 * tries to connect again.
 *
 * @throws TargetError when connecting fails for good.
 */
export async function createRemoteTarget(connect: () => Promise<RemoteFiles>): Promise<BackupTarget> {
  let files: RemoteFiles | undefined
  let connecting: Promise<RemoteFiles> | undefined
  let isClosed = false

  const connected = async (signal?: AbortSignal): Promise<RemoteFiles> => {
    signal?.throwIfAborted()
    if (files) return files
    connecting ??= connect()
      .then(async (found) => {
        files = found
        if (isClosed) await found.close()
        return found
      })
      .finally(() => (connecting = undefined))
    return abortable(connecting, signal)
  }

  await connected().catch((error: unknown) => {
    if (!TargetError.is(error) || !error.transient) throw error
  })

  return {
    get capabilities() {
      return {
        atomicPublish: 'rename',
        hashes: files?.sha256 ? (['sha256'] as const) : [],
        resume: 'append',
        multipart: undefined,
        conditionalCreate: files?.movesExclusively ?? false,
        immutability: false,
        unknownSize: true,
        listOrder: 'key',
        maxObjectBytes: undefined,
      } as const
    },

    async put(key, source, options = {}) {
      checkKey(key)
      const id = uploadId(options.upload)
      options.signal?.throwIfAborted()
      if (options.lockUntil)
        throw new TargetError('ERR_TARGET_SETTINGS', `"${key}" cannot be locked: the target has no immutability.`)
      const there = await connected(options.signal)
      try {
        return await putFile(there, key, id, source, options)
      } catch (error) {
        if (options.upload === undefined || isFinal(error)) await removeQuietly(there, partPath(key, id))
        throw error
      }
    },

    async get(key, { start = 0, end = Infinity, signal } = {}) {
      checkKey(key)
      const there = await connected(signal)
      const found = await there.stat(key, signal)
      if (!found) throw notFound(key)
      const until = Math.min(found.size, end + 1)
      return there.read(key, Math.min(start, until), until, signal)
    },

    async stat(key, { signal } = {}) {
      checkKey(key)
      const found = await (await connected(signal)).stat(key, signal)
      return found && { key, size: found.size, modified: found.modified }
    },

    async list({ prefix = '', cursor = '', limit = pageSize, signal } = {}) {
      const objects: StoredObject[] = []
      const options: WalkOptions = { prefix, after: cursor, signal, keyOf: keyOfObject }
      for await (const { key, entry } of walk(await connected(signal), options)) {
        if (objects.length >= Math.min(limit, pageSize)) return { objects, next: objects.at(-1)?.key }
        objects.push({ key, size: entry.size, modified: entry.modified })
      }
      return { objects, next: undefined }
    },

    async delete(key, { signal } = {}) {
      checkKey(key)
      const there = await connected(signal)
      if (!(await there.remove(key, signal))) return false
      await removeEmptyFolders(there, key, signal)
      return true
    },

    get hash() {
      if (!files?.sha256) return undefined
      const { stat, sha256 } = files
      return async (key: string, { signal }: CallOptions = {}) => {
        checkKey(key)
        if (!(await stat(key, signal))) throw notFound(key)
        return { sha256: await sha256(key, signal) }
      }
    },

    async sweep({ before, prefix = '', signal }) {
      const there = await connected(signal)
      let count = 0
      for await (const { path, entry } of walk(there, { prefix, after: '', signal, keyOf: keyOfPart })) {
        if (entry.modified >= before || !(await there.remove(path, signal))) continue
        count++
        await removeEmptyFolders(there, path, signal)
      }
      return count
    },

    async close() {
      isClosed = true
      await files?.close()
    },
  }
}

function notFound(key: string): TargetError {
  return new TargetError('ERR_TARGET_NOT_FOUND', `There is no "${key}".`)
}

/** The call has failed already, maybe for want of a connection; `sweep` removes what is left. */
async function removeQuietly(files: RemoteFiles, path: string): Promise<void> {
  const signal = AbortSignal.timeout(tidyingMs)
  try {
    if (await files.remove(path, signal)) await removeEmptyFolders(files, path, signal)
  } catch {
    // As said.
  }
}

/** Removes those of the file's folders in which nothing is left. */
async function removeEmptyFolders(files: RemoteFiles, path: string, signal: AbortSignal | undefined): Promise<void> {
  const names = path.split('/').slice(0, -1)
  while (names.length > 0 && (await files.removeFolder(names.join('/'), signal))) names.pop()
}
