import { randomBytes } from 'node:crypto'
import { S3 } from '@aws-sdk/client-s3'
import type { BackupTarget } from '../target.js'
import { readSettings } from './settings.js'
import { createS3Target } from './target.js'

/** Smaller than Amazon allows; the servers of these tests are set so. */
export const partBytes = 1 << 20

/** A server of a test. */
export interface S3Server {
  readonly endpoint: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}

/** A bucket of its own. */
export interface TestBucket {
  readonly name: string
  /** To look at it by another way. */
  readonly s3: S3
  /** Parts have `partBytes`. `endpoint`: of a proxy. */
  open(options?: Readonly<Record<string, string>>, idleMs?: number): Promise<BackupTarget>
  /** Keys of uploads that were started and not ended. */
  unfinished(): Promise<(string | undefined)[]>
}

export async function makeBucket(server: S3Server, { withLock = false } = {}): Promise<TestBucket> {
  const { endpoint, region, accessKey: accessKeyId, secretKey: secretAccessKey } = server
  const s3 = new S3({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  const name = `backups-${randomBytes(4).toString('hex')}`
  await s3.createBucket({ Bucket: name, ...(withLock && { ObjectLockEnabledForBucket: true }) })
  const common = {
    bucket: name,
    endpoint,
    region,
    access_key: accessKeyId,
    secret_key: secretAccessKey,
    part_mb: '5',
    lock_mode: 'compliance',
  }
  return {
    name,
    s3,
    async open(options, idleMs = 10_000) {
      const settings = readSettings({ ...common, ...options }, { environment: {}, idleMs })
      return createS3Target({ ...settings, partBytes })
    },
    async unfinished() {
      const { Uploads = [] } = await s3.listMultipartUploads({ Bucket: name })
      return Uploads.map(({ Key }) => Key)
    },
  }
}
