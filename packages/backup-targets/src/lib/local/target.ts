import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { checkKey, uploadId } from '../key.js'
import { isFinal, keyOfObject, keyOfPart, partPath } from '../parts.js'
import { giveBack } from '../lent.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget, GetOptions, StoredObject, TargetCapabilities } from '../target.js'
import { walk, type Entry, type Folders } from '../walk.js'
import { assertFolder, entriesOf, fileAt, fileError, isCode, removeEmptyFolders, syncFolder } from './files.js'
import { readObject } from './read.js'
import { upload } from './write.js'

const capabilities: TargetCapabilities = Object.freeze({
  atomicPublish: 'rename',
  hashes: ['sha256'],
  resume: 'append',
  multipart: undefined,
  conditionalCreate: true,
  immutability: false,
  unknownSize: true,
  listOrder: 'key',
  maxObjectBytes: undefined,
} as const)

const pageSize = 1000

export interface LocalTargetOptions {
  /** Absolute path of a folder that is there; objects are files below it, named by their keys. */
  readonly path: string
}

/** Objects are files; partial ones are `.<name>.<upload>.part` beside. */
export function createLocalTarget({ path }: LocalTargetOptions): BackupTarget {
  const root = resolve(path)
  const stored = async (key: string): Promise<StoredObject | undefined> => {
    const found = await fileAt(join(root, key))
    return found && { key, size: found.size, modified: found.mtime }
  }
  const folders: Folders<Entry> = { list: (folder) => entriesOf(join(root, folder)) }
  const removePart = (part: string) =>
    unlink(part).then(
      () => true,
      () => false,
    )

  async function get(key: string, options: GetOptions = {}): Promise<Readable> {
    checkKey(key)
    options.signal?.throwIfAborted()
    await assertFolder(root)
    return readObject(root, key, options)
  }

  return {
    capabilities,

    async put(key, source, options = {}) {
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
          await removePart(part)
          await removeEmptyFolders(root, dirname(part))
        }
        throw failure
      }
    },

    get,

    async stat(key, { signal } = {}) {
      checkKey(key)
      signal?.throwIfAborted()
      await assertFolder(root)
      return stored(key).catch((error: unknown) => Promise.reject(fileError(error, `Cannot look at "${key}"`)))
    },

    async list({ prefix = '', cursor = '', limit = pageSize, signal } = {}) {
      signal?.throwIfAborted()
      await assertFolder(root)
      const objects: StoredObject[] = []
      try {
        for await (const { key } of walk(folders, { prefix, after: cursor, signal, keyOf: keyOfObject })) {
          signal?.throwIfAborted()
          if (objects.length >= Math.min(limit, pageSize)) return { objects, next: objects.at(-1)?.key }
          const found = await stored(key)
          if (found) objects.push(found)
        }
      } catch (error) {
        throw signal?.aborted ? signal.reason : fileError(error, `Cannot list ${root}`)
      }
      return { objects, next: undefined }
    },

    async delete(key, { signal } = {}) {
      checkKey(key)
      signal?.throwIfAborted()
      await assertFolder(root)
      const file = join(root, key)
      try {
        if (!(await fileAt(file))) return false
        await unlink(file)
        await syncFolder(dirname(file))
      } catch (error) {
        if (isCode(error, 'ENOENT')) return false
        throw fileError(error, `Cannot delete "${key}"`)
      }
      await removeEmptyFolders(root, dirname(file))
      return true
    },

    async hash(key, { signal } = {}) {
      const hash = createHash('sha256')
      for await (const chunk of (await get(key, { signal })) as AsyncIterable<Buffer>) {
        hash.update(chunk)
        giveBack(chunk)
      }
      return { sha256: hash.digest('hex') }
    },

    async sweep({ before, prefix = '', signal }) {
      signal?.throwIfAborted()
      await assertFolder(root)
      let count = 0
      try {
        for await (const { path: part } of walk(folders, { prefix, after: '', signal, keyOf: keyOfPart })) {
          signal?.throwIfAborted()
          const file = join(root, part)
          const found = await fileAt(file)
          // Written to meanwhile: that upload is under way.
          if (!found || found.mtime >= before) continue
          if (await removePart(file)) count++
          await removeEmptyFolders(root, dirname(file))
        }
      } catch (error) {
        throw signal?.aborted ? signal.reason : fileError(error, `Cannot tidy ${root}`)
      }
      return count
    },

    close: () => Promise.resolve(),
  }
}
