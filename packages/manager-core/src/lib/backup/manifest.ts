import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Manifest } from './backup.js'

export const manifestName = 'manifest.json'
export const filesName = 'files.tar.zst'

/** With a hash of its own in the end, so that a changed byte of it is found, too. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: hashOf(manifest) }, null, 2)}\n`
}

/**
 * @returns undefined when there is none: an incomplete backup.
 * @throws ManagerError ERR_BACKUP for one that is cut off, changed, or of a newer manager.
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = join(folder, manifestName)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new ManagerError('ERR_BACKUP', `Cannot read ${file}: ${(error as Error).message}.`, { cause: error })
  }
  return parse(text, file)
}

/** @throws ManagerError ERR_BACKUP, also when there is none */
export async function needManifest(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  if (manifest) return manifest
  throw new ManagerError('ERR_BACKUP', `There is no backup in ${folder} any more: it has no manifest.`)
}

function parse(text: string, file: string): Manifest {
  let value: Manifest
  try {
    const { sha256: _hash, ...rest } = JSON.parse(text) as Manifest & { sha256: string }
    value = rest
  } catch (error) {
    throw new ManagerError('ERR_BACKUP', `${file} is damaged: it is no JSON.`, { cause: error })
  }
  if (manifestText(value) !== text) throw new ManagerError('ERR_BACKUP', `${file} is damaged: it was changed.`)
  if (value.format !== 1)
    throw new ManagerError('ERR_BACKUP', `${file} has format ${String(value.format)}, made by a newer manager.`)
  return value
}

function hashOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}
