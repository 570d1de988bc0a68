import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { checkKey, isKey, uploadId } from '../key.js'
import { TargetError } from '../target-error.js'
import type { BackupTarget, GetOptions, StoredObject, TargetCapabilities } from '../target.js'
import { assertFolder, fileAt, fileError, isCode, removeEmptyFolders, syncFolder } from './files.js'
import { readObject } from './read-object.js'
import { nameOfPart, upload } from './upload.js'
import { walk } from './walk.js'

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
          const folder = dirname(join(root, key))
          await removePart(join(folder, `.${key.slice(key.lastIndexOf('/') + 1)}.${id}.part`))
          await removeEmptyFolders(root, folder)
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
      const keyOf = (folder: string, name: string) => (isKey(folder + name) ? folder + name : undefined)
      try {
        for await (const { key } of walk(root, { prefix, after: cursor, keyOf })) {
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
      await pipeline(await get(key, { signal }), hash)
      return { sha256: hash.digest('hex') }
    },

    async sweep({ before, prefix = '', signal }) {
      signal?.throwIfAborted()
      await assertFolder(root)
      let count = 0
      const keyOf = (folder: string, name: string) => {
        const ofKey = nameOfPart(name)
        return ofKey === undefined ? undefined : folder + ofKey
      }
      try {
        for await (const { path: part, folder } of walk(root, { prefix, after: '', keyOf })) {
          signal?.throwIfAborted()
          const found = await fileAt(part)
          // Written to meanwhile: that upload is under way.
          if (!found || found.mtime >= before) continue
          if (await removePart(part)) count++
          await removeEmptyFolders(root, folder)
        }
      } catch (error) {
        throw signal?.aborted ? signal.reason : fileError(error, `Cannot tidy ${root}`)
      }
      return count
    },

    close: () => Promise.resolve(),
  }
}

/** What was written is of no use to a next attempt, or in the way. */
function isFinal(failure: unknown): boolean {
  return failure instanceof TargetError && ['ERR_TARGET_FULL', 'ERR_TARGET_EXISTS'].includes(failure.code)
}
