import { createHash } from 'node:crypto'
import { giveBack, type BackupTarget, type CallOptions } from '@steward/backup-targets'
import type { FileHash } from '../../files/hash-file.js'
import type { StreamOptions } from '../../files/stream-options.js'
import { isTargetError } from '../../targets/target-failure.js'
import type { ManifestFile } from '../backup.js'
import { remoteKey } from './remote-backup.js'

/** A manifest has a few KB; whatever is longer is none. */
const mostBytes = 1 << 24

/** Reads a small object. @returns undefined when there is none. */
export async function readSmall(
  target: BackupTarget,
  key: string,
  { signal }: CallOptions = {},
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of await target.get(key, { signal })) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size > mostBytes) break
    }
  } catch (error) {
    if (isTargetError(error, 'ERR_TARGET_NOT_FOUND')) return undefined
    throw error
  }
  return Buffer.concat(chunks)
}

/** Bytes and SHA-256 of an object, read back whole. @param onBytes called with the bytes so far */
export async function measureObject(
  target: BackupTarget,
  key: string,
  { signal, onBytes }: StreamOptions = {},
): Promise<FileHash> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of await target.get(key, { signal })) {
    hash.update(chunk as Buffer)
    size += (chunk as Buffer).length
    giveBack(chunk as Buffer)
    onBytes?.(size)
  }
  return { size, sha256: hash.digest('hex') }
}

/** How a copy of a file is looked at: only its size, by the store's own hash when it has one, or by reading it back. */
export type CheckDepth = 'size' | 'hash' | 'bytes'

/**
 * Whether the copy of a file is what it should be.
 *
 * @returns what is wrong, as half a sentence: `is missing`; undefined: nothing
 * @throws TargetError when it cannot be found out
 */
export async function faultOf(
  target: BackupTarget,
  key: string,
  { name, size, sha256 }: Pick<ManifestFile, 'name' | 'size' | 'sha256'>,
  { depth, signal, onBytes }: StreamOptions & { readonly depth: CheckDepth },
): Promise<string | undefined> {
  const object = remoteKey(key, name)
  const stored = await target.stat(object, { signal })
  if (!stored) return 'is missing'
  if (stored.size !== size) return `has ${stored.size} bytes, not ${size}`
  if (depth === 'size') return undefined
  try {
    const tells = depth === 'hash' && target.capabilities.hashes.includes('sha256')
    const told = tells ? (await target.hash?.(object, { signal }))?.sha256 : undefined
    const found = told === undefined ? await measureObject(target, object, { signal, onBytes }) : { size, sha256: told }
    if (found.size !== size) return `gives ${found.size} bytes, not ${size}`
    return found.sha256 === sha256 ? undefined : 'was changed (its hash is another one)'
  } catch (error) {
    if (isTargetError(error, 'ERR_TARGET_DAMAGED')) return `cannot be read completely (${error.message})`
    if (isTargetError(error, 'ERR_TARGET_NOT_FOUND')) return 'is missing'
    throw error
  }
}
