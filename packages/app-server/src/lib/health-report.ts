/** What a process reports about itself. */
export interface HealthReport {
  /** In bytes. */
  readonly rss: number
  readonly heapUsed: number
  readonly heapTotal: number
  readonly cached: Readonly<Record<string, number>>
  readonly activity: Readonly<Record<string, number>>
}

export interface HealthSources {
  /** How many things of which kind are kept in memory. */
  readonly cached: () => Readonly<Record<string, number>>
  /** What is under way or waits beside requests, by its kind: an instance with such work is not put to sleep. */
  readonly activity: () => Promise<Readonly<Record<string, number>>>
}

/** What this process is and does; `activity` is not asked when the database does not answer. */
export async function reportHealth({ cached, activity }: HealthSources, healthy: boolean): Promise<HealthReport> {
  const { rss, heapUsed, heapTotal } = process.memoryUsage()
  return {
    rss,
    heapUsed,
    heapTotal,
    cached: cached(),
    // Unknown, it may be there.
    activity: healthy ? await activity().catch(() => ({ unknown: 1 })) : {},
  }
}
