import { Readable } from 'node:stream'
import type { GetObjectCommandOutput, HeadObjectCommandOutput } from '@aws-sdk/client-s3'
import { checkKey, isKey } from '../key.js'
import { TargetError } from '../target-error.js'
import type { CallOptions, GetOptions, Hashes, ListOptions, ListPage, StoredObject } from '../target.js'
import { wholeStream } from '../whole-stream.js'
import type { S3Connection } from './connection.js'
import { nameOf } from './errors.js'

/** What the store returns about an object; undefined: there is none. */
export async function head(
  connection: S3Connection,
  key: string,
  { signal }: CallOptions,
): Promise<HeadObjectCommandOutput | undefined> {
  try {
    return await connection.call((s3, request) => s3.headObject(connection.at(key), request), { key, signal })
  } catch (error) {
    if (TargetError.is(error) && error.code === 'ERR_TARGET_NOT_FOUND') return undefined
    throw error
  }
}

export async function stat(
  connection: S3Connection,
  key: string,
  options: CallOptions = {},
): Promise<StoredObject | undefined> {
  checkKey(key)
  const found = await head(connection, key, options)
  return found && storedObject(key, found)
}

export function storedObject(key: string, { ContentLength, LastModified }: HeadObjectCommandOutput): StoredObject {
  return { key, size: ContentLength ?? 0, modified: LastModified ?? new Date(0) }
}

/** An MD5, unless the object was stored in parts, or is encrypted with a key that the store does not hold. */
export function md5Of(told: {
  readonly ETag?: string | undefined
  readonly ServerSideEncryption?: string | undefined
  readonly SSECustomerAlgorithm?: string | undefined
}): string | undefined {
  if (told.ServerSideEncryption?.startsWith('aws:') || told.SSECustomerAlgorithm !== undefined) return undefined
  return /^"?([0-9a-f]{32})"?$/i.exec(told.ETag ?? '')?.[1]?.toLowerCase()
}

export async function hash(connection: S3Connection, key: string, options: CallOptions = {}): Promise<Hashes> {
  checkKey(key)
  const found = await head(connection, key, options)
  if (!found)
    throw new TargetError('ERR_TARGET_NOT_FOUND', `${key} is not in the bucket ${connection.settings.bucket}.`)
  const md5 = md5Of(found)
  return md5 === undefined ? {} : { md5 }
}

export async function get(connection: S3Connection, key: string, options: GetOptions = {}): Promise<Readable> {
  checkKey(key)
  const { start = 0, end, signal } = options
  const isPart = start > 0 || end !== undefined
  const range = isPart ? { Range: `bytes=${start}-${end ?? ''}` } : {}
  let response: GetObjectCommandOutput
  try {
    response = await connection.call((s3, request) => s3.getObject({ ...connection.at(key), ...range }, request), {
      key,
      signal,
    })
  } catch (error) {
    // It has no byte there.
    if (TargetError.is(error) && nameOf(error.cause) === 'InvalidRange') return Readable.from([])
    throw error
  }
  const body = response.Body as Readable
  if (isPart && !response.ContentRange?.startsWith(`bytes ${start}-`)) {
    body.destroy()
    throw new TargetError('ERR_TARGET_FAILED', `The store gave all of ${key} instead of a part of it.`)
  }
  return wholeStream(body, { key, bytes: response.ContentLength ?? 0, signal, lends: true })
}

export async function list(connection: S3Connection, options: ListOptions = {}): Promise<ListPage> {
  const { bucket, prefix } = connection.settings
  const page = await connection.call(
    (s3, request) =>
      s3.listObjectsV2(
        {
          Bucket: bucket,
          Prefix: prefix + (options.prefix ?? ''),
          ...(options.cursor !== undefined && { ContinuationToken: options.cursor }),
          ...(options.limit !== undefined && { MaxKeys: Math.min(options.limit, 1000) }),
        },
        request,
      ),
    { signal: options.signal },
  )
  const objects = (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified = new Date(0) }) => ({
    key: Key.slice(prefix.length),
    size: Size,
    modified: LastModified,
  }))
  return {
    objects: objects.filter(({ key }) => isKey(key)),
    next: page.IsTruncated ? page.NextContinuationToken : undefined,
  }
}
