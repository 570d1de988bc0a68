import type { Sample } from '../domain/sample.js'
import type { Registry } from './registry.js'
import { sqlite } from './sqlite.js'

export interface SampleRange {
  /** In ms since the Unix epoch, both included. */
  readonly from: number
  readonly to: number
  /** More samples than this are put together, evenly over the time. */
  readonly points: number
}

/** How the checks of a time ended. */
export interface CheckCount {
  readonly checks: number
  readonly failed: number
}

/** Samples in the registry. */
export interface SampleStore {
  add(samples: readonly Sample[]): void
  /**
   * In their order. Of those that are put together the response time is the longest, other values are averages, and one
   * check that failed makes it fail.
   */
  range(instanceId: string, range: SampleRange): readonly Sample[]
  newest(instanceId: string): Sample | undefined
  /** By id of the instance, of the checks since then. */
  counts(since: number): ReadonlyMap<string, CheckCount>
  /** By id of the instance, its longest response time in each part of a time, in ms; null: nothing was measured. */
  responseTimes(range: SampleRange): ReadonlyMap<string, readonly (number | null)[]>
  /** Puts samples of this time together, one for each quarter of an hour, as `range` does. */
  thin(from: number, to: number): void
  /** Forgets what is older. */
  prune(before: number): void
}

/** Columns of samples that are put together. */
const together = `max(at) as at, min(ok) as ok, coalesce(max(case when ok = 0 then reason end), max(reason)) as reason,
  max(response_ms) as response_ms, avg(memory_mb) as memory_mb, avg(cpu_percent) as cpu_percent, avg(disk_mb) as disk_mb`
const hourMs = 3_600_000
const quarterMs = 900_000
const columns = 'instance_id, at, ok, reason, response_ms, memory_mb, cpu_percent, disk_mb'

export function createSampleStore({ [sqlite]: database, transaction }: Registry): SampleStore {
  function insert(samples: readonly Sample[]): void {
    const statement = database.prepare(`insert or replace into sample (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?)`)
    for (const { instanceId, at, ok, reason, responseMs, memoryMb, cpuPercent, diskMb } of samples)
      statement.run(instanceId, at, ok ? 1 : 0, reason, Math.round(responseMs), memoryMb, cpuPercent, diskMb)
  }

  return {
    add(samples) {
      if (samples.length > 0) transaction(() => insert(samples))
    },
    range(instanceId, { from, to, points }) {
      const width = Math.max(1, Math.ceil((to - from + 1) / points))
      // Numbers are bound as those with a fraction.
      const rows = database
        .prepare(
          `select instance_id, ${together} from sample
           where instance_id = ? and at between ? and ? group by cast((at - ?) / ? as integer) order by at`,
        )
        .all(instanceId, from, to, from, width)
      return rows.map(sampleFromRow)
    },
    newest(instanceId) {
      const row = database
        .prepare(`select ${columns} from sample where instance_id = ? order by at desc limit 1`)
        .get(instanceId)
      return row && sampleFromRow(row)
    },
    counts(since) {
      const rows = database
        .prepare('select instance_id, count(*) as checks, sum(ok = 0) as failed from sample where at >= ? group by 1')
        .all(since)
      return new Map(
        rows.map(({ instance_id: id, checks, failed }) => [
          String(id),
          { checks: Number(checks), failed: Number(failed) },
        ]),
      )
    },
    responseTimes({ from, to, points }) {
      const width = Math.max(1, Math.ceil((to - from + 1) / points))
      const rows = database
        .prepare(
          `select instance_id as id, cast((at - ?1) / ?2 as integer) as part, max(response_ms) as ms from sample
           where at between ?1 and ?3 group by 1, 2`,
        )
        .all(from, width, to)
      const times = new Map<string, (number | null)[]>()
      for (const { id, part, ms } of rows) {
        const known = times.get(String(id)) ?? Array.from({ length: points }, () => null)
        known[Number(part)] = Number(ms)
        times.set(String(id), known)
      }
      return times
    },
    thin(from, to) {
      const hours = database
        .prepare(
          `select at / ${hourMs} as hour from sample where at >= ? and at < ?
           group by hour having count(*) > count(distinct instance_id) * ${hourMs / quarterMs}`,
        )
        .all(from, to)
      for (const { hour } of hours) {
        const begin = Number(hour) * hourMs
        transaction(() => {
          const rows = database
            .prepare(
              `select instance_id, ${together} from sample where at >= ? and at < ? group by instance_id, at / ${quarterMs}`,
            )
            .all(begin, begin + hourMs)
          database.prepare('delete from sample where at >= ? and at < ?').run(begin, begin + hourMs)
          insert(rows.map(sampleFromRow))
        })
      }
    },
    prune: (before) => void transaction(() => database.prepare('delete from sample where at < ?').run(before)),
  }
}

function sampleFromRow(row: Record<string, unknown>): Sample {
  const numberOrNull = (value: unknown) => (value === null ? null : Number(value))
  return {
    instanceId: String(row['instance_id']),
    at: Number(row['at']),
    ok: row['ok'] === 1,
    reason: String(row['reason']),
    responseMs: Number(row['response_ms']),
    memoryMb: numberOrNull(row['memory_mb']),
    cpuPercent: numberOrNull(row['cpu_percent']),
    diskMb: numberOrNull(row['disk_mb']),
  }
}
