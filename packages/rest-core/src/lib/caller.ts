/** Who waits for a read. */
export interface Caller {
  /** The same for all requests of one user: users take turns. Default: no user in particular. */
  readonly user?: string | undefined
  /** Aborted when the caller no longer waits: the database may stop reading, and the read rejects. */
  readonly signal?: AbortSignal | undefined
}
