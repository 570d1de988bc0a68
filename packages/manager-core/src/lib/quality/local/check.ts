import type { LintedApplication } from '../analysed-application.js'
import type { QualityIssue } from '../quality-server.js'

/** What every check on this machine gets. */
export interface LocalCall {
  readonly application: LintedApplication
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** What every check gives. */
export interface Checked {
  readonly issues: readonly Omit<QualityIssue, 'module'>[]
  /** Why something was not checked. */
  readonly notes: readonly string[]
}
