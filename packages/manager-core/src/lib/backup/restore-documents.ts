import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { StepRun } from '../context.js'
import { useBucket } from '../documents/bucket.js'
import { moveDocuments } from '../documents/copy-documents.js'
import { unpackDocuments } from '../documents/unpack-documents.js'
import type { Manifest, ManifestFile } from './backup.js'
import { documentsBase, documentsIn, foldersIn } from './manifest.js'
import { unpackInto } from './packing/unpack.js'
import { readContent } from './read-content.js'

export interface RestoreDocumentsOptions {
  readonly backup: string
  /** It was verified. */
  readonly manifest: Manifest
  /** Where the files of the backup were unpacked: `data`. Nothing else writes there. */
  readonly data: string
  /** In a bucket, nothing is there yet. Undefined: `data/documents`. */
  readonly place: string | undefined
}

/** Puts the documents of a backup where they are to be, from wherever it has them. May be repeated. */
export async function restoreDocuments(
  { context, signal, progress }: StepRun,
  { backup, manifest, data, place }: RestoreDocumentsOptions,
): Promise<void> {
  const file = documentsIn(manifest)
  const read = (packed: ManifestFile, { sink, done }: { readonly sink: Writable; readonly done: Promise<unknown> }) =>
    Promise.all([readContent(context, { backup, manifest, file: packed, signal }, [sink]), done])
  if (place === undefined) {
    if (file) await read(file, await unpackInto(data, foldersIn[documentsBase] ?? []))
    return
  }
  const onBytes = (bytes: number) => progress('Put the documents', { bytes, ...(file && { of: file.plainSize }) })
  if (!file) return moveDocuments(context, join(data, 'documents'), place, { signal, onBytes })
  await useBucket(context, place, async (bucket) => {
    await read(file, unpackDocuments(bucket, join(data, '.document'), { signal, onBytes }))
  })
}
