/** A backup as `backups-list` answers it. */
export interface Backup {
  /** What `restore` takes as `from`. */
  readonly backup: string
  /** Name of the instance at that time. */
  readonly name: string
  /** ISO 8601 */
  readonly saved: string
  readonly version: string
  /** In bytes. */
  readonly size: number
  readonly database: string
  readonly consistency: string
  /** ISO 8601; empty: it is damaged. */
  readonly verified: string
  /** ISO 8601; empty: never. */
  readonly proved: string
  readonly proved_seconds: number
  /** `scp, s3 (damaged), ftp (missing)`; empty: none. */
  readonly copies: string
  /** What is wrong with it; empty: nothing. */
  readonly damage: string
}
