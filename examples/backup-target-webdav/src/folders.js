// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Makes a folder and those above it. Others may make them at the same time: the server refuses one of two then, as it is
 * there (405) or being made (423).
 *
 * @param {import('webdav').WebDAVClient} client
 * @param {string} path with `/` at both ends
 * @param {AbortSignal | undefined} signal
 */
export async function makeFolders(client, path, signal) {
  if (path === '/' || (await client.exists(path, { signal }))) return
  await makeFolders(client, path.replace(/[^/]+\/$/, ''), signal)
  for (let attempt = 1; ; attempt++) {
    try {
      await client.createDirectory(path, { signal })
      return
    } catch (error) {
      const { status = 0 } = /** @type {import('webdav').WebDAVClientError} */ (error)
      if (![405, 423].includes(status) || attempt === 40) throw error
      if (await client.exists(path, { signal })) return
      await sleep(25, undefined, { signal })
    }
  }
}
