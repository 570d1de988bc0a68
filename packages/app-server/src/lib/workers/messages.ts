import type { HealthReport } from '../health-report.js'

/** What a worker receives when it is started, in `STEWARD_WORKER`. */
export interface WorkerTask {
  /** Its place among the workers, from 1; its replacement has the same. */
  readonly number: number
  /** The first of a start: prepares the database, makes the administrator, and prints the welcome. */
  readonly first: boolean
  /** Brings the database in step with the application, for the workers that follow. */
  readonly prepare: boolean
  /** How many workers share what the application may use. */
  readonly of: number
  /** The primary's files of sockets that listen already. */
  readonly inherited: readonly number[]
}

/** How the workers are, together. */
export interface WorkersStatus {
  readonly pid: number
  /** How long the primary has been running, in seconds. */
  readonly uptime: number
  readonly startedAt: string
  /** Resident memory of the primary, in bytes. */
  readonly rss: number
  readonly configured: number
  /** Those that take requests. */
  readonly running: number
  /** Workers that were replaced after they had ended by themselves. */
  readonly restarts: number
  /** One for each worker that answered in time. */
  readonly reports: readonly HealthReport[]
}

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'ask'; readonly id: number }
  | { readonly type: 'report'; readonly id: number; readonly report: HealthReport }

export type FromPrimary =
  | { readonly type: 'stop' }
  | { readonly type: 'report'; readonly id: number }
  | { readonly type: 'status'; readonly id: number; readonly status: WorkersStatus }
