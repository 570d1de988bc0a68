// @ts-check
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ManagerError } from '@steward/manager-core/errors'
import { unpackTar } from 'modern-tar/fs'

const prefix = '@steward/example-template-source-archive:'

/**
 * `APPS_TEMPLATE=@steward/example-template-source-archive:https://builds.example.com/shop.tar.gz`: the revision is the hash
 * of the archive.
 *
 * @type {import('@steward/manager-core').TemplateSourcePlugin}
 */
export const templateSource = {
  open({ workFolder }) {
    return {
      name: 'archive',
      accepts: (location) =>
        location.startsWith(`${prefix}http`) &&
        /^https?:/.test(location.slice(prefix.length)) &&
        URL.canParse(location.slice(prefix.length)),

      latest: (location, signal) =>
        download(location, workFolder, signal, async ({ revision, date }) => ({ revision, date })),

      fetch: (location, wanted, folder, signal) =>
        download(location, workFolder, signal, async ({ file, revision }) => {
          if (revision !== wanted.revision)
            throw new ManagerError('ERR_TEMPLATE', `${shown(location)} has changed while it was fetched.`, {
              command: 'refresh',
            })
          await unpack(file, folder, signal)
        }),
    }
  },
}

/**
 * @template T
 * @param {string} location
 * @param {string} workFolder
 * @param {AbortSignal | undefined} signal
 * @param {(archive: { file: string, revision: string, date: string }) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function download(location, workFolder, signal, work) {
  const folder = join(workFolder, `.fetch-${randomUUID()}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const { url, headers } = requestOf(location)
    const answer = await fetch(url, { headers, signal: signal ?? null }).catch((error) => {
      signal?.throwIfAborted()
      throw new ManagerError('ERR_TEMPLATE', `${shown(location)} cannot be reached: ${reasonOf(error)}.`, {
        cause: error,
      })
    })
    if (!answer.ok || !answer.body)
      throw new ManagerError('ERR_TEMPLATE', `${shown(location)} cannot be fetched: it answers ${answer.status}.`)
    const file = join(folder, 'archive')
    const hash = createHash('sha256')
    await pipeline(
      Readable.fromWeb(answer.body),
      async function* (chunks) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(file),
      signal ? { signal } : {},
    )
    const made = Date.parse(answer.headers.get('last-modified') ?? '')
    const date = new Date(Number.isNaN(made) ? 0 : made).toISOString()
    return await work({ file, revision: hash.digest('hex'), date })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @param {string} file @param {string} folder @param {AbortSignal | undefined} signal */
async function unpack(file, folder, signal) {
  try {
    await pipeline(createReadStream(file), createGunzip(), unpackTar(folder), signal ? { signal } : {})
  } catch (error) {
    signal?.throwIfAborted()
    throw new ManagerError('ERR_TEMPLATE', `The archive cannot be unpacked: ${reasonOf(error)}.`, { cause: error })
  }
}

/** A user in the address is sent as a header: errors of `fetch` show addresses. @param {string} location */
function requestOf(location) {
  const url = new URL(location.slice(prefix.length))
  const [user, password] = [url.username, url.password].map(decodeURIComponent)
  url.username = url.password = ''
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  return { url, headers: user === '' ? {} : { authorization } }
}

/** Without user and password. @param {string} location */
function shown(location) {
  return location.slice(prefix.length).replace(/\/\/[^/?#]*@/, '//***@')
}

/** @param {unknown} error */
function reasonOf(error) {
  const { message, cause } = /** @type {Error} */ (error)
  return cause instanceof Error ? cause.message : message
}
