import { createDiskDocumentStore } from '@steward/rest-core'
import type { DocumentStore } from '@steward/rest-core'
import { isBucket, openBucket } from './bucket-documents.js'
import { documentsFolder } from './data-folder.js'
import { openDocumentsPackage, type PackageUse } from './plugins.js'

/**
 * Where `documents` of `app.yaml` says: a folder, a bucket, or what a package keeps.
 *
 * @throws SettingsError
 */
export async function openDocuments(
  folder: string,
  dataFolder: string,
  said: string | PackageUse | undefined,
): Promise<DocumentStore> {
  if (typeof said === 'object') return openDocumentsPackage(folder, said, dataFolder)
  if (isBucket(said)) return openBucket(said)
  return createDiskDocumentStore({ folder: documentsFolder(folder, dataFolder, said) })
}

/** What keeps the documents when it is no folder: the name of a package. */
export function documentsPackage(said: string | PackageUse | undefined): string | undefined {
  if (typeof said === 'object') return said.package
  return isBucket(said) ? '@steward/backup-targets' : undefined
}
