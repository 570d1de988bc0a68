import type { LoggedRequest } from './read-requests.js'

/** What was asked of an instance, counted. */
export interface AccessSummary {
  readonly requests: number
  /** ISO 8601 of the first and last request; undefined: there are none. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly bytes: number
  readonly visitors: number
  readonly durationMs: { readonly average: number; readonly p50: number; readonly p95: number; readonly max: number }
  /** By `2xx` … */
  readonly statuses: Readonly<Record<string, number>>
  /** Most frequent first, at most 20: path without query. */
  readonly paths: readonly Counted[]
  readonly visitorsByRequests: readonly Counted[]
  readonly users: readonly Counted[]
  /** By UTC day, oldest first. */
  readonly days: readonly Counted[]
  /** By UTC hour, as in `2026-11-25T14`, oldest first: those of the last week with requests. */
  readonly hours: readonly Counted[]
}

export interface Counted {
  readonly name: string
  readonly requests: number
  readonly errors: number
  readonly averageMs: number
}

interface Tally {
  requests: number
  errors: number
  ms: number
}

/** Keeps memory bounded whatever the log holds: this many different names are counted apart, the rest is `(others)`. */
const mostNames = 10_000
const shown = 20
const weekMs = 7 * 24 * 3_600_000

/** Reads all requests once. */
export async function summarise(requests: AsyncIterable<LoggedRequest>): Promise<AccessSummary> {
  const statuses: Record<string, number> = {}
  const [paths, visitors, users] = [createTallies(), createTallies(), createTallies()]
  const [days, hours] = [createTallies(), createTallies()]
  const durations = createDurations()
  let [count, bytes, totalMs, maxMs, from, to] = [0, 0, 0, 0, Infinity, -Infinity]
  for await (const request of requests) {
    const { time, address, user, url, status, durationMs } = request
    count++
    bytes += request.bytes
    totalMs += durationMs
    maxMs = Math.max(maxMs, durationMs)
    from = Math.min(from, time)
    to = Math.max(to, time)
    durations.add(durationMs)
    const kind = `${Math.floor(status / 100)}xx`
    statuses[kind] = (statuses[kind] ?? 0) + 1
    paths.add(url.split('?')[0] as string, request)
    visitors.add(address, request)
    if (user !== undefined) users.add(user, request)
    const at = new Date(time).toISOString()
    days.add(at.slice(0, 10), request)
    hours.add(at.slice(0, 13), request)
  }
  return {
    requests: count,
    from: count === 0 ? undefined : new Date(from).toISOString(),
    to: count === 0 ? undefined : new Date(to).toISOString(),
    bytes,
    visitors: visitors.size,
    durationMs: {
      average: count === 0 ? 0 : round(totalMs / count),
      p50: Math.min(durations.quantile(0.5), round(maxMs)),
      p95: Math.min(durations.quantile(0.95), round(maxMs)),
      max: round(maxMs),
    },
    statuses,
    paths: paths.most(),
    visitorsByRequests: visitors.most(),
    users: users.most(),
    days: days.byName(),
    hours: hours.byName().filter(({ name }) => Date.parse(`${name}:00Z`) > to - weekMs),
  }
}

function createTallies() {
  const tallies = new Map<string, Tally>()
  const counted = ([name, { requests, errors, ms }]: [string, Tally]): Counted => ({
    name,
    requests,
    errors,
    averageMs: round(ms / requests),
  })
  return {
    get size() {
      return tallies.size
    },
    add(name: string, { status, durationMs }: LoggedRequest) {
      const key = tallies.has(name) || tallies.size < mostNames ? name : '(others)'
      const tally = tallies.get(key) ?? { requests: 0, errors: 0, ms: 0 }
      tally.requests++
      if (status >= 400) tally.errors++
      tally.ms += durationMs
      tallies.set(key, tally)
    },
    most: () =>
      [...tallies]
        .toSorted(([, a], [, b]) => b.requests - a.requests)
        .slice(0, shown)
        .map(counted),
    byName: () => [...tallies].toSorted(([a], [b]) => a.localeCompare(b)).map(counted),
  }
}

/** Counts by size class, each a tenth wider than the one before: quantiles within 5 % without keeping the values. */
function createDurations() {
  const classes = new Map<number, number>()
  let count = 0
  return {
    add(ms: number) {
      const index = Math.round(Math.log(Math.max(ms, 0.001)) / Math.log(1.1))
      classes.set(index, (classes.get(index) ?? 0) + 1)
      count++
    },
    quantile(part: number): number {
      let seen = 0
      for (const [index, size] of [...classes].toSorted(([a], [b]) => a - b)) {
        seen += size
        if (seen >= part * count) return round(1.1 ** index)
      }
      return 0
    },
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
