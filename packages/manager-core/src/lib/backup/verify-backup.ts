import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Manifest, ManifestFile } from './backup.js'
import { filesName, manifestName } from './manifest.js'
import { createEntryCheck, type EntryCheck } from './packing/check-entries.js'
import { readCompressed, type Measures, type ReadOptions, type StreamOptions } from './packing/store.js'

export interface VerifyOptions extends StreamOptions {
  /** Refuses entries that would not be restored. */
  readonly inspect?: boolean
}

/**
 * Reads every byte of a backup's files: length and hash as stored and when decompressed.
 *
 * @throws ManagerError ERR_BACKUP naming the file.
 */
export async function verifyFiles(
  folder: string,
  { files }: Pick<Manifest, 'files'>,
  { signal, onBytes, inspect = false }: VerifyOptions = {},
): Promise<void> {
  const known = new Set([manifestName, ...files.map(({ name }) => name)])
  const there = new Set(await readdir(folder))
  for (const name of there) if (!known.has(name)) throw damaged(folder, name, 'does not belong to it')
  let before = 0
  for (const { name, ...expected } of files) {
    if (!there.has(name)) throw damaged(folder, name, 'is missing')
    const found = await verifyFile(folder, name, {
      signal,
      onBytes: (total) => onBytes?.(before + total),
      check: inspect ? checkOf(name) : undefined,
      end: Promise.resolve(expected),
    })
    before += found.plainSize
  }
}

/**
 * Reads every byte of a file of a backup, also while it is written: until `end` resolves, with what is known of it.
 *
 * @returns what it is
 * @throws ManagerError ERR_BACKUP when it cannot be read or is something else; what `end` rejects with.
 */
export async function verifyFile(
  folder: string,
  name: string,
  options: ReadOptions & { readonly end: Promise<Partial<Measures>> },
): Promise<ManifestFile> {
  const found = await read(folder, name, options)
  const expected = { ...found, ...(await options.end) }
  if (found.size !== expected.size) throw damaged(folder, name, `has ${found.size} bytes, not ${expected.size}`)
  if (found.sha256 !== expected.sha256) throw damaged(folder, name, 'was changed (its hash is another one)')
  if (found.plainSize !== expected.plainSize || found.plainSha256 !== expected.plainSha256)
    throw damaged(folder, name, 'does not hold what was saved')
  return { name, ...found }
}

/** What looks at the entries of a file. */
export function checkOf(name: string): EntryCheck | undefined {
  return name === filesName ? createEntryCheck() : undefined
}

async function read(folder: string, name: string, options: Parameters<typeof verifyFile>[2]): Promise<Measures> {
  try {
    return await readCompressed(join(folder, name), options)
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof ManagerError) throw error
    // Who could not write it knows why it cannot be read.
    await options.end
    throw damaged(folder, name, `cannot be read (${(error as Error).message})`, error)
  }
}

function damaged(folder: string, name: string, why: string, cause?: unknown): ManagerError {
  return new ManagerError('ERR_BACKUP', `The backup is damaged: ${join(folder, name)} ${why}.`, {
    ...(cause !== undefined && { cause }),
    help: 'Use another backup; nothing was changed.',
    command: 'backups',
  })
}
