import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3'
import { TargetError } from '../target-error.js'
import type { S3Settings } from './settings.js'

/** Fields of a request that stores something for some time. */
export interface Retention {
  readonly ObjectLockMode?: S3Settings['lockMode']
  readonly ObjectLockRetainUntilDate?: Date
}

/** @throws TargetError ERR_TARGET_SETTINGS when the bucket keeps no locks. */
export function retentionOf(
  { bucket, lockDays, lockMode }: S3Settings,
  { immutability }: { readonly immutability: boolean },
  lockUntil: Date | undefined,
): Retention {
  const until = lockUntil ?? (lockDays === undefined ? undefined : new Date(Date.now() + lockDays * 86_400_000))
  if (until === undefined) return {}
  if (!immutability) throw cannotLock(bucket)
  return { ObjectLockMode: lockMode, ObjectLockRetainUntilDate: until }
}

/** Some stores forget it for objects in parts, and a resumed upload has that of the call which started it. */
export function isForgotten({ ObjectLockRetainUntilDate: wanted }: Retention, found: HeadObjectCommandOutput): boolean {
  const until = found.ObjectLockRetainUntilDate?.getTime() ?? 0
  // Stores keep whole seconds.
  return wanted !== undefined && until < Math.floor(wanted.getTime() / 1000) * 1000
}

/** @throws TargetError ERR_TARGET_LOCKED when the store must not let it be changed. */
export function refuseLocked(key: string, found: HeadObjectCommandOutput): void {
  const until = found.ObjectLockRetainUntilDate
  const isHeld = found.ObjectLockLegalHoldStatus === 'ON'
  if (!isHeld && (until === undefined || until.getTime() <= Date.now())) return
  throw lockedError(key, isHeld ? 'by a legal hold' : `until ${until?.toISOString()}`)
}

export function lockedError(key: string, how: string, cause?: unknown): TargetError {
  return new TargetError('ERR_TARGET_LOCKED', `The store keeps ${key} ${how}.`, { cause })
}

export function cannotLock(bucket: string): TargetError {
  return new TargetError('ERR_TARGET_SETTINGS', `The bucket ${bucket} cannot lock objects.`, {
    help: 'Make a bucket with Object Lock, or leave lock_days out.',
  })
}
