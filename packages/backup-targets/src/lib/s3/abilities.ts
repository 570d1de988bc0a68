import type { S3 } from '@aws-sdk/client-s3'
import { TargetError } from '../target-error.js'
import type { S3Connection } from './connection.js'
import { nameOf } from './errors.js'
import { cannotLock } from './lock.js'

/** Field of a request. */
export const onlyNew = { IfNoneMatch: '*' } as const

/** What differs between stores, found out when one is opened. */
export interface Abilities {
  /** `If-None-Match: *` is kept: an object that is there is not replaced by one that is sent at once. */
  readonly conditionalPut: boolean
  /** Nor by one that is sent in parts. */
  readonly conditionalComplete: boolean
  /** The bucket has Object Lock. */
  readonly immutability: boolean
}

/** Amazon's S3 is known to keep conditions; other stores are tried. */
export async function findAbilities(connection: S3Connection): Promise<Abilities> {
  const { bucket, endpoint, lockDays } = connection.settings
  const [immutability, conditions] = await Promise.all([
    hasObjectLock(connection),
    endpoint === undefined ? { conditionalPut: true, conditionalComplete: true } : findConditions(connection),
  ])
  if (lockDays !== undefined && !immutability) throw cannotLock(bucket)
  return { immutability, ...conditions }
}

async function hasObjectLock(connection: S3Connection): Promise<boolean> {
  const { bucket, lockDays } = connection.settings
  try {
    const { ObjectLockConfiguration } = await connection.call(
      (s3, request) => s3.getObjectLockConfiguration({ Bucket: bucket }, request),
      {},
    )
    return ObjectLockConfiguration?.ObjectLockEnabled === 'Enabled'
  } catch (error) {
    // An account that may not ask relies on the settings: the store refuses when they are wrong.
    if (isRefusal(error)) return lockDays !== undefined
    if (TargetError.is(error) && isUnknown(error)) return false
    throw error
  }
}

/** The bucket has no such configuration, or the store does not know of such a thing. */
function isUnknown({ code }: TargetError): boolean {
  return code === 'ERR_TARGET_NOT_FOUND' || code === 'ERR_TARGET_FAILED'
}

/**
 * Some stores refuse the condition, some ignore it: always, in buckets with versions, or for objects in parts. So an
 * object is made twice, and a third time of one part. Its name is not a key: it is never visible.
 */
async function findConditions(connection: S3Connection): Promise<Omit<Abilities, 'immutability'>> {
  const probe = connection.at('.steward-probe')
  const made: (string | undefined)[] = []
  const create = (make: (s3: S3) => Promise<{ readonly VersionId?: string | undefined }>) =>
    isKept(connection, async (s3) => {
      made.push((await make(s3)).VersionId)
    })
  const put = (s3: S3) => s3.putObject({ ...probe, Body: '', ...onlyNew })
  try {
    const first = await create(put)
    const conditionalPut = first ?? (await create(put)) ?? false
    const conditionalComplete = conditionalPut && ((await create((s3) => putAsPart(s3, probe))) ?? false)
    return { conditionalPut, conditionalComplete }
  } finally {
    for (const VersionId of made) {
      // Where it cannot be removed, the next probe finds it.
      await connection.call((s3) => s3.deleteObject({ ...probe, VersionId }), {}).catch(() => {})
    }
  }
}

/** Whether the store kept the condition; undefined: the object was made. */
async function isKept(connection: S3Connection, make: (s3: S3) => Promise<void>): Promise<boolean | undefined> {
  try {
    await connection.call(make, {})
    return undefined
  } catch (error) {
    if (!TargetError.is(error)) throw error
    if (error.code === 'ERR_TARGET_EXISTS') return true
    if (isRefusal(error) || isUnknown(error) || error.code === 'ERR_TARGET_FULL') return false
    throw error
  }
}

async function putAsPart(s3: S3, probe: ReturnType<S3Connection['at']>) {
  const { UploadId } = await s3.createMultipartUpload(probe)
  try {
    const { ETag } = await s3.uploadPart({ ...probe, UploadId, PartNumber: 1, Body: '' })
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
    return await s3.completeMultipartUpload({ ...probe, UploadId, MultipartUpload, ...onlyNew })
  } catch (error) {
    await s3.abortMultipartUpload({ ...probe, UploadId }).catch(() => {})
    throw error
  }
}

/** The caller is known, but not allowed. */
function isRefusal(error: unknown): boolean {
  return TargetError.is(error) && nameOf(error.cause) === 'AccessDenied'
}
