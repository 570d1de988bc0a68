import type { S3 } from '@aws-sdk/client-s3'
import { sparingAgents } from '../http/sparing-agents.js'
import { loadPackage } from '../load-package.js'
import { toTargetError } from './errors.js'
import type { S3Settings } from './settings.js'

/** A bucket that calls are made to. */
export interface S3Connection {
  readonly s3: S3
  readonly settings: S3Settings
  /** Name of the bucket and of the object, as all calls take them. */
  at(key: string): { readonly Bucket: string; readonly Key: string }
  /**
   * Makes one call; its errors become `TargetError`s, and the reason of the signal when that was aborted.
   *
   * @param key for messages
   */
  call<T>(
    make: (s3: S3, request: { readonly abortSignal: AbortSignal | undefined }) => Promise<T>,
    options: { readonly key?: string; readonly signal?: AbortSignal | undefined },
  ): Promise<T>
}

/** Else the SDK warns on the console. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

export async function connect(settings: S3Settings): Promise<S3Connection> {
  const sdk = await loadPackage('@aws-sdk/client-s3', () => import('@aws-sdk/client-s3'))
  const { bucket, prefix, endpoint, region, profile, credentials, pathStyle, idleMs } = settings
  const agents = sparingAgents()
  const s3 = new sdk.S3({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: pathStyle,
    // Stores other than Amazon's refuse the SDK's own checksums, or keep their framing as content. All uploads have an MD5.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would open a connection per part, and wait for servers that do not know it.
    expectContinueHeader: false,
    logger: silent,
    requestHandler: {
      httpAgent: agents['http:'],
      httpsAgent: agents['https:'],
      connectionTimeout: Math.min(idleMs, 30_000),
      requestTimeout: idleMs,
      throwOnRequestTimeout: true,
    },
  })
  return {
    s3,
    settings,
    at: (key) => ({ Bucket: bucket, Key: prefix + key }),
    async call(make, { key, signal }) {
      signal?.throwIfAborted()
      try {
        return await make(s3, { abortSignal: signal })
      } catch (error) {
        signal?.throwIfAborted()
        throw toTargetError(error, { bucket, key })
      }
    },
  }
}
