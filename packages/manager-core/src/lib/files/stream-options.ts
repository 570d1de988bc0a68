export interface StreamOptions {
  readonly signal?: AbortSignal | undefined
  /** Bytes before compression, so far. */
  readonly onBytes?: (total: number) => void
}
