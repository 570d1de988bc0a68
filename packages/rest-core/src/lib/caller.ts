/** Whose request it is. */
export interface Caller {
  /**
   * The same for all requests of one user: each has a part of the store at the same time, and they take turns. Default: no
   * user, which is for what all users wait for, such as their log-in.
   */
  readonly user?: string | undefined
  /** Aborted when the caller no longer waits: the database may stop reading, and the read rejects. */
  readonly signal?: AbortSignal | undefined
}
