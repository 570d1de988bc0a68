/** What one bench found: a figure of ours over one of the peer. */
export interface Figure {
  readonly title: string
  readonly ours: number
  readonly peer: number
  readonly unit: 'ms' | 'MiB' | 'MB/s' | 'requests/s'
  /** The ratio that is asked for. */
  readonly atMost?: number
  readonly atLeast?: number
  /** This much of ours is enough, whatever the ratio. */
  readonly enough?: number
  /** Ours may be no more, whatever the ratio. */
  readonly noMore?: number
}

export interface Size {
  readonly rounds: number
  readonly megabytes: number
  readonly instances: number
}
