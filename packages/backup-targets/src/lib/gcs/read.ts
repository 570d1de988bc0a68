import { Readable } from 'node:stream'
import { checkKey, isKey } from '../key.js'
import { TargetError } from '../target-error.js'
import type { CallOptions, GetOptions, Hashes, ListOptions, ListPage, StoredObject } from '../target.js'
import { wholeStream } from '../whole-stream.js'
import { call, send, urlOf, type Api, type ObjectResource } from './api.js'

export async function get(api: Api, key: string, options: GetOptions = {}): Promise<Readable> {
  const { start = 0, end = Infinity, signal } = options
  checkKey(key)
  const { size, generation = '0' } = await lookUp(api, key, { signal })
  const bytes = Math.max(0, Math.min(Number(size), end + 1) - start)
  if (bytes === 0) return Readable.from([])
  const range = { name: api.prefix + key, generation, start, end: start + bytes - 1, signal }
  const stream = await download(api, range, `Cannot read "${key}"`)
  return wholeStream(stream, { key, bytes, signal, lends: true })
}

export async function stat(api: Api, key: string, options: CallOptions = {}): Promise<StoredObject | undefined> {
  checkKey(key)
  try {
    return describeObject(key, await lookUp(api, key, options))
  } catch (error) {
    if (TargetError.is(error) && error.code === 'ERR_TARGET_NOT_FOUND') return undefined
    throw error
  }
}

interface ListAnswer {
  readonly items?: readonly ObjectResource[]
  readonly nextPageToken?: string
}

export async function list(api: Api, options: ListOptions = {}): Promise<ListPage> {
  const { prefix = '', cursor, limit, signal } = options
  const query = new URLSearchParams({
    prefix: api.prefix + prefix,
    fields: 'items(name,size,updated),nextPageToken',
  })
  if (cursor !== undefined) query.set('pageToken', cursor)
  if (limit !== undefined) query.set('maxResults', String(limit))
  const { items = [], nextPageToken } = await call<ListAnswer>(api, {
    method: 'GET',
    url: `${urlOf(api)}?${String(query)}`,
    expected: [200],
    signal,
    what: 'Cannot list the bucket',
  })
  const objects = items.map((each) => describeObject((each.name ?? '').slice(api.prefix.length), each))
  return { objects: objects.filter(({ key }) => isKey(key)), next: nextPageToken }
}

export async function hash(api: Api, key: string, options: CallOptions = {}): Promise<Hashes> {
  checkKey(key)
  const { md5Hash, crc32c } = await lookUp(api, key, options)
  const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex')
  return { ...(md5Hash && { md5: hex(md5Hash) }), ...(crc32c && { crc32c: hex(crc32c) }) }
}

export function describeObject(key: string, { size, updated = '' }: ObjectResource): StoredObject {
  return { key, size: Number(size), modified: new Date(updated) }
}

function lookUp(api: Api, key: string, { signal }: CallOptions): Promise<ObjectResource> {
  return call(api, {
    method: 'GET',
    url: urlOf(api, api.prefix + key),
    expected: [200],
    signal,
    what: `Cannot look at "${key}"`,
  })
}

interface Range extends CallOptions {
  readonly name: string
  /** Names this very object, also when it is replaced meanwhile. */
  readonly generation: string | number
  /** First and last byte. */
  readonly start: number
  readonly end: number
}

/** Reads a part of an object. */
async function download(api: Api, range: Range, what: string): Promise<Readable> {
  const { name, generation, start, end, signal } = range
  const query = new URLSearchParams({ alt: 'media', generation: String(generation) })
  const answer = await send(api, {
    method: 'GET',
    url: `${urlOf(api, name)}?${String(query)}`,
    headers: { range: `bytes=${start}-${end}` },
    expected: [200, 206],
    signal,
    what,
  })
  const stream = answer.stream()
  if (answer.status === 206) return stream
  stream.destroy()
  throw new TargetError('ERR_TARGET_FAILED', `${what}: the store gave all of it instead of a part.`)
}
