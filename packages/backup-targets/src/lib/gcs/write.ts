import type { CRC32C } from '@google-cloud/storage'
import { checkKey, uploadId } from '../key.js'
import { TargetError } from '../target-error.js'
import type { PutOptions, Source, StoredObject } from '../target.js'
import type { Api } from './api.js'
import { toTargetError } from './errors.js'
import { describeObject } from './read.js'
import { removeObject } from './remove.js'
import { uploadInPieces } from './resumable-upload.js'

/** What uploads of one connection have in common. */
export interface Uploads {
  /** Addresses of those that were cut, by key and `upload`. */
  readonly cut: Map<string, string>
  createHash(): CRC32C
}

export async function put(
  api: Api,
  { cut, createHash }: Uploads,
  key: string,
  source: Source,
  options: PutOptions = {},
): Promise<StoredObject> {
  const { signal, lockUntil, onProgress } = options
  checkKey(key)
  signal?.throwIfAborted()
  const id = `${key} ${uploadId(options.upload)}`
  if (lockUntil) {
    throw new TargetError('ERR_TARGET_SETTINGS', `Cannot lock "${key}": locks of Google are set on its bucket.`)
  }
  const what = `Cannot store "${key}"`
  const name = api.prefix + key
  const uri = cut.get(id)
  const hash = createHash()
  const onUri = (address: string) => {
    if (options.upload !== undefined) cut.set(id, address)
  }
  try {
    const { size, stored } = await uploadInPieces(api, source, { ...options, name, what, hash, uri, onUri })
    if (Number(stored.size) !== size) throw damaged(what, `${stored.size} bytes instead of ${size}`)
    if (stored.crc32c !== hash.toString()) throw damaged(what, 'other bytes than were sent')
    cut.delete(id)
    onProgress?.(size)
    return describeObject(key, stored)
  } catch (error) {
    signal?.throwIfAborted()
    const failure = toTargetError(error, what)
    const isForgotten = failure.code === 'ERR_TARGET_NOT_FOUND'
    if (failure.code === 'ERR_TARGET_DAMAGED') await removeObject(api, key, {}).catch(() => {})
    if (isForgotten || failure.code === 'ERR_TARGET_DAMAGED' || !failure.transient) cut.delete(id)
    // Another attempt starts again from the first byte.
    if (isForgotten) throw new TargetError('ERR_TARGET_FAILED', failure.message, { cause: error, transient: true })
    throw failure
  }
}

function damaged(what: string, has: string): TargetError {
  return new TargetError('ERR_TARGET_DAMAGED', `${what}: the store has ${has}.`)
}
