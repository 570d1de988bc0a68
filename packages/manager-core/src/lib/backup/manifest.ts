import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Manifest, ManifestFile } from './backup.js'

export const manifestName = 'manifest.json'

/** What is in a backup, by the start of a file's name; `.zst` and perhaps `.age` follow. */
export const filesBase = 'files.tar'
/** For documents that are in a bucket. */
export const documentsBase = 'documents.tar'
/** For a copy of a manager. */
export const homeBase = 'home.tar'
export const settingsBase = 'settings.sh'

/** The only folders that a tar has entries in, by the start of its name. */
export const foldersIn: Readonly<Record<string, readonly string[]>> = {
  [filesBase]: ['app', 'data'],
  [documentsBase]: ['documents'],
  [homeBase]: ['settings', 'hooks', 'templates', 'certificates'],
}

/** The documents of a backup that it has beside its files; undefined: they are among these, or there are none. */
export function documentsIn(manifest: Pick<Manifest, 'files' | 'encryption'>): ManifestFile | undefined {
  const name = fileNameOf(documentsBase, manifest)
  return manifest.files.find((each) => each.name === name)
}

/** `files.tar.zst`, encrypted `files.tar.zst.age` */
export function fileNameOf(base: string, { encryption }: Pick<Manifest, 'encryption'>): string {
  return `${base}.zst${encryption ? '.age' : ''}`
}

/** @throws ManagerError ERR_BACKUP when the backup has no such file. */
export function needFile(manifest: Pick<Manifest, 'id' | 'files' | 'encryption'>, base: string): ManifestFile {
  const name = fileNameOf(base, manifest)
  const file = manifest.files.find((each) => each.name === name)
  if (file) return file
  throw new ManagerError('ERR_BACKUP', `The backup ${manifest.id} has no ${name}.`)
}

/**
 * The manager writes settings into encrypted backups only.
 *
 * @throws ManagerError ERR_BACKUP
 */
export function checkSecrets({ id, secrets, encryption }: Pick<Manifest, 'id' | 'secrets' | 'encryption'>): void {
  if (!secrets || encryption) return
  throw new ManagerError(
    'ERR_BACKUP',
    `The backup ${id} contains settings, but is not encrypted. The manager does not write such backups.`,
    { help: 'Find out who changed it, and restore another backup.', command: 'backups list' },
  )
}

/** How many bytes files take as they are stored. */
export function storedBytes(files: readonly Pick<ManifestFile, 'size'>[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** How many bytes files have when they are decompressed. */
export function plainBytes(files: readonly Pick<ManifestFile, 'plainSize'>[]): number {
  return files.reduce((sum, { plainSize }) => sum + plainSize, 0)
}

/** The part that backups share with whatever else is stored and compared in the same way. */
export type StoredFiles = Pick<Manifest, 'format' | 'files'>

/** With a hash of its own in the end, so that a changed byte of it is found, too. */
export function manifestText(manifest: Manifest | StoredFiles): string {
  return `${JSON.stringify({ ...manifest, sha256: hashOf(manifest) }, null, 2)}\n`
}

/**
 * @returns undefined when there is none: an incomplete backup.
 * @throws ManagerError ERR_BACKUP for one that is cut off, changed, or of a newer manager.
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = join(folder, manifestName)
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new ManagerError('ERR_BACKUP', `Cannot read ${file}: ${(error as Error).message}.`, { cause: error })
  }
  return parseManifest(bytes, file)
}

/** @throws ManagerError ERR_BACKUP, also when there is none */
export async function needManifest(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  if (manifest) return manifest
  throw new ManagerError('ERR_BACKUP', `The backup in ${folder} no longer exists: it has no manifest.`)
}

/**
 * @param shown how errors call it
 * @throws ManagerError ERR_BACKUP for one that is cut off, changed, or of a newer manager.
 */
export function parseManifest(bytes: Uint8Array, shown: string): Manifest {
  return parseStoredFiles(bytes, shown) as Manifest
}

/** The same of something else. @throws ManagerError ERR_BACKUP */
export function parseStoredFiles(bytes: Uint8Array, shown: string): StoredFiles {
  const damaged = (why: string, cause?: unknown) =>
    new ManagerError('ERR_BACKUP', `${shown} is damaged: ${why}.`, cause === undefined ? {} : { cause })
  let manifest: StoredFiles
  try {
    const { sha256: _hash, ...rest } = JSON.parse(new TextDecoder().decode(bytes)) as StoredFiles & { sha256: string }
    manifest = rest
  } catch (error) {
    throw damaged('it is not valid JSON', error)
  }
  if (!Buffer.from(manifestText(manifest)).equals(bytes)) throw damaged('it was changed')
  if (manifest.format !== 1 && manifest.format !== 2)
    throw new ManagerError('ERR_BACKUP', `${shown} has format ${String(manifest.format)}, made by a newer manager.`)
  if (!Array.isArray(manifest.files)) throw damaged('it names no files')
  // Readers take the names for those of files in its folder.
  const stranger = manifest.files.find(({ name }) => !/^[a-z]+(?:\.[a-z]+)+$/.test(name) || name === manifestName)
  if (stranger) throw damaged(`"${stranger.name}" is not a backup file`)
  return manifest
}

function hashOf(manifest: StoredFiles): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}
