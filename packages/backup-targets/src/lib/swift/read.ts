import { Readable } from 'node:stream'
import { isKey } from '../key.js'
import type { CallOptions, GetOptions, Hashes, ListOptions, ListPage, StoredObject } from '../target.js'
import { wholeStream } from '../whole-stream.js'
import { answerError } from './errors.js'
import { drop } from './session.js'
import {
  inParallel,
  notThere,
  placeOf,
  shown,
  type ListedObject,
  type ObjectHead,
  type SwiftContainer,
} from './store.js'

export async function get(container: SwiftContainer, key: string, options: GetOptions = {}): Promise<Readable> {
  const { start, end, signal } = options
  const place = placeOf(container, key)
  const isPart = start !== undefined || end !== undefined
  const answer = await container.store.get(place, isPart ? `bytes=${start ?? 0}-${end ?? ''}` : undefined, signal)
  if (answer.status === 200 || answer.status === 206) {
    const bytes = Number(answer.headers['content-length'])
    return wholeStream(answer.stream(), { key, bytes, signal, lends: true })
  }
  if (answer.status === 404) {
    await drop(answer)
    throw notThere(place)
  }
  const size = /^bytes \*\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1]
  if (answer.status === 416 && Number(size) === (start ?? 0)) {
    await drop(answer)
    return Readable.from([])
  }
  throw await answerError(answer, `read ${shown(place)}`)
}

export async function stat(
  container: SwiftContainer,
  key: string,
  { signal }: CallOptions = {},
): Promise<StoredObject | undefined> {
  const head = await container.store.head(placeOf(container, key), signal)
  return head && describeObject(key, head)
}

export async function list(from: SwiftContainer, options: ListOptions = {}): Promise<ListPage> {
  const { prefix = '', cursor, limit, signal } = options
  const { container, prefix: own } = from.settings
  const { isSwift, pageLength = Infinity } = await from.session.info(signal)
  const most = limit === undefined ? undefined : Math.min(limit, pageLength, 10_000)
  const page = await from.store.list(container, { prefix: own + prefix, marker: cursor, limit: most }, signal)
  const ours = page.filter(({ name }) => isKey(name.slice(own.length)))
  const objects = isSwift
    ? ours.map(({ name, bytes, modified }) => ({ key: name.slice(own.length), size: bytes, modified }))
    : await lookUp(from, ours, signal)
  const isLast = page.length === 0 || (isSwift && page.length < (most ?? pageLength))
  return { objects, next: isLast ? undefined : page.at(-1)?.name }
}

export async function hash(container: SwiftContainer, key: string, { signal }: CallOptions = {}): Promise<Hashes> {
  const place = placeOf(container, key)
  const head = await container.store.head(place, signal)
  if (!head) throw notThere(place)
  return head.isLarge ? {} : { md5: head.etag }
}

export function describeObject(key: string, { size, modified }: ObjectHead): StoredObject {
  return { key, size, modified }
}

/** Stores that are not Swift list a large object with the size of its manifest. */
async function lookUp(
  { settings, store }: SwiftContainer,
  listed: readonly ListedObject[],
  signal: AbortSignal | undefined,
): Promise<StoredObject[]> {
  const { container, prefix } = settings
  const found = await inParallel(listed, async ({ name }) => {
    const head = await store.head({ container, name }, signal)
    return head && describeObject(name.slice(prefix.length), head)
  })
  return found.filter((object) => object !== undefined)
}
