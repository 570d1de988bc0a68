/** Every answer. Source: wire-decisions, "every API answer". */
export interface Answer {
  /** 0: done. */
  readonly status: number
  readonly message: string
  readonly operation?: string
  readonly warnings?: readonly string[]
}

/** What a refused or failed action answers. */
export interface FailureBody {
  readonly code?: string
  readonly message: string
  readonly help?: string
  readonly command?: string
  readonly output?: string
  readonly operation?: string
}
