import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { DocumentBucket } from './bucket.js'

/** A file of a document: `<first two characters of the id>/<id>/<file>`. Its content never changes. */
export interface DocumentFile {
  readonly key: string
  /** Bytes. */
  readonly size: number
  readonly modified: Date
  /** Its bytes from `start` (default 0) on. May be called again. */
  open(start?: number): Promise<Readable>
  /** Called once when it is not read any more. */
  release?(): Promise<void>
}

/** Folder of a document, relative to that of all; undefined: this is not the id of a stored document. */
export function documentFolder(id: string): string | undefined {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? `${id.slice(0, 2)}/${id}` : undefined
}

export interface TransferOptions {
  readonly signal?: AbortSignal | undefined
  /** Bytes that were transferred, so far. */
  readonly onBytes?: ((bytes: number) => void) | undefined
  /** Whether a file is transferred, by its key. Default: all are. */
  readonly isWanted?: ((key: string) => boolean) | undefined
}

/** Files on their way at the same time: most are small. */
const parallel = 8
/** Smaller ones are in memory as a whole. */
export const smallBytes = 1 << 20

/** All files in a bucket, in the order of their keys. */
export async function* filesIn(bucket: DocumentBucket, signal?: AbortSignal): AsyncGenerator<DocumentFile> {
  let cursor: string | undefined
  do {
    const page = await bucket.list({ cursor, signal })
    for (const { key, size, modified } of page.objects)
      yield { key, size, modified, open: (start) => bucket.get(key, { start, signal }) }
    cursor = page.next
  } while (cursor !== undefined)
}

/** Whether a file is the one that each document has. */
export function isDocument(key: string): boolean {
  return key.endsWith('/info.json')
}

/** How many bytes and documents there are. */
export async function measureFiles(
  files: AsyncIterable<DocumentFile>,
): Promise<{ readonly bytes: number; readonly documents: number }> {
  let bytes = 0
  let documents = 0
  for await (const { key, size } of files) {
    bytes += size
    if (isDocument(key)) documents++
  }
  return { bytes, documents }
}

/**
 * Puts files into a bucket, several at the same time. A file that is gone when it is read is left out: the application
 * removed its document meanwhile.
 *
 * @param known keys that are there already and are left out; those that are put are added
 */
export async function putFiles(
  bucket: DocumentBucket,
  files: AsyncIterable<DocumentFile>,
  known: Set<string>,
  { signal, onBytes, isWanted = () => true }: TransferOptions = {},
): Promise<void> {
  let total = 0
  const under = new Set<Promise<void>>()
  const put = async (file: DocumentFile): Promise<void> => {
    try {
      const bytes = file.size <= smallBytes ? await buffer(await file.open()) : undefined
      const open = bytes ? (start = 0) => streamOf(bytes.subarray(start)) : (start = 0) => file.open(start)
      await bucket.put(file.key, { size: file.size, open }, { signal })
    } catch (error) {
      if (isGone(error)) return
      throw error
    } finally {
      await file.release?.()
    }
    known.add(file.key)
    total += file.size
    onBytes?.(total)
  }
  let failure: { readonly error: unknown } | undefined
  try {
    for await (const file of files) {
      if (failure) break
      signal?.throwIfAborted()
      if (known.has(file.key) || !isWanted(file.key)) continue
      const work: Promise<void> = put(file)
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => under.delete(work))
      under.add(work)
      if (under.size >= parallel) await Promise.race(under)
    }
  } finally {
    await Promise.all(under)
  }
  if (failure) throw failure.error
}

export function streamOf(bytes: Uint8Array): Readable {
  return Readable.from([bytes], { objectMode: false })
}

/** Whether a file was removed since it was listed. */
export function isGone(error: unknown): boolean {
  return ['ERR_TARGET_NOT_FOUND', 'ENOENT'].includes((error as { readonly code?: string }).code ?? '')
}
