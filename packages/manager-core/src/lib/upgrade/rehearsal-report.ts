/** What a rehearsal found out, as surfaces show it. Times are in seconds. */
export type RehearsalReport = {
  /** Name of the instance. */
  readonly instance: string
  readonly version: string
  /** ISO 8601 */
  readonly version_date: string
  readonly revision: string
  readonly from_version: string
  readonly from_version_date: string
  readonly from_revision: string
  /** What the upgrade changes, in sentences. */
  readonly notes: readonly string[]
  /** What a start of the new version changes in the database; `null`: its own server does not say. */
  readonly changes: readonly string[] | null
  /** Tables that have another number of rows afterwards; `null`: there was, or is, no such table. */
  readonly rows: readonly { readonly table: string; readonly before: number | null; readonly after: number | null }[]
  readonly unit_tests: 'passed' | 'none'
  readonly seconds: {
    readonly copy: number
    readonly snapshot: number
    /** Until it was healthy. */
    readonly start: number
    readonly patches: number
    readonly unit_tests: number
    readonly total: number
  }
  /** How long the instance would not answer; 0: it answers all the time, or does not run. */
  readonly down_seconds: number
}
