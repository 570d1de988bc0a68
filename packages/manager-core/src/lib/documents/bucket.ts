import { randomBytes } from 'node:crypto'
import type { BackupTarget } from '@steward/backup-targets'
import { ManagerError } from '../../errors.js'
import type { Settings } from '../settings/settings.js'
import { sentence } from '../system/failure.js'
import { isTargetError } from '../targets/target-failure.js'

/** A bucket as documents need it: `bucket.list` returns keys in order, and contents of any size are taken. */
export type DocumentBucket = Pick<BackupTarget, 'put' | 'get' | 'list' | 'delete'>

/**
 * Works with the bucket of an address, as `SERVICE_DOCUMENTS` has it.
 *
 * @throws ManagerError ERR_SETTINGS for an address or keys that cannot be used; ERR_TARGET for a store that fails
 */
export async function useBucket<T>(
  { settings }: { readonly settings: Settings },
  address: string,
  work: (bucket: DocumentBucket) => Promise<T>,
): Promise<T> {
  const { bucketOptions, openTarget, reliable } = await import('@steward/backup-targets')
  const { accessKey, secretKey } = settings.global.documents
  try {
    const options = {
      ...bucketOptions(address, 'APPS_DOCUMENTS_ACCESS_KEY and APPS_DOCUMENTS_SECRET_KEY'),
      ...(accessKey !== undefined && { access_key: accessKey }),
      ...(secretKey && { secret_key: secretKey.reveal() }),
    }
    const bucket = reliable(await openTarget({ type: 's3', options, environment: settings.environment() }))
    try {
      return await work(bucket)
    } finally {
      // What was put is there for good already.
      await bucket.close().catch(() => undefined)
    }
  } catch (error) {
    if (!isTargetError(error)) throw error
    const { code, message, help } = error
    throw new ManagerError(
      code === 'ERR_TARGET_SETTINGS' ? 'ERR_SETTINGS' : 'ERR_TARGET',
      `The documents in ${shownBucket(address)} cannot be used: ${sentence(message)}`,
      { cause: error, ...(help !== undefined && { help }) },
    )
  }
}

/** `s3://bucket/prefix`, without options. */
export function shownBucket(address: string): string {
  const { host = '', pathname = '' } = URL.canParse(address) ? new URL(address) : {}
  return host === '' ? 'the bucket' : `s3://${host}${pathname}`
}

/**
 * A place below the bucket of an address that nothing has used before.
 *
 * @throws ManagerError ERR_SETTINGS for an address that cannot be used
 */
export async function newPlace(address: string, id: string): Promise<string> {
  const { belowBucket, bucketOptions } = await import('@steward/backup-targets')
  try {
    bucketOptions(address, 'APPS_DOCUMENTS_ACCESS_KEY and APPS_DOCUMENTS_SECRET_KEY')
    return belowBucket(address, `${id}-${randomBytes(6).toString('hex')}`)
  } catch (error) {
    throw new ManagerError('ERR_SETTINGS', `Bucket of documents: ${sentence((error as Error).message)}`, {
      cause: error,
    })
  }
}

/** Whether `newPlace` made a place, not a person. */
export function isGiven(place: string): boolean {
  return /\/[a-z0-9]+-[0-9a-f]{12}$/.test(new URL(place).pathname)
}

/** The bucket of a place that `newPlace` made. */
export function bucketOf(place: string): string {
  const url = new URL(place)
  url.pathname = url.pathname.slice(0, url.pathname.lastIndexOf('/'))
  return url.href
}
