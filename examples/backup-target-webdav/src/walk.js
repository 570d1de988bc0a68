// @ts-check
import { isNotFound } from './errors.js'

/**
 * @typedef {object} Walk
 * @property {import('webdav').WebDAVClient} client
 * @property {string} root path of the folder that keys are below, with `/` at its end
 * @property {string} prefix keys begin with it
 * @property {string} after keys come after it; empty: all
 * @property {(folder: string, name: string) => string | undefined} keyOf the key that a file belongs to; undefined: none
 * @property {AbortSignal} [signal]
 */

/**
 * Files below a folder in the order of their keys. Folder by folder, as most servers refuse to list all at once, and only
 * those in which there can be some.
 *
 * @param {Walk} walk
 * @param {string} folder key of the folder, with `/` at its end; empty: the root
 * @returns {AsyncGenerator<{ key: string, path: string, stat: import('webdav').FileStat }, void, undefined>}
 */
export async function* filesOf(walk, folder = '') {
  const { client, root, prefix, after, keyOf, signal } = walk
  for (const [name, stat] of await entriesOf(client, root + folder, signal)) {
    if (stat.type === 'file') {
      const key = keyOf(folder, name)
      if (key !== undefined && key > after && key.startsWith(prefix)) yield { key, path: root + folder + name, stat }
      continue
    }
    const inner = folder + name
    const isPassed = after > inner && !after.startsWith(inner)
    if (!isPassed && (inner.startsWith(prefix) || prefix.startsWith(inner))) yield* filesOf(walk, inner)
  }
}

/**
 * With `/` after the names of folders, which gives the order of whole keys.
 *
 * @param {import('webdav').WebDAVClient} client
 * @param {string} path
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<[name: string, stat: import('webdav').FileStat][]>}
 */
async function entriesOf(client, path, signal) {
  try {
    const found = await client.getDirectoryContents(path, { signal, details: false })
    return found
      .map((stat) => /** @type {[string, typeof stat]} */ ([stat.basename + (stat.type === 'file' ? '' : '/'), stat]))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}
