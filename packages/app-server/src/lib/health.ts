import { statfs } from 'node:fs/promises'
import os from 'node:os'
import type { ObjectStore } from '@steward/rest-core'

/** Nested values by lower-case keys. Source: wire-decisions, "Application server". */
export interface Health {
  readonly healthy: boolean
  readonly sections: Readonly<Record<string, Readonly<Record<string, string | number>>>>
}

export interface HealthOptions {
  readonly application: { readonly name: string; readonly version: string }
  readonly platformVersion: string
  /** See `modelDigest`. */
  readonly model: string
  readonly store: ObjectStore
  /** A folder on the disk whose room is told. */
  readonly folder: string
  readonly startedAt: Date
  /** Only told when it is. */
  readonly neutralised?: boolean
  /** What is under way or waits beside requests, by its kind: an instance with such work is not put to sleep. */
  readonly activity: () => Promise<Readonly<Record<string, number>>>
  /** How many things of which kind are kept in memory. */
  readonly cached: () => Readonly<Record<string, number>>
}

/** Looks at everything once. Healthy = the database answers. */
export async function checkHealth(options: HealthOptions): Promise<Health> {
  const {
    application,
    platformVersion,
    model,
    store,
    folder,
    startedAt,
    neutralised = false,
    cached,
    activity,
  } = options
  const begin = performance.now()
  const healthy = await store.ping().then(
    () => true,
    () => false,
  )
  const memory = process.memoryUsage()
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
        startdate: startedAt.toISOString(),
        uptime: Math.round(process.uptime()),
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
        pid: process.pid,
        rss: mebibytes(memory.rss),
        heapused: mebibytes(memory.heapUsed),
        heaptotal: mebibytes(memory.heapTotal),
      },
      cache: cached(),
      // What cannot be told may be there.
      activity: healthy ? await activity().catch(() => ({ unknown: 1 })) : {},
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

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
