import { statfs } from 'node:fs/promises'
import os from 'node:os'
import type { ObjectStore } from '@steward/rest-core'
import { reportHealth, type HealthSources } from './health-report.js'
import type { WorkersStatus } from './workers/messages.js'

/** Nested values by lower-case keys. Source: docs/spec/wire-decisions.md, "Application server". */
export interface Health {
  readonly healthy: boolean
  readonly sections: Readonly<Record<string, Readonly<Record<string, string | number>>>>
}

export interface HealthOptions extends HealthSources {
  readonly application: { readonly name: string; readonly version: string }
  readonly platformVersion: string
  /** See `modelDigest`. */
  readonly model: string
  readonly store: ObjectStore
  /** A folder on the disk whose free space is reported. */
  readonly folder: string
  readonly startedAt: Date
  /** Only present when it is. */
  readonly neutralised?: boolean
  /** How all workers are, when this process is one of several. */
  readonly workers?: (() => Promise<WorkersStatus | undefined>) | undefined
}

/** Looks at everything once. Healthy = the database answers. */
export async function checkHealth(options: HealthOptions): Promise<Health> {
  const { application, platformVersion, model, store, folder, startedAt, neutralised = false, workers } = options
  const begin = performance.now()
  const healthy = await store.ping().then(
    () => true,
    () => false,
  )
  const status = await workers?.()
  // One that has not answered in time is missing.
  const reports = status?.reports.length ? status.reports : [await reportHealth(options, healthy)]
  const disk = await statfs(folder).catch(() => undefined)
  return {
    healthy,
    sections: {
      platform: { status: healthy ? 'OK' : 'KO', version: platformVersion },
      application: {
        name: application.name,
        version: application.version,
        model,
        ...(neutralised && { neutralised: 'true' }),
      },
      server: {
        type: `Node.js ${process.version}`,
        hostname: os.hostname(),
        startdate: status?.startedAt ?? startedAt.toISOString(),
        uptime: status?.uptime ?? Math.round(process.uptime()),
      },
      os: {
        name: os.type(),
        version: os.release(),
        architecture: os.arch(),
        cpus: os.availableParallelism(),
        loadaverage: round(os.loadavg()[0] ?? 0),
      },
      disk: disk
        ? { diskfree: mebibytes(disk.bavail * disk.bsize), disktotal: mebibytes(disk.blocks * disk.bsize) }
        : { diskfree: 'unknown' },
      process: {
        pid: status?.pid ?? process.pid,
        rss: mebibytes((status?.rss ?? 0) + total(reports.map(({ rss }) => rss))),
        heapused: mebibytes(total(reports.map(({ heapUsed }) => heapUsed))),
        heaptotal: mebibytes(total(reports.map(({ heapTotal }) => heapTotal))),
      },
      ...(status && {
        workers: { configured: status.configured, running: status.running, restarts: status.restarts },
      }),
      cache: totals(reports.map(({ cached }) => cached)),
      activity: totals(reports.map(({ activity }) => activity)),
      database: { product: store.capabilities.name, status: healthy ? 'OK' : 'KO' },
      healthcheck: { date: new Date().toISOString(), elapsedtime: round(performance.now() - begin) },
    },
  }
}

/** INI text: a `[section]` line, then `key=value` lines. */
export function formatHealth({ sections }: Health): string {
  return Object.entries(sections)
    .map(([name, values]) =>
      [`[${name}]`, ...Object.entries(values).map(([key, value]) => `${key}=${value}`), ''].join('\n'),
    )
    .join('\n')
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

function totals(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(all.flatMap((numbers) => Object.keys(numbers)))
  return Object.fromEntries([...names].map((name) => [name, total(all.map((numbers) => numbers[name] ?? 0))]))
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
