import type { Readable } from 'node:stream'

/**
 * A place that backups are copied to: named objects of bytes, each written once. Keys are relative, `/`-separated, see
 * `checkKey`. Source: docs/spec/instances-manager.md, "Global settings".
 *
 * Every call takes a `signal`; aborted, it rejects with its reason and leaves nothing under the final key. All failures
 * are `TargetError`s.
 */
export interface BackupTarget {
  readonly capabilities: TargetCapabilities
  /**
   * Stores an object. It appears only when it is complete: neither `stat` nor `list` nor `get` show it before, also when this
   * process, the network or the server ends meanwhile. An object of this key that is there is replaced at once, unless
   * `ifAbsent`.
   *
   * @throws TargetError; ERR_TARGET_EXISTS (`ifAbsent`), ERR_TARGET_FULL, ERR_TARGET_DAMAGED when the store has another
   *   size or hash than what was sent (it is removed then).
   */
  put(key: string, source: Source, options?: PutOptions): Promise<StoredObject>
  /**
   * Reads an object or a part of it. Who is done with a chunk may `giveBack` it, which frees it when the target lends it.
   *
   * @throws TargetError ERR_TARGET_NOT_FOUND, at once or as the stream's error. A stream that ends early for any reason
   *   fails, it never just ends.
   */
  get(key: string, options?: GetOptions): Promise<Readable>
  /** Looks one up, not by listing. `undefined`: there is none. */
  stat(key: string, options?: CallOptions): Promise<StoredObject | undefined>
  /** A page of what is there, in the order of `capabilities.listOrder`. Partial objects are not. */
  list(options?: ListOptions): Promise<ListPage>
  /**
   * Removes an object with all that belongs to it (segments). @returns whether there was one.
   * @throws TargetError ERR_TARGET_LOCKED when the store keeps it.
   */
  delete(key: string, options?: CallOptions): Promise<boolean>
  /**
   * Hashes that the store itself computes from the bytes that it has now: those of `capabilities.hashes` that it has for this
   * object; may take as long as reading it. Absent when there are none.
   */
  hash?(key: string, options?: CallOptions): Promise<Hashes>
  /** Removes what uploads left that were started before this moment and never ended. @returns how many. */
  sweep(options: SweepOptions): Promise<number>
  /** Ends connections. Nothing is called afterwards; twice does no harm. */
  close(): Promise<void>
}

/** What a target can do, as data. */
export interface TargetCapabilities {
  /** How a whole object appears: by a rename, by completing an upload of parts, or by one request that is all or nothing. */
  readonly atomicPublish: 'rename' | 'complete' | 'request'
  /** What `hash` returns; empty: nothing. */
  readonly hashes: readonly HashAlgorithm[]
  /** How a `put` of the same `upload` continues after a cut: after the bytes, or with the parts, that are there; or not. */
  readonly resume: 'append' | 'parts' | 'none'
  /** Objects are stored in parts of that many bytes, at most that many at the same time; undefined: in one piece. */
  readonly multipart: { readonly partBytes: number; readonly parallel: number } | undefined
  /** `ifAbsent` is decided by the store, so that of two writers one wins; else it is looked up before. */
  readonly conditionalCreate: boolean
  /** `lockUntil` is kept by the store. */
  readonly immutability: boolean
  /** A source without `size` can be stored. */
  readonly unknownSize: boolean
  readonly listOrder: 'key' | 'none'
  /** Bytes; undefined: no limit that is known. */
  readonly maxObjectBytes: number | undefined
}

export type HashAlgorithm = 'sha256' | 'md5' | 'crc32c'

/** In lower-case hex. */
export type Hashes = Readonly<Partial<Record<HashAlgorithm, string>>>

/** What is stored. */
export interface Source {
  /** Bytes; undefined: not known before the end. */
  readonly size?: number | undefined
  /**
   * The bytes from `start` (default 0) on. A target asks again to continue after a cut; a source that can be read only once
   * rejects then.
   */
  open(start?: number): Readable | Promise<Readable>
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface PutOptions extends CallOptions {
  /** Bytes that the store has taken, so far; starts above 0 when an upload continues. */
  readonly onProgress?: ((bytes: number) => void) | undefined
  /**
   * Names the content, e.g. by its SHA-256: 8 to 64 letters and digits. A `put` with the same key and `upload` continues
   * where a former one was cut, when the target can resume; one that fails leaves what it has for that (not when the store
   * is full). Default: random, and one that fails removes what it has.
   */
  readonly upload?: string | undefined
  /** Rejects with ERR_TARGET_EXISTS when there is such an object. */
  readonly ifAbsent?: boolean | undefined
  /** It cannot be removed or changed before; ERR_TARGET_SETTINGS when the target has no `immutability`. */
  readonly lockUntil?: Date | undefined
}

export interface GetOptions extends CallOptions {
  /** First byte. Default: 0. */
  readonly start?: number | undefined
  /** Last byte, inclusive. Default: the last one. */
  readonly end?: number | undefined
}

export interface ListOptions extends CallOptions {
  /** Keys begin with it. Default: all. */
  readonly prefix?: string | undefined
  /** `next` of the page before. Default: the first page. */
  readonly cursor?: string | undefined
  /** At most that many, at least 1. Default and most: what the store returns in one answer. */
  readonly limit?: number | undefined
}

export interface ListPage {
  readonly objects: readonly StoredObject[]
  /** Where the next page starts; undefined: this was the last one. A page may be empty and have a next one. */
  readonly next: string | undefined
}

export interface SweepOptions extends CallOptions {
  readonly before: Date
  /** Only keys that begin with it. Default: all. */
  readonly prefix?: string | undefined
}

/** An object that is there. */
export interface StoredObject {
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** When it was stored, by the clock of the store. */
  readonly modified: Date
}
