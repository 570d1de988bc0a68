import { createWriteStream, existsSync } from 'node:fs'
import { type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { makeFolder, moveTo } from '../accounts/places.js'
import { ManagerError } from '../../errors.js'
import { openForeign, visitForeign } from '../accounts/foreign.js'
import { removeTree } from '../accounts/remove-tree.js'
import { visitTree } from '../accounts/visit-tree.js'
import type { Settings } from '../settings/settings.js'
import { useBucket } from './bucket.js'
import {
  filesIn,
  isDocument,
  isGone,
  measureFiles,
  putFiles,
  type DocumentFile,
  type TransferOptions,
} from './document-files.js'

/** Where documents are: a place in a bucket, or an absolute folder in which nothing else changes files. */
export type DocumentsPlace = { readonly place: string } | { readonly folder: string }

interface Context {
  readonly settings: Settings
}

interface OpenPlace {
  /** Those that are there now. */
  files(): AsyncIterable<DocumentFile>
  /** See `putFiles`. */
  put(files: AsyncIterable<DocumentFile>, known: Set<string>): Promise<void>
}

/**
 * Copies documents that are not there yet, then those that came meanwhile. Documents never change, so what was copied
 * before still holds.
 *
 * @param last is called with what copies the rest; a caller that wants documents and database of one moment pauses around it
 * @throws ManagerError ERR_SETTINGS, ERR_TARGET
 */
export async function copyDocuments(
  context: Context,
  from: DocumentsPlace,
  to: DocumentsPlace,
  options: TransferOptions = {},
  last?: (copyRest: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await openPlace(context, from, options, (source) =>
    openPlace(context, to, options, async (target) => {
      const known = new Set<string>()
      for await (const { key } of target.files()) known.add(key)
      await target.put(source.files(), known)
      await last?.(() => target.put(source.files(), known))
    }),
  )
}

/** How many bytes and documents there are. @throws ManagerError ERR_SETTINGS, ERR_TARGET */
export async function measureDocuments(
  context: Context,
  at: DocumentsPlace,
  options: TransferOptions = {},
): Promise<{ readonly bytes: number; readonly documents: number }> {
  if ('place' in at) return openPlace(context, at, options, ({ files }) => measureFiles(files()))
  const found = { bytes: 0, documents: 0 }
  await visitForeign(at.folder, ({ path, kind, stats }) => {
    if (kind !== 'file') return
    found.bytes += stats.size
    if (isDocument(path)) found.documents++
  })
  return found
}

/** The same of a folder, which is removed then; nothing to do when it is not there. */
export async function moveDocuments(
  context: Context,
  folder: string,
  place: string,
  options: TransferOptions = {},
): Promise<void> {
  if (!existsSync(folder)) return
  await copyDocuments(context, { folder }, { place }, options)
  await removeTree(folder, undefined)
}

function openPlace<T>(
  context: Context,
  at: DocumentsPlace,
  options: TransferOptions,
  work: (place: OpenPlace) => Promise<T>,
): Promise<T> {
  if ('folder' in at) {
    const { folder } = at
    return work({
      files: () => filesBelow(folder, options.signal),
      put: (files, known) => writeFiles(folder, files, known, options),
    })
  }
  return useBucket(context, at.place, (bucket) =>
    work({
      files: () => filesIn(bucket, options.signal),
      put: (files, known) => putFiles(bucket, files, known, options),
    }),
  )
}

/** @throws ManagerError ERR_FAILED for what a bucket cannot hold: what moves documents removes the folder afterwards */
async function* filesBelow(folder: string, signal: AbortSignal | undefined): AsyncGenerator<DocumentFile> {
  const files: DocumentFile[] = []
  await visitTree({ folder, entries: ['.'], signal }, ({ path: key, kind, stats }) => {
    const why = kind === 'link' ? 'it is a link' : key.isWellFormed() ? undefined : 'its name is not UTF-8'
    if (why !== undefined)
      throw new ManagerError(
        'ERR_FAILED',
        `${JSON.stringify(join(folder, key))} cannot be moved to a bucket: ${why}.`,
        {
          help: 'Move it away from the documents of the instance.',
        },
      )
    if (kind !== 'file' || key.endsWith(partial)) return
    const path = join(folder, key)
    const open = async (start = 0) => (await openThere(path)).createReadStream({ start })
    files.push({ key, size: stats.size, modified: stats.mtime, open })
  })
  yield* files
}

/** @throws Error when it is no longer there, or something else is */
async function openThere(path: string): Promise<FileHandle> {
  const handle = await openForeign(path)
  if (handle) return handle
  throw Object.assign(new Error(`${path} is no longer there`), { code: 'ENOENT' })
}

/** Ends the names of files that are being written. */
const partial = '.part'

async function writeFiles(
  folder: string,
  files: AsyncIterable<DocumentFile>,
  known: Set<string>,
  { signal, onBytes, isWanted = () => true }: TransferOptions,
): Promise<void> {
  let total = 0
  await makeFolder(folder, 0o700)
  for await (const { key, size, open } of files) {
    if (known.has(key) || !isWanted(key)) continue
    const path = join(folder, key)
    if (!path.startsWith(join(folder, '/')))
      throw new ManagerError('ERR_TARGET', `The bucket has an object that is not a document: "${key.slice(0, 200)}".`)
    try {
      const content = await open()
      await makeFolder(dirname(path), 0o700)
      const into = createWriteStream(path + partial, { mode: 0o600 })
      await pipeline(content, into, signal ? { signal } : {})
      await moveTo(path + partial, path)
    } catch (error) {
      if (isGone(error)) continue
      throw error
    }
    known.add(key)
    total += size
    onBytes?.(total)
  }
}
