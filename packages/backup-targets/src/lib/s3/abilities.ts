import { TargetError } from '../target-error.js'
import type { Connection } from './connection.js'
import { nameOf } from './errors.js'

/** What differs between stores, found out when one is opened. */
export interface Abilities {
  /** `If-None-Match: *` is kept: an object that is there is not replaced. */
  readonly conditionalCreate: boolean
  /** The bucket has Object Lock. */
  readonly immutability: boolean
}

/** Of Amazon's S3 conditions are known to be kept; others are tried. */
export async function findAbilities(connection: Connection): Promise<Abilities> {
  const { endpoint } = connection.settings
  const [immutability, conditionalCreate] = await Promise.all([
    hasObjectLock(connection),
    endpoint === undefined || keepsConditions(connection),
  ])
  return { immutability, conditionalCreate }
}

async function hasObjectLock(connection: Connection): Promise<boolean> {
  const { bucket, lockDays } = connection.settings
  try {
    const { ObjectLockConfiguration } = await connection.call(
      (s3, request) => s3.getObjectLockConfiguration({ Bucket: bucket }, request),
      {},
    )
    return ObjectLockConfiguration?.ObjectLockEnabled === 'Enabled'
  } catch (error) {
    // Whoever may not ask believes the settings: the store says no when they are wrong.
    if (isRefusal(error)) return lockDays !== undefined
    if (error instanceof TargetError && isUnknown(error)) return false
    throw error
  }
}

/** The bucket has no such configuration, or the store does not know of such a thing. */
function isUnknown({ code }: TargetError): boolean {
  return code === 'ERR_TARGET_NOT_FOUND' || code === 'ERR_TARGET_FAILED'
}

/**
 * Some stores refuse the condition, some ignore it: then the second of two requests makes the object again. Its name is
 * no key, so nobody sees it.
 */
async function keepsConditions(connection: Connection): Promise<boolean> {
  const object = connection.at('.steward-probe')
  const versions: (string | undefined)[] = []
  const create = async () => {
    const { VersionId } = await connection.call(
      (s3, request) => s3.putObject({ ...object, Body: '', IfNoneMatch: '*' }, request),
      {},
    )
    versions.push(VersionId)
  }
  try {
    await create()
    await create()
    return false
  } catch (error) {
    if (error instanceof TargetError && error.code === 'ERR_TARGET_EXISTS') return true
    if (isRefusal(error) || (error instanceof TargetError && (isUnknown(error) || error.code === 'ERR_TARGET_FULL')))
      return false
    throw error
  } finally {
    for (const VersionId of versions.toReversed()) {
      // Where it is kept, the next probe finds it.
      await connection.call((s3, request) => s3.deleteObject({ ...object, VersionId }, request), {}).catch(() => {})
    }
  }
}

/** It is known who asks, but not allowed. */
function isRefusal(error: unknown): boolean {
  return error instanceof TargetError && nameOf(error.cause) === 'AccessDenied'
}
