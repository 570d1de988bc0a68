import { checkKey } from '../key.js'
import { TargetError } from '../target-error.js'
import type { CallOptions, SweepOptions } from '../target.js'
import type { S3Connection } from './connection.js'
import { refuseLocked } from './lock.js'
import { abortUpload, unfinishedUploads } from './multipart.js'
import { head } from './read.js'

/** Removes an object, in a bucket with versions all of them. */
export async function remove(connection: S3Connection, key: string, { signal }: CallOptions = {}): Promise<boolean> {
  checkKey(key)
  const found = await head(connection, key, { signal })
  if (!found) return false
  refuseLocked(key, found)
  if (found.VersionId === undefined || found.VersionId === 'null')
    await removeVersion(connection, key, undefined, signal)
  else await removeVersions(connection, key, signal)
  return true
}

/** The current one last, so that a removal that is cut can be repeated. */
async function removeVersions(connection: S3Connection, key: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    for (const version of (await versionsOf(connection, key, signal)).toReversed()) {
      await removeVersion(connection, key, version, signal)
    }
  } catch (error) {
    // Versions are kept from us: then it is at least hidden, as a bucket with versions means it.
    if (!TargetError.is(error) || error.code !== 'ERR_TARGET_REFUSED') throw error
    const found = await head(connection, key, { signal })
    if (found) refuseLocked(key, found)
    await removeVersion(connection, key, undefined, signal)
  }
}

/** Removes one version; `undefined`: the object, of which a bucket with versions keeps what was. */
export async function removeVersion(
  connection: S3Connection,
  key: string,
  version: string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  await connection.call((s3, request) => s3.deleteObject({ ...connection.at(key), VersionId: version }, request), {
    key,
    signal,
  })
}

/** Newest first. */
async function versionsOf(connection: S3Connection, key: string, signal: AbortSignal | undefined): Promise<string[]> {
  const { Bucket, Key } = connection.at(key)
  const found: { readonly id: string; readonly modified: Date; readonly isLatest: boolean }[] = []
  let marker = {}
  for (;;) {
    const page = await connection.call(
      (s3, request) => s3.listObjectVersions({ Bucket, Prefix: Key, ...marker }, request),
      { key, signal },
    )
    for (const each of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]) {
      const { VersionId: id = 'null', LastModified: modified = new Date(0), IsLatest: isLatest = false } = each
      if (each.Key === Key) found.push({ id, modified, isLatest })
    }
    if (!page.IsTruncated) break
    marker = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
  }
  const age = (a: (typeof found)[number], b: (typeof found)[number]) =>
    Number(b.isLatest) - Number(a.isLatest) || b.modified.getTime() - a.modified.getTime()
  return found.toSorted(age).map(({ id }) => id)
}

/** Ends uploads of parts that were started before. */
export async function sweep(connection: S3Connection, { before, prefix = '', signal }: SweepOptions): Promise<number> {
  let count = 0
  for await (const { key, id, begun } of unfinishedUploads(connection, prefix, signal)) {
    if (begun < before && (await abortUpload(connection, key, id, signal))) count++
  }
  return count
}
