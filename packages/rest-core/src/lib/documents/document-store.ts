import type { Readable } from 'node:stream'
import type { Caller } from '../caller.js'

/** What is known of a stored document. */
export interface DocumentInfo {
  /** Identifier in records; url-safe. */
  readonly id: string
  /** File name as given, without any folder. */
  readonly name: string
  /** Media type, e.g. `image/png`. */
  readonly mime: string
  /** Bytes. */
  readonly size: number
  /** Where it belongs, e.g. `Movie/mov_poster`. */
  readonly path: string
}

export interface PutDocument {
  readonly name: string
  /** Default: from the name, else `application/octet-stream`. */
  readonly mime?: string | undefined
  readonly path: string
  /** The upload is refused (RestError ERR_TOO_LARGE) and nothing kept beyond this many bytes. */
  readonly maxBytes: number
}

/** Bytes from `start` to `end`, both inclusive and from 0 on. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface ListedDocument {
  readonly id: string
  /** When it was last written to, in ms since the Unix epoch. */
  readonly storedAt: number
}

/**
 * Where contents of document and image fields are kept, outside the database; records hold the id.
 * Contents are immutable: a changed document gets a new id. Any number of processes
 * may use the same documents. Implementations: `createDiskDocumentStore`, `createBucketDocumentStore`.
 */
export interface DocumentStore {
  /** Stores the content; resolves once it is durable. */
  put(content: Readable | Uint8Array, options: PutDocument): Promise<DocumentInfo>
  /** `undefined` when there is no such document. */
  info(id: string): Promise<DocumentInfo | undefined>
  /** The content, or its bytes `start` to `end` (inclusive), as a stream. @throws RestError ERR_NOT_FOUND */
  read(id: string, range?: ByteRange): Promise<Readable>
  /**
   * A picture whose longest side is at most `pixels`, as WebP, made once and kept; `undefined` when the content is not a picture.
   * @param caller who waits for it: users take turns. Default: no user in particular.
   * @throws Error naming the missing package when no image library is installed; RestError ERR_UNAVAILABLE when too many
   *   pictures are being made.
   */
  thumbnail(id: string, pixels: number, caller?: Caller): Promise<Uint8Array | undefined>
  /** Removes the content and its thumbnails, also of an upload that never ended; a second call does nothing. */
  delete(id: string): Promise<void>
  /** All documents, and uploads that have not ended, in no particular order. */
  list(): AsyncIterable<ListedDocument>
  /** Removes remains of unfinished uploads that started before this moment and that `list()` does not show, where a store keeps such. */
  sweep?(before: Date): Promise<void>
  /** Ends connections. Called once, when nothing uses it any more. */
  close?(): Promise<void>
}

/** What a package exports as `documents`, for applications that name it in `app.yaml`. */
export interface DocumentStorePlugin {
  /**
   * Opens the store; what it needs is checked here.
   *
   * @throws Error whose message says which option is wrong, and what to do.
   */
  open(
    options: Readonly<Record<string, unknown>>,
    context: DocumentStoreContext,
  ): DocumentStore | Promise<DocumentStore>
}

export interface DocumentStoreContext {
  /** Absolute path of a folder for files of its own. */
  readonly dataFolder: string
}
