import { createHash } from 'node:crypto'
import { TargetError } from '../target-error.js'
import type { PutOptions, Source } from '../target.js'
import { ByteReader } from './byte-reader.js'
import {
  removeSegments,
  segmentArea,
  segmentFolder,
  segmentName,
  storedSegments,
  type SegmentArea,
} from './segments.js'
import { maxPartBytes } from './settings.js'
import { shown, type Place, type Store } from './store.js'

/** What is not larger is sent with its MD5, so that the server refuses it damaged. */
const wholeBytes = 4 * 2 ** 20
/** For one object; Swift's default (`max_manifest_segments`). */
const maxSegments = 1000
export const maxObjectBytes = maxSegments * maxPartBytes

export interface SwiftUpload {
  readonly store: Store
  readonly place: Place
  readonly source: Source
  /** Names the content; segments of it that are there are used. */
  readonly upload: string
  readonly partBytes: number
  readonly options: PutOptions
}

/** Stores an object by one request, or by segments and then their manifest. @returns how many bytes it has. */
export async function storeObject(upload: SwiftUpload): Promise<number> {
  const { source, partBytes, options } = upload
  const { size } = source
  const reader = new ByteReader(source, options.signal)
  try {
    if (size !== undefined && size > partBytes) return await putSegments(upload, reader)
    const bytes = await reader.whole(Math.min(wholeBytes, partBytes))
    if (bytes !== undefined) return await putWhole(upload, bytes)
    return await (size === undefined ? putSegments(upload, reader) : putStreamed(upload, reader, size))
  } finally {
    reader.close()
  }
}

async function putWhole({ store, place, options }: SwiftUpload, bytes: Buffer): Promise<number> {
  const { ifAbsent, signal, onProgress } = options
  await store.put(place, bytes, { etag: createHash('md5').update(bytes).digest('hex'), ifAbsent, signal })
  onProgress?.(bytes.length)
  return bytes.length
}

async function putStreamed({ store, place, options }: SwiftUpload, reader: ByteReader, size: number): Promise<number> {
  const { bytes } = await sendPart(store, place, reader, { ...options, length: size })
  return bytes
}

/** Continues after the segments that are there. */
async function putSegments(upload: SwiftUpload, reader: ByteReader): Promise<number> {
  const { store, place, source, options } = upload
  const { signal, onProgress, ifAbsent } = options
  const { partBytes, sizeOf } = planOf(upload)
  const area = await segmentArea(store, place.container, signal)
  const folder = { container: area.container, folder: segmentFolder(area, place.name, upload.upload, partBytes) }
  const segments: Segment[] = await storedSegments(store, folder, sizeOf, signal)
  await checkStored(upload, folder, segments, reader)
  let done = segments.reduce((sum, { bytes }) => sum + bytes, 0)
  if (done > 0) onProgress?.(done)
  await checkRoom(upload, folder, (source.size ?? done) - done)

  while (!(await reader.hasEnded())) {
    const number = segments.length
    if (number === maxSegments) throw tooLarge(place, done)
    const name = segmentName(folder.folder, number)
    const most = sizeOf(number)
    const before = done
    const sent = await sendPart(store, { container: area.container, name }, reader, {
      signal,
      length: source.size === undefined ? undefined : most,
      most,
      onProgress: onProgress && ((bytes) => onProgress(before + bytes)),
    })
    segments.push({ name, ...sent })
    done += sent.bytes
  }
  await checkRoom(upload, folder, 0)
  const manifest = segments.map(({ name, bytes, hash }) => {
    return { path: `/${area.container}/${name}`, etag: hash, size_bytes: bytes }
  })
  // Without an ETag: Swift derives it from those of the segments, Ceph from the manifest.
  await store.put(place, Buffer.from(JSON.stringify(manifest)), { ifAbsent, signal, isManifest: true })
  return done
}

/** Reads what was stored before: it must be what the source has. */
async function checkStored(
  { store, place }: SwiftUpload,
  folder: SegmentArea,
  segments: readonly Segment[],
  reader: ByteReader,
): Promise<void> {
  for (const { bytes, hash } of segments) {
    const md5 = createHash('md5')
    for await (const chunk of reader.take(bytes)) md5.update(chunk)
    if (md5.digest('hex') === hash) continue
    await removeSegments(store, folder)
    throw new TargetError(
      'ERR_TARGET_DAMAGED',
      `What a former upload of ${shown(place)} stored is not what is to be stored now; it was removed.`,
    )
  }
}

interface Segment {
  readonly name: string
  readonly bytes: number
  /** MD5. */
  readonly hash: string
}

/** How many bytes each segment has: all the same; of a source whose size is not known twice as many after each hundred. */
function planOf({ source: { size }, place, partBytes: wanted }: SwiftUpload): {
  readonly partBytes: number
  readonly sizeOf: (number: number) => number
} {
  if (size === undefined) {
    return { partBytes: wanted, sizeOf: (number) => Math.min(maxPartBytes, wanted * 2 ** Math.floor(number / 100)) }
  }
  if (size > maxObjectBytes) throw tooLarge(place, size)
  const partBytes = Math.max(wanted, Math.ceil(size / maxSegments))
  return { partBytes, sizeOf: (number) => Math.max(0, Math.min(partBytes, size - number * partBytes)) }
}

interface PartOptions extends Pick<PutOptions, 'signal' | 'onProgress' | 'ifAbsent'> {
  /** Undefined: not known, but not more than `most`. */
  readonly length: number | undefined
  readonly most?: number
}

/** Stores the next bytes of a stream as an object. @returns what the server has. */
async function sendPart(
  store: Store,
  place: Place,
  reader: ByteReader,
  { length, most = length ?? 0, signal, onProgress, ifAbsent }: PartOptions,
): Promise<{ readonly bytes: number; readonly hash: string }> {
  const hash = createHash('md5')
  let bytes = 0
  let hasBegun = false
  async function* open(): AsyncGenerator<Buffer, void, undefined> {
    // The server had refused it in the middle, and what was read is gone.
    if (hasBegun) throw new TargetError('ERR_TARGET_UNREACHABLE', `Storing ${shown(place)} was cut.`)
    hasBegun = true
    for await (const chunk of reader.take(most)) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
      onProgress?.(bytes)
    }
  }
  const etag = await store.put(place, { length, open }, { ifAbsent, signal })
  const md5 = hash.digest('hex')
  if (etag === md5) return { bytes, hash: md5 }
  await store.deleteOne(place, signal)
  throw new TargetError(
    'ERR_TARGET_DAMAGED',
    `${shown(place)} has the MD5 ${etag}, but ${md5} was sent; it was removed.`,
  )
}

/** Swift looks at a quota only when it is given a length, and remembers for a minute how much there was. */
async function checkRoom({ store, place, options }: SwiftUpload, folder: SegmentArea, bytes: number): Promise<void> {
  const room = await store.room(folder.container, options.signal)
  if (room === undefined || room >= bytes) return
  throw new TargetError(
    'ERR_TARGET_FULL',
    `Cannot store ${shown(place)}: the quota of "${folder.container}" is reached.`,
  )
}

function tooLarge(place: Place, size: number): TargetError {
  return new TargetError(
    'ERR_TARGET_FULL',
    `Cannot store ${shown(place)}: ${size} bytes need more than ${maxSegments} segments.`,
    {
      help: 'Set part_mb to a larger number.',
    },
  )
}
