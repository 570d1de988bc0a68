import { Readable } from 'node:stream'
import { checkKey, isKey, uploadId } from '../key.js'
import { TargetError } from '../target-error.js'
import type {
  BackupTarget,
  CallOptions,
  GetOptions,
  Hashes,
  ListOptions,
  ListPage,
  PutOptions,
  Source,
  StoredObject,
  SweepOptions,
  TargetCapabilities,
} from '../target.js'
import { wholeStream } from '../whole-stream.js'
import { answerError } from './errors.js'
import { HttpClient } from '../http/http-client.js'
import { removeUpload, sweepSegments } from './segments.js'
import { Session, drop } from './session.js'
import type { SwiftSettings } from './settings.js'
import { inParallel, notThere, shown, Store, type ListedObject, type ObjectHead, type Place } from './store.js'
import { maxObjectBytes, storeObject } from './write.js'

/** A container of OpenStack Swift. */
export class SwiftTarget implements BackupTarget {
  readonly capabilities: TargetCapabilities
  readonly #settings: SwiftSettings
  readonly #http: HttpClient
  readonly #session: Session
  readonly #store: Store

  constructor(settings: SwiftSettings, idleMs: number) {
    this.#settings = settings
    this.#http = new HttpClient(idleMs)
    this.#session = new Session(this.#http, settings)
    this.#store = new Store(this.#session)
    this.capabilities = {
      atomicPublish: 'request',
      hashes: ['md5'],
      resume: 'parts',
      multipart: { partBytes: settings.partBytes, parallel: 1 },
      // Swift looks whether there is one when a request begins, not when it ends; others with its API do not look.
      conditionalCreate: false,
      immutability: false,
      unknownSize: true,
      listOrder: 'key',
      maxObjectBytes,
    }
  }

  async put(key: string, source: Source, options: PutOptions = {}): Promise<StoredObject> {
    const place = this.#place(key)
    const { signal, ifAbsent, lockUntil } = options
    signal?.throwIfAborted()
    if (lockUntil) throw new TargetError('ERR_TARGET_SETTINGS', 'Swift cannot keep objects from being removed.')
    const hasContainer = await this.#store.ensure(place.container, signal)
    const before = await this.#store.head(place, signal)
    if (before && ifAbsent) throw new TargetError('ERR_TARGET_EXISTS', `There is ${shown(place)} already.`)
    const replaced = before?.isLarge ? await this.#store.segmentsOf(place, signal) : []
    // Segments that are in use are neither written nor removed, whatever else is called so.
    const isInUse = replaced?.some(({ name }) => name.includes(`/.${options.upload}-`)) ?? true
    const upload = uploadId(isInUse ? undefined : options.upload)

    const { partBytes } = this.#settings
    let size: number
    try {
      size = await storeObject({ store: this.#store, place, source, upload, partBytes, options })
    } catch (error) {
      const { code } = error as Partial<TargetError>
      const goesOn = upload === options.upload && code !== 'ERR_TARGET_FULL'
      if (!goesOn) await removeUpload(this.#store, place, upload).catch(() => {})
      throw !hasContainer && code === 'ERR_TARGET_NOT_FOUND' ? noContainer(place) : error
    }
    const after = await this.#store.head(place, signal)
    if (after?.size !== size) {
      if (after) await this.#store.delete(place, signal)
      const has = after ? `has ${after.size} bytes instead of ${size}` : 'is not there'
      throw new TargetError('ERR_TARGET_DAMAGED', `${shown(place)} was stored, but ${has}.`)
    }
    if (replaced && replaced.length > 0) await this.#removeReplaced(place, after, replaced, signal)
    return stored(key, after)
  }

  async get(key: string, { start, end, signal }: GetOptions = {}): Promise<Readable> {
    const place = this.#place(key)
    const isPart = start !== undefined || end !== undefined
    const answer = await this.#store.get(place, isPart ? `bytes=${start ?? 0}-${end ?? ''}` : undefined, signal)
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

  async stat(key: string, { signal }: CallOptions = {}): Promise<StoredObject | undefined> {
    const head = await this.#store.head(this.#place(key), signal)
    return head && stored(key, head)
  }

  async list({ prefix = '', cursor, limit, signal }: ListOptions = {}): Promise<ListPage> {
    const { container, prefix: own } = this.#settings
    const { isSwift, pageLength = Infinity } = await this.#session.info(signal)
    const most = limit === undefined ? undefined : Math.min(limit, pageLength, 10_000)
    const page = await this.#store.list(container, { prefix: own + prefix, marker: cursor, limit: most }, signal)
    const ours = page.filter(({ name }) => isKey(name.slice(own.length)))
    const objects = isSwift ? ours.map((listed) => this.#listed(listed)) : await this.#lookUp(ours, signal)
    const isLast = page.length === 0 || (isSwift && page.length < (most ?? pageLength))
    return { objects, next: isLast ? undefined : page.at(-1)?.name }
  }

  async delete(key: string, { signal }: CallOptions = {}): Promise<boolean> {
    return this.#store.delete(this.#place(key), signal)
  }

  async hash(key: string, { signal }: CallOptions = {}): Promise<Hashes> {
    const place = this.#place(key)
    const head = await this.#store.head(place, signal)
    if (!head) throw notThere(place)
    return head.isLarge ? {} : { md5: head.etag }
  }

  async sweep({ before, prefix = '', signal }: SweepOptions): Promise<number> {
    const { container, prefix: own } = this.#settings
    return sweepSegments(this.#store, { container, prefix: own + prefix, before, signal })
  }

  close(): Promise<void> {
    this.#http.close()
    return Promise.resolve()
  }

  /** Segments that the object had before, and has not now. */
  async #removeReplaced(place: Place, now: ObjectHead, before: readonly Place[], signal?: AbortSignal): Promise<void> {
    const segments = now.isLarge ? await this.#store.segmentsOf(place, signal) : []
    const used = new Set(segments?.map(shown))
    await this.#store.deleteAll(
      before.filter((segment) => !used.has(shown(segment))),
      signal,
    )
  }

  /** Stores that are not Swift list a large object with the size of its manifest. */
  async #lookUp(listed: readonly ListedObject[], signal?: AbortSignal): Promise<StoredObject[]> {
    const { container, prefix } = this.#settings
    const found = await inParallel(listed, async ({ name }) => {
      const head = await this.#store.head({ container, name }, signal)
      return head && stored(name.slice(prefix.length), head)
    })
    return found.filter((object) => object !== undefined)
  }

  #listed({ name, bytes, modified }: ListedObject): StoredObject {
    return { key: name.slice(this.#settings.prefix.length), size: bytes, modified }
  }

  #place(key: string): Place {
    checkKey(key)
    return { container: this.#settings.container, name: this.#settings.prefix + key }
  }
}

function stored(key: string, { size, modified }: ObjectHead): StoredObject {
  return { key, size, modified }
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
