// @ts-check
import { Readable } from 'node:stream'
import { checkKey, isKey, readSource, TargetError, uploadId, wholeStream } from '@steward/backup-targets'
import { createClient } from 'webdav'
import { isNotFound, webdavError } from './errors.js'
import { makeFolders } from './folders.js'
import { filesOf } from './walk.js'

/** @typedef {import('@steward/backup-targets').BackupTarget} BackupTarget */
/** @typedef {import('@steward/backup-targets').StoredObject} StoredObject */

/** What it cannot do is said here, and neither asked of it nor tested. */
const capabilities = Object.freeze(
  /** @satisfies {import('@steward/backup-targets').TargetCapabilities} */ ({
    // A PUT may be seen while it runs: it goes to a temporary name, and is moved.
    atomicPublish: 'rename',
    hashes: [],
    // No way to append to a file works on all servers.
    resume: 'none',
    multipart: undefined,
    // `Overwrite: F` is looked up by some servers before they move.
    conditionalCreate: false,
    immutability: false,
    unknownSize: true,
    listOrder: 'key',
    maxObjectBytes: undefined,
  }),
)

const pageSize = 1000
const partName = /^\.(.+)\.[A-Za-z0-9]{8,64}\.part$/

/**
 * Objects are files named by their keys; partial ones are `.<name>.<upload>.part` beside. Folders are never removed: who
 * deletes one with WebDAV deletes all that others put there meanwhile.
 *
 * @param {{ url: string, user?: string | undefined, password?: string | undefined, prefix: string }} options
 * @returns {BackupTarget}
 */
export function createWebdavTarget({ url, user, password, prefix: ownPrefix }) {
  const client = createClient(url, user === undefined ? {} : { username: user, password: password ?? '' })
  const root = `/${ownPrefix}`

  /**
   * Every call: the signal's reason, or a TargetError.
   *
   * @template T
   * @param {string} attempt
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} call
   * @returns {Promise<T>}
   */
  async function tried(attempt, signal, call) {
    signal?.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      signal?.throwIfAborted()
      throw webdavError(error, attempt)
    }
  }

  /**
   * @param {string} path
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<{ size: number, modified: Date } | undefined>}
   */
  async function fileAt(path, signal) {
    try {
      const stat = /** @type {import('webdav').FileStat} */ (await client.stat(path, { signal }))
      return stat.type === 'file' ? { size: stat.size, modified: new Date(stat.lastmod) } : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  return {
    capabilities,

    async put(key, source, { upload, signal, ifAbsent = false, lockUntil, onProgress } = {}) {
      checkKey(key)
      const id = uploadId(upload)
      if (lockUntil)
        throw new TargetError('ERR_TARGET_SETTINGS', `"${key}" cannot be locked: WebDAV has no such locks.`)
      const path = root + key
      const at = path.lastIndexOf('/') + 1
      const [folder, part] = [path.slice(0, at), `${path.slice(0, at)}.${path.slice(at)}.${id}.part`]
      return tried(`Cannot store "${key}"`, signal, async () => {
        if (ifAbsent && (await fileAt(path, signal)))
          throw new TargetError('ERR_TARGET_EXISTS', `There is "${key}" already.`)
        await makeFolders(client, folder, signal)
        try {
          let sent = 0
          const bytes = readSource(source, { signal })
          bytes.on('data', (chunk) => {
            sent += chunk.length
            onProgress?.(sent)
          })
          // Nothing flows before the request takes it.
          bytes.pause()
          /** @type {Record<string, string>} */
          const headers = source.size === undefined ? {} : { 'Content-Length': String(source.size) }
          await client.putFileContents(part, bytes, { headers, signal })
          const stored = await fileAt(part, signal)
          if (stored?.size !== sent)
            throw new TargetError('ERR_TARGET_DAMAGED', `"${key}" has ${stored?.size} bytes instead of ${sent}.`)
          await client.moveFile(part, path, { overwrite: !ifAbsent, signal })
          return { key, ...stored }
        } catch (error) {
          // The upload cannot continue with it, so it is useless.
          await client.deleteFile(part).catch(() => {})
          throw error
        }
      })
    },

    async get(key, { start = 0, end, signal } = {}) {
      checkKey(key)
      const attempt = `Cannot read "${key}"`
      return tried(attempt, signal, async () => {
        // Without it, a folder or a page of an error would be taken for the object.
        const found = await fileAt(root + key, signal)
        if (!found) throw new TargetError('ERR_TARGET_NOT_FOUND', `There is no "${key}".`)
        const bytes = Math.max(0, Math.min(found.size, (end ?? found.size) + 1) - start)
        if (bytes === 0) return Readable.from([])
        const isPart = bytes < found.size
        /** @type {Record<string, string>} */
        const headers = isPart ? { Range: `bytes=${start}-${start + bytes - 1}` } : {}
        const answer = await client.customRequest(root + key, { method: 'GET', headers, signal })
        if (answer.status !== (isPart ? 206 : 200))
          throw new TargetError('ERR_TARGET_FAILED', `${attempt}: the server answered ${answer.status}.`)
        const body = /** @type {{ body: Readable }} */ (/** @type {unknown} */ (answer)).body
        return wholeStream(body, { key, bytes, signal, translate: (error) => webdavError(error, attempt) })
      })
    },

    async stat(key, { signal } = {}) {
      checkKey(key)
      const found = await tried(`Cannot look at "${key}"`, signal, () => fileAt(root + key, signal))
      return found && { key, ...found }
    },

    list({ prefix = '', cursor = '', limit = pageSize, signal } = {}) {
      return tried('Cannot list', signal, async () => {
        /** @type {StoredObject[]} */
        const objects = []
        /** @type {(folder: string, name: string) => string | undefined} */
        const keyOf = (folder, name) => (isKey(folder + name) ? folder + name : undefined)
        for await (const { key, stat } of filesOf({ client, root, prefix, after: cursor, keyOf, signal })) {
          if (objects.length >= Math.min(limit, pageSize)) return { objects, next: objects.at(-1)?.key }
          objects.push({ key, size: stat.size, modified: new Date(stat.lastmod) })
        }
        return { objects, next: undefined }
      })
    },

    async delete(key, { signal } = {}) {
      checkKey(key)
      return tried(`Cannot delete "${key}"`, signal, async () => {
        if (!(await fileAt(root + key, signal))) return false
        await client.deleteFile(root + key, { signal })
        return true
      })
    },

    sweep({ before, prefix = '', signal }) {
      return tried('Cannot tidy', signal, async () => {
        let count = 0
        /** @type {(folder: string, name: string) => string | undefined} */
        const keyOf = (folder, name) => {
          const ofKey = partName.exec(name)?.[1]
          return ofKey === undefined ? undefined : folder + ofKey
        }
        for await (const { path, stat } of filesOf({ client, root, prefix, after: '', keyOf, signal })) {
          if (new Date(stat.lastmod) >= before) continue
          await client.deleteFile(path, { signal })
          count++
        }
        return count
      })
    },

    close: () => Promise.resolve(),
  }
}
