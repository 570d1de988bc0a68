// @ts-check
import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, open, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { documentName, makeThumbnail, mediaTypeOf } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'

/** @typedef {import('@steward/rest-core').DocumentStore} DocumentStore */

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Documents as folders whose contents are hard links: `documents/<id>/{content,info.json}` and `contents/<SHA-256>`. The
 * file system counts the links, so that the last document takes the content with it.
 *
 * @param {{ folder: string, dataFolder: string }} places
 * @returns {DocumentStore}
 */
export function createDedupingStore({ folder, dataFolder }) {
  const root = resolve(dataFolder, folder)
  const documents = join(root, 'documents')
  const contents = join(root, 'contents')
  const incoming = join(root, 'incoming')
  /** @param {string} id */
  const place = (id) => join(documents, id)

  return {
    async put(content, { name: given, mime, path, maxBytes }) {
      const id = randomUUID()
      const name = documentName(given)
      const draft = join(incoming, id)
      for (const each of [draft, documents, contents]) await mkdir(each, { recursive: true })
      try {
        const file = join(draft, 'content')
        const { size, digest } = await writeContent(file, content, maxBytes, name)
        const info = { id, name, mime: mime || (await mediaTypeOf(name)), size, path }
        await share(file, join(contents, digest))
        await writeFile(join(draft, 'info.json'), JSON.stringify({ ...info, digest }), { flush: true })
        await rename(draft, place(id))
        await flushFolder(documents)
        return info
      } catch (error) {
        await rm(draft, { recursive: true, force: true })
        throw error
      }
    },

    info,

    async read(id, range) {
      if (!(await info(id))) throw RestError.notFound(`Document "${id}"`)
      const handle = await open(join(place(id), 'content'), 'r').catch((error) => {
        throw isMissing(error) ? RestError.notFound(`Document "${id}"`) : error
      })
      return handle.createReadStream({ ...range })
    },

    async thumbnail(id, pixels) {
      const found = await info(id)
      if (!found) throw RestError.notFound(`Document "${id}"`)
      return found.mime.startsWith('image/') ? makeThumbnail(join(place(id), 'content'), pixels) : undefined
    },

    async delete(id) {
      if (!idPattern.test(id)) return
      const digest = (await stored(id))?.digest
      await rm(join(incoming, id), { recursive: true, force: true })
      await rm(place(id), { recursive: true, force: true })
      if (digest === undefined) return
      const file = join(contents, digest)
      const links = await stat(file).then(
        ({ nlink }) => nlink,
        () => 0,
      )
      if (links === 1) await rm(file, { force: true })
    },

    async *list() {
      for (const parent of [documents, incoming])
        for await (const id of namesIn(parent)) {
          const storedAt = idPattern.test(id) ? await lastWrite(join(parent, id)) : undefined
          if (storedAt !== undefined) yield { id, storedAt }
        }
    },
  }

  /** @param {string} id */
  async function info(id) {
    const found = await stored(id)
    if (!found) return undefined
    const { digest: _, ...rest } = found
    return rest
  }

  /**
   * @param {string} id
   * @returns {Promise<(import('@steward/rest-core').DocumentInfo & { digest: string }) | undefined>}
   */
  async function stored(id) {
    if (!idPattern.test(id)) return undefined
    try {
      return JSON.parse(await readFile(join(place(id), 'info.json'), 'utf8'))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }
}

/**
 * Has the file be a link of the content that is there, or makes it the first. The content may be removed meanwhile, with
 * the last other document that had it: then the file stays what it is, a content of its own.
 *
 * @param {string} file
 * @param {string} content
 */
async function share(file, content) {
  try {
    await link(file, content)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    const draft = `${file}.shared`
    await link(content, draft).then(
      () => rename(draft, file),
      (failure) => {
        if (!isMissing(failure)) throw failure
      },
    )
  }
}

/**
 * @param {string} file
 * @param {import('node:stream').Readable | Uint8Array} content
 * @param {number} maxBytes
 * @param {string} name
 */
async function writeContent(file, content, maxBytes, name) {
  const hash = createHash('sha256')
  const handle = await open(file, 'wx')
  try {
    let size = 0
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      size += chunk.length
      if (size > maxBytes)
        throw new RestError('ERR_TOO_LARGE', `"${name}" is larger than the ${maxBytes} bytes that the field takes.`)
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    await handle.sync()
    return { size, digest: hash.digest('hex') }
  } finally {
    await handle.close()
  }
}

/** @param {string} folder */
async function* namesIn(folder) {
  try {
    for await (const { name } of await opendir(folder)) yield name
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** The info says when a document was stored: its content may be older. @param {string} folder */
async function lastWrite(folder) {
  for (const path of [join(folder, 'info.json'), folder]) {
    const found = await stat(path).catch((error) => {
      if (!isMissing(error)) throw error
    })
    if (found) return found.mtimeMs
  }
  return undefined
}

/** @param {string} folder */
async function flushFolder(folder) {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** @param {unknown} error */
function isMissing(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT'
}
