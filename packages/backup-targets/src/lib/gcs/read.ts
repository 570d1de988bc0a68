import type { Readable } from 'node:stream'
import { TargetError } from '../target-error.js'
import type { CallOptions } from '../target.js'
import { send, urlOf, type Api } from './api.js'

export interface Range extends CallOptions {
  readonly name: string
  /** Of this very object, also when it is replaced meanwhile. */
  readonly generation: string | number
  /** First and last byte. */
  readonly start: number
  readonly end: number
}

/** Reads a part of an object. */
export async function download(api: Api, range: Range, what: string): Promise<Readable> {
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
