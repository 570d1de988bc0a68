/** An instance as `list` and `get` answer it. Source: wire-decisions, "instance". */
export interface Instance {
  readonly id: string
  readonly name: string
  readonly version: string
  /** Date of the template that it runs, ISO 8601. */
  readonly version_date: string
  /** What is recorded, and wanted; `observed` is what it is. */
  readonly status: 'started' | 'stopped'
  readonly observed: string
  readonly created: string
  readonly updated: string
  /** Where it answers on the machine of the manager. */
  readonly url: string
  readonly custom_url: string
  /** Where people reach it. */
  readonly public_url?: string
  readonly protected: 'yes' | 'no'
  readonly auto_update: 'yes' | 'no'
  readonly auto_save: 'yes' | 'no'
  readonly database: string
  readonly source: string
  readonly owner_email: string
  readonly firstname: string
  readonly lastname: string
  readonly phone: string
  readonly company: string
  /** Id of the operation that changes it now, or that needs attention; empty: none. */
  readonly operation: string
  /** When a backup of it was proved last, ISO 8601; empty: never. */
  readonly proved: string
  /** Why an operation needs attention; empty: none does. */
  readonly attention?: string
  /** Of `list` that measures: `OK`, or why not; empty: it does not run. */
  readonly health?: string
  /** Of `list` that measures; null: it does not run. */
  readonly uptime_seconds?: number | null
  readonly memory_mb?: number | null
  /** Of `list` that measures: when the last good backup was made that is here, ISO 8601; empty: there is none. */
  readonly last_backup?: string
  /** Of `get` only. */
  readonly neutralised?: 'yes' | 'no' | 'unknown'
  /** Of `get` only: when it was upgraded, ISO 8601, if that can be rolled back; else empty. */
  readonly restore_point?: string
  /** Of `get` only: limits and what holds them. */
  readonly limit_memory?: string
  readonly limit_cpu?: string
  readonly limit_processes?: string
  readonly limit_files?: string
  /** Of `get` only: its system account; empty: it has none. */
  readonly account?: string
}

/** A version as `versions` answers it. */
export interface VersionRow {
  readonly version: string
  /** ISO 8601. */
  readonly date: string
  readonly default: boolean | string
}

/** Whether it has processes. */
export function isRunning({ observed }: Pick<Instance, 'observed'>): boolean {
  return ['started', 'starting', 'degraded', 'suspended'].includes(observed)
}

/** Whether it is not what is recorded. */
export function isOtherwise(instance: Pick<Instance, 'status' | 'observed'>): boolean {
  return (instance.status === 'started') !== isRunning(instance)
}

/** Where people reach it. */
export function addressOf({ public_url, custom_url, url }: Instance): string {
  return public_url || custom_url || url
}

/** Whether its version has a newer template. Source: wire-decisions, "rules". */
export function needsUpgrade({ version, version_date }: Instance, dates: ReadonlyMap<string, string>): boolean {
  return version_date < (dates.get(version) ?? '')
}
