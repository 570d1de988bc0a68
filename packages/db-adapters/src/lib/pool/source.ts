import type { Caller } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'

/** Where requests get a connection from, and where they bring it back. */
export interface ConnectionSource<C> {
  /**
   * One that is there already, or the promise of one.
   *
   * @param caller Users share the connections; those without one get what is left, and a part that users never get.
   * @param isStream It is held for as long as the caller takes its rows.
   * @throws StoreError `unavailable` when none can be had in time, `overloaded` when all that this caller may have are in use
   */
  take(caller?: Caller, isStream?: boolean): C | Promise<C>
  release(connection: C): void
  /** Closes idle connections, because they may be lost already. */
  discardIdle(): void
  /** Waits until all are brought back, and closes them. May be called twice. */
  close(): Promise<void>
}

export function closedError(): StoreError {
  return new StoreError('unavailable', 'The store is closed.')
}
