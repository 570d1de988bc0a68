import type { VendorError } from './errors.js'

/** A statement that a reader thread runs. */
interface Run {
  readonly job: number
  readonly sql: string
  readonly values: readonly unknown[]
}

/** What a reader thread works at for a while; it is asked for one of these at a time, and answers it once. */
export type ReaderStep =
  /** Answered by `value`. */
  | ({ readonly kind: 'value' } & Run)
  /** Answered by the first `rows`; `most` in each answer. */
  | ({ readonly kind: 'search'; readonly most: number } & Run)
  /** Answered by the next `rows`. */
  | { readonly kind: 'more'; readonly job: number }

/** What the main thread asks a reader thread. `job` is chosen by the asker and names the request in answers. */
export type ReaderRequest =
  | ReaderStep
  /** Forgets an open search; not answered. */
  | { readonly kind: 'cancel'; readonly job: number }
  /** Moves what was committed from the log into the file; not answered. */
  | { readonly kind: 'checkpoint' }
  /** Closes everything and ends the thread; not answered. */
  | { readonly kind: 'end' }

export type ReaderRows = {
  readonly kind: 'rows'
  readonly job: number
  readonly rows: readonly (readonly unknown[])[]
  readonly last: boolean
}

export type ReaderAnswer =
  | { readonly kind: 'value'; readonly job: number; readonly value: number }
  | ReaderRows
  | { readonly kind: 'failed'; readonly job: number; readonly error: VendorError }

/** What a reader thread is started with. */
export interface ReaderData {
  readonly filename: string
  /** Most bytes of the rows of an answer, unless a single one has more. */
  readonly batchBytes: number
  /** One number of 32 bits: not 0 when the step that the thread is at is no longer wanted. */
  readonly stop: SharedArrayBuffer
}
