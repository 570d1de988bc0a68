import type { ListedObject, Place, Store } from './store.js'

/**
 * Objects that are larger than a part are a manifest (Swift's "static large object") with the object's name, and
 * segments in the container `<container>_segments`, or where that may not be made below `.segments/` in the container
 * itself. The name of a segment says what it belongs to: `<object>/.<upload>-<part bytes>/<number>`.
 */
export interface SegmentArea {
  readonly container: string
  /** What all names begin with. */
  readonly folder: string
}

/** Where segments of objects in this container are stored; makes the container. */
export async function segmentArea(store: Store, container: string, signal?: AbortSignal): Promise<SegmentArea> {
  const own = { container: `${container}_segments`, folder: '' }
  return (await store.ensure(own.container, signal)) ? own : { container, folder: '.segments/' }
}

/** What the names of all segments of an upload begin with. */
export function segmentFolder(area: SegmentArea, name: string, upload: string, partBytes: number): string {
  return `${area.folder}${name}/.${upload}-${partBytes}/`
}

export function segmentName(folder: string, number: number): string {
  return `${folder}${String(number).padStart(8, '0')}`
}

/** The segments of an upload that can be used: from the first one on without a gap, each of the size that it must have. */
export async function storedSegments(
  store: Store,
  { container, folder }: SegmentArea,
  sizeOf: (number: number) => number,
  signal?: AbortSignal,
): Promise<ListedObject[]> {
  const segments: ListedObject[] = []
  for await (const listed of store.listAll(container, folder, signal)) {
    if (listed.name !== segmentName(folder, segments.length) || listed.bytes !== sizeOf(segments.length)) break
    segments.push(listed)
  }
  return segments
}

/** Removes what an upload stored that cannot be resumed. */
export async function removeUpload(store: Store, { container, name }: Place, upload: string): Promise<void> {
  const area = await segmentArea(store, container)
  await removeSegments(store, { container: area.container, folder: `${area.folder}${name}/.${upload}-` })
}

/** Also after the caller has given up, but not for ever. */
export async function removeSegments(store: Store, { container, folder }: SegmentArea): Promise<void> {
  const signal = AbortSignal.timeout(10_000)
  const left: Place[] = []
  for await (const { name } of store.listAll(container, folder, signal)) left.push({ container, name })
  await store.deleteAll(left, signal)
}

/**
 * Removes the segments of uploads whose last segment is older than `before` and which no manifest names.
 *
 * @returns the number of uploads
 */
export async function sweepSegments(
  store: Store,
  {
    container,
    prefix,
    before,
    signal,
  }: {
    readonly container: string
    /** What the names of the objects begin with. */
    readonly prefix: string
    readonly before: Date
    readonly signal?: AbortSignal | undefined
  },
): Promise<number> {
  let count = 0
  // Both, as who may make containers may have changed.
  for (const area of [
    { container: `${container}_segments`, folder: '' },
    { container, folder: '.segments/' },
  ]) {
    for await (const { object, folder, segments } of uploads(store, area, prefix, signal)) {
      if (segments.some(({ modified }) => modified >= before)) continue
      if (await isUsed(store, { container, name: object }, { container: area.container, name: folder }, signal))
        continue
      await store.deleteAll(
        segments.map(({ name }) => ({ container: area.container, name })),
        signal,
      )
      count++
    }
  }
  return count
}

interface SegmentedUpload {
  /** The name of the object that it is of. */
  readonly object: string
  readonly folder: string
  readonly segments: readonly ListedObject[]
}

/** Names of one upload follow one another. */
async function* uploads(
  store: Store,
  area: SegmentArea,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<SegmentedUpload> {
  let current: { object: string; folder: string; segments: ListedObject[] } | undefined
  for await (const listed of store.listAll(area.container, `${area.folder}${prefix}`, signal)) {
    const [, folder, path = ''] = /^((.+)\/\.[A-Za-z0-9]+-\d+\/)\d{8}$/s.exec(listed.name) ?? []
    // Another upload's.
    if (folder === undefined) continue
    if (current?.folder !== folder) {
      if (current) yield current
      current = { object: path.slice(area.folder.length), folder, segments: [] }
    }
    current.segments.push(listed)
  }
  if (current) yield current
}

async function isUsed(store: Store, object: Place, folder: Place, signal: AbortSignal | undefined): Promise<boolean> {
  const head = await store.head(object, signal)
  if (!head?.isLarge) return false
  const used = await store.segmentsOf(object, signal)
  if (!used) return true
  return used.some(({ container, name }) => container === folder.container && name.startsWith(folder.name))
}
