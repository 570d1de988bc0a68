import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { hashFile } from '../files/hash-file.js'
import type { StreamOptions } from '../files/stream-options.js'
import type { BackupEncryptionSettings } from '../settings/settings.js'
import type { Manifest, ManifestFile, Verification, VerifyOptions } from './backup.js'
import { openerOf } from './encryption.js'
import { checkSecrets, fileNameOf, foldersIn, manifestName } from './manifest.js'
import { checkKey, isOtherKey, type Opener } from './packing/age.js'
import type { Measures, ReadOptions, TarContents } from './packing/read-options.js'
import { readCompressed } from './packing/store.js'
import { packingTools } from './packing/tools.js'

/**
 * Reads every byte of a backup. What cannot be decrypted here is read as it is stored.
 *
 * @throws ManagerError ERR_BACKUP naming the file that is wrong, or saying that the key is another one; ERR_SETTINGS
 */
export async function verifyBackup(
  folder: string,
  manifest: Manifest,
  keys: BackupEncryptionSettings,
  { deep = false, ...options }: VerifyOptions = {},
): Promise<Verification> {
  await checkNames(folder, manifest)
  if (!deep) return verifyStored(folder, manifest, options)
  let opener: Opener | undefined
  try {
    opener = await openerOf(manifest, keys)
  } catch (error) {
    if (!ManagerError.is(error)) throw error
    const { depth } = await verifyStored(folder, manifest, options)
    return { depth, note: `Its bytes are intact, but their contents were not checked. ${error.message}` }
  }
  await verifyContents(folder, manifest, opener, { ...options, deep: true })
  return { depth: 'contents' }
}

/** All that is needed of a manifest to read its files. */
export type StoredManifest = Pick<Manifest, 'id' | 'files' | 'encryption'>

/**
 * The same of one that is restored: all that it holds is looked at.
 *
 * @param unpacked starts of the names of files that `unpackFiles` reads next, which verifies them: of these, only the
 *   sizes are compared here
 * @throws ManagerError ERR_BACKUP also when it cannot be decrypted here; ERR_SETTINGS
 */
export async function verifyForRestore(
  folder: string,
  manifest: StoredManifest,
  keys: BackupEncryptionSettings,
  unpacked: readonly string[],
  options: StreamOptions = {},
): Promise<void> {
  await checkSizes(folder, manifest)
  const later = new Set(unpacked.map((base) => fileNameOf(base, manifest)))
  const files = manifest.files.filter(({ name }) => !later.has(name))
  await verifyContents(folder, { files }, await openerOf(manifest, keys), options)
}

/**
 * Whether it can be decrypted here, and has no settings in plain; only the start of one file is read.
 *
 * @throws ManagerError ERR_BACKUP when it cannot, or has; ERR_SETTINGS
 */
export async function checkKeys(folder: string, manifest: Manifest, keys: BackupEncryptionSettings): Promise<void> {
  checkSecrets(manifest)
  const opener = await openerOf(manifest, keys)
  const [file] = manifest.files
  if (!opener || !file) return
  try {
    await checkKey(join(folder, file.name), opener)
  } catch (error) {
    // Other damage is reported by the code that reads all of it.
    if (isOtherKey(error)) throw await unopened(folder, file.name, opener, file, error)
  }
}

/** Exactly those files are there. */
async function checkNames(folder: string, { files }: Pick<Manifest, 'files'>): Promise<void> {
  const known = new Set([manifestName, ...files.map(({ name }) => name)])
  const there = new Set(await namesIn(folder))
  for (const name of there) if (!known.has(name)) throw damaged(folder, name, 'does not belong to it')
  for (const { name } of files) if (!there.has(name)) throw damaged(folder, name, 'is missing')
}

/**
 * Whether all files are there and have their sizes; none is read.
 *
 * @throws ManagerError ERR_BACKUP naming the file that is wrong
 */
export async function checkSizes(folder: string, manifest: Pick<Manifest, 'files'>): Promise<void> {
  await checkNames(folder, manifest)
  for (const { name, size } of manifest.files) {
    const found = await stat(join(folder, name))
    if (found.size !== size) throw damaged(folder, name, `has ${found.size} bytes, not ${size}`)
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    throw new ManagerError('ERR_BACKUP', `Cannot read the backup in ${folder}: ${(error as Error).message}.`, {
      cause: error,
      command: 'backups list',
    })
  }
}

/** All files at the same time. */
async function verifyStored(
  folder: string,
  { files }: Pick<Manifest, 'files'>,
  { signal, onBytes }: StreamOptions,
): Promise<Verification> {
  const stop = new AbortController()
  const done = files.map(() => 0)
  const verified = files.map(async (file, index) => {
    const found = await hashFile(join(folder, file.name), {
      signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
      onBytes(bytes) {
        done[index] = bytes
        onBytes?.(done.reduce((sum, each) => sum + each))
      },
    }).catch((error: unknown) => {
      if (signal?.aborted || stop.signal.aborted) throw error
      throw damaged(folder, file.name, `cannot be read (${(error as Error).message})`, error)
    })
    compare(folder, file.name, found, file)
  })
  try {
    await Promise.all(verified)
  } catch (error) {
    stop.abort(error)
    await Promise.allSettled(verified)
    throw error
  }
  return { depth: 'stored' }
}

async function verifyContents(
  folder: string,
  { files }: Pick<Manifest, 'files'>,
  opener: Opener | undefined,
  {
    signal,
    onBytes,
    deep = false,
  }: StreamOptions & {
    /** Also what dumps say, and whether names can be made here. Default: no. */ readonly deep?: boolean
  },
): Promise<void> {
  let before = 0
  const plainNames = deep && (await packingTools()).tar === undefined
  for (const { name, ...expected } of files) {
    const tar = tarOf(name)
    const found = await verifyFile(folder, name, {
      signal,
      onBytes: (total) => onBytes?.(before + total),
      tar: tar && { ...tar, plainNames },
      dump: deep ? /^db\.([a-z]+)\./.exec(name)?.[1] : undefined,
      limit: expected.plainSize,
      opener,
      end: Promise.resolve(expected),
    })
    before += found.plainSize
  }
}

/**
 * Reads every byte of a file of a backup, also while it is written: until `end` resolves, with what is known of it.
 *
 * @returns what it is
 * @throws ManagerError ERR_BACKUP when it cannot be read or is something else; what `end` rejects with. When it is
 *   unpacked, also what prevents that.
 */
export async function verifyFile(
  folder: string,
  name: string,
  options: ReadOptions & { readonly end: Promise<Partial<Measures>> },
): Promise<ManifestFile> {
  const found = await read(folder, name, options)
  const { exitCodes, ...known } = await options.end
  const expected = { ...found, ...known }
  compare(folder, name, found, expected)
  if (found.plainSize !== expected.plainSize || found.plainSha256 !== expected.plainSha256)
    throw damaged(folder, name, 'does not contain what was backed up')
  if (found.entries !== expected.entries)
    throw damaged(folder, name, `has ${found.entries} entries, not ${expected.entries}`)
  return { name, ...found, ...(exitCodes && { exitCodes }) }
}

/** What a file is, by its name: a tar, or not. */
export function tarOf(name: string): TarContents | undefined {
  const tar = Object.keys(foldersIn).find((base) => name.startsWith(`${base}.`))
  return tar === undefined ? undefined : { tops: foldersIn[tar] }
}

type Stored = Pick<Measures, 'size' | 'sha256'>

function compare(folder: string, name: string, found: Stored, expected: Stored): void {
  if (found.size !== expected.size) throw damaged(folder, name, `has ${found.size} bytes, not ${expected.size}`)
  if (found.sha256 !== expected.sha256) throw damaged(folder, name, 'was changed (its hash is another one)')
}

async function read(folder: string, name: string, options: Parameters<typeof verifyFile>[2]): Promise<Measures> {
  const path = join(folder, name)
  try {
    return await readCompressed(path, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    if (ManagerError.is(error) || options.into) throw error
    // Who could not write it knows why it cannot be read.
    const { size, sha256 } = await options.end
    if (!isOtherKey(error)) throw damaged(folder, name, `cannot be read (${(error as Error).message})`, error)
    throw await unopened(folder, name, options.opener as Opener, { size, sha256 }, error)
  }
}

/** Why a file could not be decrypted: one that was changed is for no key, either. */
async function unopened(
  folder: string,
  name: string,
  opener: Opener,
  { size, sha256 }: Partial<Stored>,
  cause: unknown,
): Promise<ManagerError> {
  const path = join(folder, name)
  if (size !== undefined && sha256 !== undefined) compare(folder, name, await hashFile(path), { size, sha256 })
  const [what, variable] =
    'passphrase' in opener
      ? ['with another passphrase', 'APPS_BACKUP_PASSPHRASE']
      : ['for other keys', 'APPS_BACKUP_IDENTITY']
  return new ManagerError('ERR_BACKUP', `Cannot decrypt ${path}: it is encrypted ${what} than ${variable} has.`, {
    cause,
    help: 'Nothing was changed. The manifest of the backup names its recipients.',
  })
}

function damaged(folder: string, name: string, why: string, cause?: unknown): ManagerError {
  return new ManagerError('ERR_BACKUP', `The backup is damaged: ${join(folder, name)} ${why}.`, {
    ...(cause !== undefined && { cause }),
    help: 'Use another backup; nothing was changed.',
    command: 'backups list',
  })
}
