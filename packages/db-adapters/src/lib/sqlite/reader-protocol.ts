import type { VendorError } from './errors.js'

/** What the main thread asks a reader thread. `job` is chosen by the asker and names the request in answers. */
export type ReaderRequest =
  /** Answered by `value`. */
  | { readonly kind: 'count'; readonly job: number; readonly sql: string; readonly values: readonly unknown[] }
  /** Answered by `rows` as often as asked for by `more`. */
  | { readonly kind: 'search'; readonly job: number; readonly sql: string; readonly values: readonly unknown[] }
  | { readonly kind: 'more'; readonly job: number }
  | { readonly kind: 'cancel'; readonly job: number }
  /** Moves what was committed from the log into the file; not answered. */
  | { readonly kind: 'checkpoint' }

export type ReaderAnswer =
  | { readonly kind: 'value'; readonly job: number; readonly value: number }
  | {
      readonly kind: 'rows'
      readonly job: number
      readonly rows: readonly (readonly unknown[])[]
      readonly last: boolean
    }
  | { readonly kind: 'failed'; readonly job: number; readonly error: VendorError }

/** What a reader thread is started with. */
export interface ReaderData {
  readonly filename: string
  /** Rows per batch. */
  readonly batch: number
}
