import { uploadId } from '../key.js'
import { TargetError } from '../target-error.js'
import type { PutOptions, Source, StoredObject } from '../target.js'
import { describeObject } from './read.js'
import { removeUpload } from './segments.js'
import { storeObject } from './store-object.js'
import { placeOf, shown, type ObjectHead, type Place, type Store, type SwiftContainer } from './store.js'

export async function put(
  container: SwiftContainer,
  key: string,
  source: Source,
  options: PutOptions = {},
): Promise<StoredObject> {
  const { settings, store } = container
  const place = placeOf(container, key)
  const { signal, ifAbsent, lockUntil } = options
  signal?.throwIfAborted()
  if (lockUntil) throw new TargetError('ERR_TARGET_SETTINGS', 'Swift cannot keep objects from being removed.')
  const hasContainer = await store.ensure(place.container, signal)
  const before = await store.head(place, signal)
  if (before && ifAbsent) throw new TargetError('ERR_TARGET_EXISTS', `There is ${shown(place)} already.`)
  const replaced = before?.isLarge ? await store.segmentsOf(place, signal) : []
  // Segments that are in use are neither written nor removed, whatever else is called so.
  const isInUse = replaced?.some(({ name }) => name.includes(`/.${options.upload}-`)) ?? true
  const upload = uploadId(isInUse ? undefined : options.upload)

  const { partBytes } = settings
  let size: number
  try {
    size = await storeObject({ store, place, source, upload, partBytes, options })
  } catch (error) {
    const { code } = error as Partial<TargetError>
    const goesOn = upload === options.upload && code !== 'ERR_TARGET_FULL'
    if (!goesOn) await removeUpload(store, place, upload).catch(() => {})
    throw !hasContainer && code === 'ERR_TARGET_NOT_FOUND' ? noContainer(place) : error
  }
  const after = await store.head(place, signal)
  if (after?.size !== size) {
    if (after) await store.delete(place, signal)
    const has = after ? `has ${after.size} bytes instead of ${size}` : 'is not there'
    throw new TargetError('ERR_TARGET_DAMAGED', `${shown(place)} was stored, but ${has}.`)
  }
  if (replaced && replaced.length > 0) await removeReplaced(store, place, after, replaced, signal)
  return describeObject(key, after)
}

/** Segments that the object had before, and has not now. */
async function removeReplaced(
  store: Store,
  place: Place,
  now: ObjectHead,
  before: readonly Place[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const segments = now.isLarge ? await store.segmentsOf(place, signal) : []
  const used = new Set(segments?.map(shown))
  await store.deleteAll(
    before.filter((segment) => !used.has(shown(segment))),
    signal,
  )
}

function noContainer({ container }: Place): TargetError {
  return new TargetError(
    'ERR_TARGET_REFUSED',
    `Container "${container}" is not there, and this user may not make it.`,
    {
      help: 'Make it with a user who may, and let this one write to it.',
    },
  )
}
