import { randomBytes } from 'node:crypto'
import { S3 } from '@aws-sdk/client-s3'
import { openTarget } from '../registry.js'
import type { BackupTarget } from '../target.js'

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
  /** Parts have 5 MiB, the smallest that are allowed. `endpoint`: of a proxy. */
  open(options?: Readonly<Record<string, string>>, idleMs?: number): Promise<BackupTarget>
  /** Keys of uploads that were begun and not ended. */
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
  const common = { bucket: name, endpoint, region, access_key: accessKeyId, secret_key: secretAccessKey, part_mb: '5' }
  return {
    name,
    s3,
    open: (options, idleMs = 10_000) =>
      openTarget({ type: 's3', options: { ...common, ...options }, idleMs, environment: {} }),
    async unfinished() {
      const { Uploads = [] } = await s3.listMultipartUploads({ Bucket: name })
      return Uploads.map(({ Key }) => Key)
    },
  }
}
