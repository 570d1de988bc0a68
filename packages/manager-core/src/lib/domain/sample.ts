import type { Desired } from '../domain/instance.js'

/** What was measured of an instance at one time. */
export interface Sample {
  readonly instanceId: string
  /** In ms since the Unix epoch. */
  readonly at: number
  /** False: the health check failed. An answer that was only slow is `ok`. */
  readonly ok: boolean
  /** One of docs/spec/wire-decisions.md, "monitoring reasons"; empty: all is well. */
  readonly reason: string
  readonly responseMs: number
  /** Resident memory of all its processes; null: unknown. */
  readonly memoryMb: number | null
  /** Since the sample before, of one core: two busy cores are 200; null: there was none before. */
  readonly cpuPercent: number | null
  /** Size of its folder when it was last measured; null: not yet. */
  readonly diskMb: number | null
}

/** A sample as surfaces show it. */
export type WireSample = {
  readonly at: string
  readonly ok: boolean
  readonly reason: string
  readonly response_ms: number
  readonly memory_mb: number | null
  readonly cpu_percent: number | null
  readonly disk_mb: number | null
}

/** An instance as `monitoring` answers it. Before its first sample `at` is empty and what is measured is null. */
export type MonitoredInstance = Pick<WireSample, 'at' | 'reason'> & {
  readonly [K in Exclude<keyof WireSample, 'at' | 'reason'>]: WireSample[K] | null
} & {
  readonly name: string
  readonly status: Desired
  /** Checks of the last hour, and those of them that went wrong. */
  readonly checks: number
  readonly failed: number
  /** Number of the open incident. */
  readonly incident: number | null
  /** Longest response time in each part of the last hour, in ms; null: nothing was measured. Absent: it was not asked for. */
  readonly response_times?: readonly (number | null)[]
}

export function wireSample({ at, ok, reason, responseMs, memoryMb, cpuPercent, diskMb }: Sample): WireSample {
  return {
    at: new Date(at).toISOString(),
    ok,
    reason,
    response_ms: Math.round(responseMs),
    memory_mb: rounded(memoryMb),
    cpu_percent: rounded(cpuPercent),
    disk_mb: rounded(diskMb),
  }
}

/** To one decimal. */
export function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10
}
