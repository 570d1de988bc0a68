import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { moveTo } from '../accounts/places.js'
import type { SystemAccount } from '../accounts/account.js'
import { copyFolder } from '../accounts/copy-folder.js'
import { openHome } from '../accounts/give.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { StepRun } from '../context.js'
import { useBucket } from '../documents/bucket.js'
import { moveDocuments } from '../documents/copy-documents.js'
import { unpackDocuments } from '../documents/unpack-documents.js'
import type { InstanceHome } from '../domain/home.js'
import type { Manifest } from './backup.js'
import { documentsBase, documentsIn } from './manifest.js'
import { readContent } from './read-content.js'
import { unpackFiles } from './unpack-files.js'

export interface RestoreDocumentsOptions {
  readonly backup: string
  /** It was verified. */
  readonly manifest: Manifest
  /** Where the files of the backup were unpacked; only the manager can make or replace anything in its folder. */
  readonly home: InstanceHome
  /** Whose its files are. Default: the manager's. */
  readonly account: SystemAccount | undefined
  /** In a bucket, nothing is there yet. Undefined: `data/documents`. */
  readonly place: string | undefined
}

/** Puts the documents of a backup where they are to be, from wherever it has them. May be repeated. */
export async function restoreDocuments(
  { context, signal, progress }: StepRun,
  { backup, manifest, home, account, place }: RestoreDocumentsOptions,
): Promise<void> {
  const file = documentsIn(manifest)
  const documents = join(home.data, 'documents')
  // The account may change what is in `data` meanwhile.
  const work = join(home.folder, '.documents')
  if (place === undefined) {
    if (!file) return
    await unpackFiles(context, { backup, manifest, base: documentsBase, folder: work, account, signal })
    const unpacked = join(work, 'documents')
    if (!existsSync(documents)) {
      if (existsSync(unpacked)) await moveTo(unpacked, documents)
    } else {
      // It copies them, and must get there.
      if (account) for (const each of [home.folder, work]) await openHome(each, account)
      await copyFolder(unpacked, documents, { signal, reader: account, writer: account })
    }
    await removeTree(work, account)
    return
  }
  const onBytes = (bytes: number) => progress('Put the documents', { bytes, ...(file && { of: file.plainSize }) })
  if (file) {
    await useBucket(context, place, async (bucket) => {
      const { sink, done } = unpackDocuments(bucket, join(home.folder, '.document'), { signal, onBytes })
      await Promise.all([readContent(context, { backup, manifest, file, signal }, [sink]), done])
    })
    return
  }
  if (!account) return moveDocuments(context, documents, place, { signal, onBytes })
  if (!existsSync(documents)) return
  await removeTree(work, account)
  await openHome(home.folder, account)
  await copyFolder(documents, work, { signal, reader: account })
  await moveDocuments(context, work, place, { signal, onBytes })
  await removeTree(documents, account)
}
