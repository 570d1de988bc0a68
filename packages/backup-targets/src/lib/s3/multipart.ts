import { createHash } from 'node:crypto'
import { isFinal } from '../parts.js'
import { TargetError } from '../target-error.js'
import type { PutOptions } from '../target.js'
import type { S3Connection } from './connection.js'
import { nameOf } from './errors.js'
import type { Retention } from './lock.js'
import type { Part } from '../source-parts.js'
import { head, md5Of } from './read.js'
import { patience, sendBytes } from './send-bytes.js'

/** An upload of parts. */
export interface PartsToSend {
  readonly key: string
  readonly parts: AsyncIterable<Part>
  /** Aborted when one cannot be sent, so that the source is not read any more. */
  readonly failure: AbortController
  /** Parts that may be in memory. */
  readonly parallel: number
  /** Gets the memory of parts that were sent. */
  readonly release: (bytes: Buffer) => void
  /** Fields of the request that starts the upload, and of the one that completes it. */
  readonly create: Retention
  readonly complete: { readonly IfNoneMatch?: string }
  /** Looks once more at what is there: it may be long after the start. */
  readonly beforeComplete: () => Promise<void>
  readonly options: PutOptions
}

/** What completed it. */
export interface CompletedUpload {
  readonly size: number
  /** The object's version, in a bucket that has versions. */
  readonly versionId: string | undefined
}

/**
 * Sends parts and makes them one object. A store does not say which content an unfinished upload has, but an MD5 of
 * each part: with an `upload`, the last unfinished one of this key continues, and parts that are there with the same bytes
 * are not sent again. Two that continue with the same one cannot mix: it is completed by the ETags of its parts.
 */
export async function sendParts(connection: S3Connection, upload: PartsToSend): Promise<CompletedUpload> {
  const { key, options, create } = upload
  const { signal } = options
  const found = options.upload === undefined ? undefined : await unfinishedUpload(connection, key, signal)
  const id = found ?? (await beginUpload(connection, key, create, signal))
  const there = found === undefined ? new Map() : await partsThere(connection, key, id, signal)
  try {
    const sent = await sendMissing(connection, upload, id, there)
    await upload.beforeComplete()
    const versionId = await complete(connection, upload, id, sent.parts)
    return { size: sent.size, versionId }
  } catch (error) {
    const isOfUse = options.upload !== undefined && !isFinal(error)
    if (!isOfUse) await abortUpload(connection, key, id).catch(() => {})
    throw error
  }
}

interface SentPart {
  readonly number: number
  readonly etag: string
  readonly md5: Buffer
}

async function sendMissing(
  connection: S3Connection,
  { key, parts, failure, parallel, release, options }: PartsToSend,
  id: string,
  there: ReadonlyMap<number, { readonly size: number; readonly etag: string }>,
): Promise<{ readonly parts: readonly SentPart[]; readonly size: number }> {
  const signal = options.signal ? AbortSignal.any([options.signal, failure.signal]) : failure.signal
  const sending = new Set<Promise<void>>()
  const sent: SentPart[] = []
  let size = 0
  let taken = 0
  const onMove = () => options.onProgress?.(taken)

  const send = async ({ number, bytes, md5, isLast }: Part): Promise<void> => {
    const stored = there.get(number)
    let etag = stored?.etag ?? ''
    const isThere = stored?.size === bytes.length && md5Of({ ETag: etag }) === md5.toString('hex')
    if (!isThere) {
      etag = await sendBytes(connection, { key, bytes, md5, signal, onMove }, async (s3, body, request) => {
        const part = { ...connection.at(key), UploadId: id, PartNumber: number, ...body }
        const answer = await s3.uploadPart(part, request)
        if ((md5Of(answer) ?? md5.toString('hex')) === md5.toString('hex')) return answer.ETag ?? ''
        throw new TargetError(
          'ERR_TARGET_DAMAGED',
          `The store has other bytes of part ${number} of ${key} than were sent.`,
        )
      })
    }
    sent.push({ number, etag, md5 })
    taken += bytes.length
    if (!isThere || isLast) onMove()
    release(bytes)
  }

  try {
    for await (const part of parts) {
      signal.throwIfAborted()
      size += part.bytes.length
      const one = send(part).catch((error: unknown) => failure.abort(error))
      sending.add(one)
      void one.then(() => sending.delete(one))
      // Then there is memory for the next one.
      while (sending.size >= parallel) await Promise.race(sending)
    }
  } catch (error) {
    failure.abort(error)
  }
  // Also after a failure: what arrives after an upload is aborted would stay.
  await Promise.all(sending)
  signal.throwIfAborted()
  return { parts: sent.toSorted((a, b) => a.number - b.number), size }
}

/** Makes it one object. @returns its version */
async function complete(
  connection: S3Connection,
  { key, complete: fields, options: { signal } }: PartsToSend,
  id: string,
  parts: readonly SentPart[],
): Promise<string | undefined> {
  const requestTimeout = patience * connection.settings.idleMs
  const MultipartUpload = { Parts: parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag })) }
  try {
    const answer = await connection.call(
      (s3, request) =>
        s3.completeMultipartUpload(
          { ...connection.at(key), UploadId: id, MultipartUpload, ...fields },
          { ...request, requestTimeout },
        ),
      { key, signal },
    )
    return answer.VersionId
  } catch (error) {
    // The answer to a former attempt may have been lost.
    const name = TargetError.is(error) ? nameOf(error.cause) : ''
    const found =
      name === 'NoSuchUpload' || name === 'PreconditionFailed' ? await head(connection, key, { signal }) : undefined
    if (found?.ETag !== etagOf(parts)) throw error
    return found.VersionId
  }
}

/** That of an object of these parts, as Amazon's S3 and those that follow it make it. */
function etagOf(parts: readonly SentPart[]): string {
  const hash = createHash('md5')
  for (const { md5 } of parts) hash.update(md5)
  return `"${hash.digest('hex')}-${parts.length}"`
}

async function beginUpload(
  connection: S3Connection,
  key: string,
  fields: Retention,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { UploadId = '' } = await connection.call(
    (s3, request) => s3.createMultipartUpload({ ...connection.at(key), ...fields }, request),
    { key, signal },
  )
  return UploadId
}

/** The last one of this key that was started. */
async function unfinishedUpload(
  connection: S3Connection,
  key: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  let last: { readonly id: string; readonly begun: Date } | undefined
  for await (const upload of unfinishedUploads(connection, key, signal)) {
    if (upload.key === key && (!last || upload.begun > last.begun)) last = upload
  }
  return last?.id
}

/** Those of keys that start so. */
export async function* unfinishedUploads(
  connection: S3Connection,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly key: string; readonly id: string; readonly begun: Date }, void, undefined> {
  const all = connection.at(prefix)
  let marker = {}
  for (;;) {
    const page = await connection.call(
      (s3, request) => s3.listMultipartUploads({ Bucket: all.Bucket, Prefix: all.Key, ...marker }, request),
      { signal },
    )
    for (const { Key = '', UploadId = '', Initiated = new Date() } of page.Uploads ?? []) {
      yield { key: Key.slice(connection.settings.prefix.length), id: UploadId, begun: Initiated }
    }
    if (!page.IsTruncated) return
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
  }
}

/** @returns whether it was there. */
export async function abortUpload(
  connection: S3Connection,
  key: string,
  id: string,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await connection.call((s3, request) => s3.abortMultipartUpload({ ...connection.at(key), UploadId: id }, request), {
      key,
      signal,
    })
    return true
  } catch (error) {
    if (TargetError.is(error) && nameOf(error.cause) === 'NoSuchUpload') return false
    throw error
  }
}

async function partsThere(
  connection: S3Connection,
  key: string,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Map<number, { readonly size: number; readonly etag: string }>> {
  const parts = new Map<number, { readonly size: number; readonly etag: string }>()
  let marker: { readonly PartNumberMarker?: string | undefined } = {}
  for (;;) {
    const page = await connection.call(
      (s3, request) => s3.listParts({ ...connection.at(key), UploadId: id, ...marker }, request),
      { key, signal },
    )
    for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? [])
      parts.set(PartNumber, { size: Size, etag: ETag })
    if (!page.IsTruncated) return parts
    marker = { PartNumberMarker: page.NextPartNumberMarker }
  }
}
