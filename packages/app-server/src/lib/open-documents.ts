import { createDiskDocumentStore } from '@steward/rest-core'
import type { DocumentStore } from '@steward/rest-core'
import { openBucket } from './bucket-documents.js'
import { documentsFolder } from './data-folder.js'
import { openDocumentsPackage, type PackageUse } from './plugins.js'

/**
 * Where `documents` of `app.yaml` says: a folder, a bucket, or what a package keeps.
 *
 * @param place what says it, for messages
 * @throws SettingsError
 */
export async function openDocuments(
  folder: string,
  dataFolder: string,
  said: string | PackageUse | undefined,
  place = 'app.yaml: documents',
): Promise<DocumentStore> {
  if (typeof said === 'object') return openDocumentsPackage(folder, said, dataFolder)
  if (isBucket(said)) return openBucket(said, place)
  return createDiskDocumentStore({ folder: documentsFolder(folder, dataFolder, said) })
}

/** What keeps the documents when it is not a folder: the name of a package. */
export function documentsPackage(said: string | PackageUse | undefined): string | undefined {
  if (typeof said === 'object') return said.package
  return isBucket(said) ? '@steward/backup-targets' : undefined
}

function isBucket(said: string | undefined): said is string {
  return said?.startsWith('s3:') ?? false
}
