/** What an instance may use. Absent: not set; 0: no limit. */
export interface Limits {
  /** Megabytes, of all its processes together. Not there: three quarters of the machine's where cgroups are used. */
  readonly memory?: number | undefined
  /** Percent of one CPU, of all its processes together. */
  readonly cpu?: number | undefined
  /** Processes and threads. */
  readonly processes?: number | undefined
  /** Open files of each process. */
  readonly files?: number | undefined
}
