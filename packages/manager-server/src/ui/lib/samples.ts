/** One measurement of an instance, as `samples` answers it. */
export interface Sample {
  /** ISO 8601; empty: nothing was measured yet. */
  readonly at: string
  readonly ok: boolean | null
  readonly reason: string
  readonly response_ms: number | null
  readonly memory_mb: number | null
  /** Of one core. */
  readonly cpu_percent: number | null
  /** Of its folder. */
  readonly disk_mb: number | null
}

/** A row of `monitoring`. */
export interface Measured extends Sample {
  readonly name: string
  readonly status: 'started' | 'stopped'
  /** Checks of the last hour, and those of them that went wrong. */
  readonly checks: number
  readonly failed: number
  /** Number of the open incident. */
  readonly incident: number | null
}

export interface Incident {
  readonly id: number
  /** ISO 8601; `closed` is empty while it lasts. */
  readonly opened: string
  readonly closed: string
  readonly message: string
  readonly instances: readonly {
    readonly name: string
    readonly reason: string
    readonly opened: string
    readonly closed: string
  }[]
}

export const measures = ['response_ms', 'memory_mb', 'cpu_percent', 'disk_mb'] as const
export type Measure = (typeof measures)[number]
