import { checkKey } from '../key.js'
import { TargetError } from '../target-error.js'
import { answerError } from './errors.js'
import type { Body, HttpAnswer } from '../http/http-client.js'
import { drop, type Session } from './session.js'
import type { SwiftSettings } from './settings.js'

/** An object as it is when it is looked up. */
export interface ObjectHead {
  readonly size: number
  readonly modified: Date
  /** MD5 of its bytes; of a large object that of the MD5s of its segments. */
  readonly etag: string
  /** It has segments. */
  readonly isLarge: boolean
}

/** An object as listings show it. */
export interface ListedObject {
  readonly name: string
  readonly bytes: number
  readonly hash: string
  readonly modified: Date
}

export interface Place {
  readonly container: string
  readonly name: string
}

/** A container of a store in which objects have a common prefix. */
export interface SwiftContainer {
  readonly settings: SwiftSettings
  readonly session: Session
  readonly store: Store
}

/** Where an object of this key is. @throws TargetError ERR_TARGET_SETTINGS */
export function placeOf({ settings: { container, prefix } }: SwiftContainer, key: string): Place {
  checkKey(key)
  return { container, name: prefix + key }
}

/** How many requests without content are made at the same time. */
const parallel = 8

/** What Swift can do with objects, by their whole names. */
export class Store {
  readonly #session: Session
  readonly #ready = new Map<string, Promise<boolean>>()

  constructor(session: Session) {
    this.#session = session
  }

  async head({ container, name }: Place, signal?: AbortSignal): Promise<ObjectHead | undefined> {
    // Asks for the newest of all replicas: one may not know yet.
    const headers = { 'x-newest': 'true' }
    const answer = await this.#session.send({ method: 'HEAD', container, object: name, headers, signal })
    if (answer.status === 404) {
      await drop(answer)
      return undefined
    }
    const { headers: told } = await drop(await this.#check(answer, `look up ${shown({ container, name })}`))
    const seconds = Number(told['x-timestamp'])
    return {
      size: Number(told['content-length']),
      modified: new Date(seconds ? seconds * 1000 : String(told['last-modified'])),
      etag: unquoted(told.etag),
      isLarge: String(told['x-static-large-object']).toLowerCase() === 'true',
    }
  }

  get({ container, name }: Place, range: string | undefined, signal?: AbortSignal): Promise<HttpAnswer> {
    const headers: Record<string, string> = range === undefined ? {} : { range }
    return this.#session.send({ method: 'GET', container, object: name, headers, signal })
  }

  /** @returns the ETag. @throws TargetError also when the ETag is not the one that is asked for. */
  async put(
    { container, name }: Place,
    body: Body,
    options: {
      readonly etag?: string | undefined
      readonly ifAbsent?: boolean | undefined
      readonly isManifest?: boolean
      readonly signal?: AbortSignal | undefined
    } = {},
  ): Promise<string> {
    const { etag, ifAbsent = false, isManifest = false, signal } = options
    const answer = await this.#session.ask(
      {
        method: 'PUT',
        container,
        object: name,
        body,
        signal,
        headers: {
          'content-type': 'application/octet-stream',
          ...(etag === undefined ? {} : { etag }),
          ...(ifAbsent ? { 'if-none-match': '*' } : {}),
        },
        ...(isManifest ? { query: { 'multipart-manifest': 'put' } } : {}),
      },
      `store ${shown({ container, name })}`,
    )
    return unquoted((await drop(answer)).headers.etag)
  }

  /** @returns whether there was one. A large object loses its manifest first, so that half of one is never seen. */
  async delete(place: Place, signal?: AbortSignal): Promise<boolean> {
    const head = await this.head(place, signal)
    if (!head) return false
    const segments = head.isLarge ? await this.segmentsOf(place, signal) : []
    if (!segments) return this.deleteOne(place, signal, { 'multipart-manifest': 'delete' })
    const wasThere = await this.deleteOne(place, signal)
    await this.deleteAll(segments, signal)
    return wasThere
  }

  async deleteOne({ container, name }: Place, signal?: AbortSignal, query = {}): Promise<boolean> {
    const answer = await this.#session.send({ method: 'DELETE', container, object: name, query, signal })
    if (answer.status !== 404) await this.#check(answer, `delete ${shown({ container, name })}`)
    await drop(answer)
    return answer.status !== 404
  }

  async deleteAll(places: readonly Place[], signal?: AbortSignal): Promise<void> {
    await inParallel(places, (place) => this.deleteOne(place, signal))
  }

  /** What the manifest of a large object consists of. Undefined: the store does not say (Ceph answers nothing). */
  async segmentsOf({ container, name }: Place, signal?: AbortSignal): Promise<Place[] | undefined> {
    const query = { 'multipart-manifest': 'get' }
    const request = { method: 'GET', container, object: name, query, signal }
    const answer = await this.#session.ask(request, `read the manifest of ${shown({ container, name })}`)
    const text = await answer.text()
    if (text === '') return undefined
    return (JSON.parse(text) as { readonly name: string }[]).map((segment) => placeAt(segment.name))
  }

  /** A page of a listing, in the order of names; empty at its end, and of a container that is not there. */
  async list(
    container: string,
    page: { readonly prefix: string; readonly marker?: string | undefined; readonly limit?: number | undefined },
    signal?: AbortSignal,
  ): Promise<ListedObject[]> {
    const { prefix, marker = '', limit } = page
    const query = { format: 'json', prefix, marker, ...(limit === undefined ? {} : { limit: String(limit) }) }
    const answer = await this.#session.send({ method: 'GET', container, query, signal })
    if (answer.status === 404 || answer.status === 204) {
      await drop(answer)
      return []
    }
    const text = await (await this.#check(answer, `list container "${container}"`)).text()
    const listed = JSON.parse(text) as { name: string; bytes: number; hash: string; last_modified: string }[]
    return listed.map(({ name, bytes, hash, last_modified: at }) => {
      // Without a zone it is in UTC.
      return { name, bytes, hash, modified: new Date(/Z|[+-]\d\d:?\d\d$/.test(at) ? at : `${at}Z`) }
    })
  }

  async *listAll(container: string, prefix: string, signal?: AbortSignal): AsyncGenerator<ListedObject> {
    let marker: string | undefined
    for (;;) {
      const page = await this.list(container, { prefix, marker }, signal)
      yield* page
      marker = page.at(-1)?.name
      if (marker === undefined) return
    }
  }

  /** Makes a container that is not there. @returns false when it is not there and may not be made. */
  ensure(container: string, signal?: AbortSignal): Promise<boolean> {
    const known = this.#ready.get(container)
    if (known) return known
    const ready = this.#ensure(container, signal)
    this.#ready.set(container, ready)
    ready.catch(() => this.#ready.delete(container))
    return ready
  }

  async #ensure(container: string, signal?: AbortSignal): Promise<boolean> {
    const found = await drop(await this.#session.send({ method: 'HEAD', container, signal }))
    if (found.status < 300) return true
    // An account that may only use this container may not look at it either: it shows when an object is stored.
    if (found.status === 403) return false
    if (found.status !== 404) throw await answerError(found, `look up container "${container}"`)
    const made = await this.#session.send({ method: 'PUT', container, signal })
    if (made.status === 403) {
      await drop(made)
      return false
    }
    await drop(await this.#check(made, `make container "${container}"`))
    return true
  }

  /** Bytes that a container may have more; undefined: any number. */
  async room(container: string, signal?: AbortSignal): Promise<number | undefined> {
    const { status, headers } = await drop(await this.#session.send({ method: 'HEAD', container, signal }))
    const quota = headers['x-container-meta-quota-bytes']
    if (status >= 300 || typeof quota !== 'string') return undefined
    return Number(quota) - Number(headers['x-container-bytes-used'])
  }

  async #check(answer: HttpAnswer, attempted: string): Promise<HttpAnswer> {
    if (answer.status >= 200 && answer.status < 300) return answer
    throw await answerError(answer, attempted)
  }
}

export async function inParallel<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const results: U[] = []
  const entries = items.entries()
  const worker = async () => {
    for (const [index, item] of entries) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, worker))
  return results
}

export function shown({ container, name }: Place): string {
  return `"${name}" in container "${container}"`
}

export function notThere(place: Place): TargetError {
  return new TargetError('ERR_TARGET_NOT_FOUND', `There is no ${shown(place)}.`)
}

/** `/container/name/of/it` */
function placeAt(path: string): Place {
  const [, container = '', name = ''] = /^\/?([^/]+)\/(.*)$/s.exec(path) ?? []
  return { container, name }
}

function unquoted(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '')
}
