import { checkKey, uploadId } from '../key.js'
import { exists } from '../parts.js'
import { TargetError } from '../target-error.js'
import type { PutOptions, Source, StoredObject } from '../target.js'
import { onlyNew, type Abilities } from './abilities.js'
import type { S3Connection } from './connection.js'
import { isForgotten, refuseLocked, retentionOf, type Retention } from './lock.js'
import { sendParts } from './multipart.js'
import { maxObjectBytes, maxParts, parallelOf, partBytesFor } from './part-size.js'
import { partsOf, type Part } from '../source-parts.js'
import { head, md5Of, storedObject } from './read.js'
import { removeVersion } from './remove.js'
import { sendBytes } from './send-bytes.js'

export async function put(
  connection: S3Connection,
  abilities: Abilities,
  key: string,
  source: Source,
  options: PutOptions,
): Promise<StoredObject> {
  checkKey(key)
  uploadId(options.upload)
  const { signal } = options
  if ((source.size ?? 0) > maxObjectBytes) throw tooLarge(key)
  const retention = retentionOf(connection.settings, abilities, options.lockUntil)
  const checkPresent = () => refusePresent(connection, abilities, key, options)
  await checkPresent()

  const conditionIf = (isKept: boolean) => (options.ifAbsent && isKept ? onlyNew : {})
  const partBytes = partBytesFor(source.size, connection.settings.partBytes)
  const free: Buffer[] = []
  const take = () => free.pop() ?? Buffer.allocUnsafeSlow(Math.min(partBytes, source.size ?? partBytes))
  const failure = new AbortController()
  const parts = partsOf(source, take, signal ? AbortSignal.any([signal, failure.signal]) : failure.signal)
  try {
    const { value: first } = (await parts.next()) as IteratorYieldResult<Part>
    if (first.isLast) {
      const { VersionId } = await sendWhole(connection, key, first, options, {
        ...retention,
        ...conditionIf(abilities.conditionalPut),
      })
      return await verify(
        connection,
        key,
        { size: first.bytes.length, md5: first.md5, versionId: VersionId, retention },
        signal,
      )
    }
    const sent = await sendParts(connection, {
      key,
      parts: following(key, first, parts),
      failure,
      parallel: parallelOf(partBytes),
      release: (bytes) => free.push(bytes),
      create: retention,
      complete: conditionIf(abilities.conditionalComplete),
      beforeComplete: checkPresent,
      options,
    })
    return await verify(connection, key, { ...sent, retention }, signal)
  } finally {
    await parts.return()
  }
}

/** What is there must stay when the caller wants that, or the store. */
async function refusePresent(
  connection: S3Connection,
  { immutability }: Abilities,
  key: string,
  { ifAbsent = false, signal }: PutOptions,
): Promise<void> {
  if (!ifAbsent && !immutability) return
  const found = await head(connection, key, { signal })
  if (!found) return
  if (ifAbsent) throw exists(key)
  refuseLocked(key, found)
}

/** Stores an object by one request. */
async function sendWhole(
  connection: S3Connection,
  key: string,
  { bytes, md5 }: Part,
  { signal, onProgress }: PutOptions,
  fields: Retention & { readonly IfNoneMatch?: string },
): Promise<{ readonly VersionId?: string | undefined }> {
  let attempts = 0
  try {
    const onMove = () => onProgress?.(0)
    const answer = await sendBytes(connection, { key, bytes, md5, signal, onMove }, (s3, body, request) => {
      attempts++
      return s3.putObject({ ...connection.at(key), ...body, ...fields }, request)
    })
    onProgress?.(bytes.length)
    return answer
  } catch (error) {
    // The answer to a former attempt may have been lost: then it is there by us.
    if (!TargetError.is(error) || error.code !== 'ERR_TARGET_EXISTS' || attempts < 2) throw error
    const found = await head(connection, key, { signal })
    if (!found || md5Of(found) !== md5.toString('hex')) throw error
    return found
  }
}

async function* following(key: string, first: Part, rest: AsyncIterable<Part>): AsyncGenerator<Part> {
  yield first
  for await (const part of rest) {
    if (part.number > maxParts) throw tooLarge(key)
    yield part
  }
}

interface Sent {
  readonly size: number
  readonly md5?: Buffer
  readonly versionId: string | undefined
  readonly retention: Retention
}

/** Looks at what the store has now. What is not as it was sent is removed. */
async function verify(
  connection: S3Connection,
  key: string,
  { size, md5, versionId, retention }: Sent,
  signal: AbortSignal | undefined,
): Promise<StoredObject> {
  const found = await head(connection, key, { signal })
  const stored = found && md5Of(found)
  const isSame = md5 === undefined || stored === undefined || stored === md5.toString('hex')
  if (found?.ContentLength === size && isSame) {
    if (isForgotten(retention, found)) await lock(connection, key, retention, versionId, signal)
    return storedObject(key, found)
  }
  const what = !found ? 'nothing' : found.ContentLength === size ? 'other bytes' : `${found.ContentLength} bytes`
  if (found) await removeVersion(connection, key, versionId).catch(() => {})
  throw new TargetError('ERR_TARGET_DAMAGED', `The store has ${what} of ${key} instead of the ${size} bytes sent.`)
}

async function lock(
  connection: S3Connection,
  key: string,
  { ObjectLockMode: Mode, ObjectLockRetainUntilDate: RetainUntilDate }: Retention,
  VersionId: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const Retention = { Mode, RetainUntilDate }
  await connection.call(
    (s3, request) => s3.putObjectRetention({ ...connection.at(key), VersionId, Retention }, request),
    { key, signal },
  )
}

function tooLarge(key: string): TargetError {
  return new TargetError('ERR_TARGET_FULL', `${key} needs more than ${maxParts} parts.`, {
    help: 'Set part_mb to a larger number.',
  })
}
