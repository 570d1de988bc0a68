import type { BackupTarget } from '../target.js'

/** What came out of one check. */
export interface CheckReport {
  /** `an object is stored and read back` */
  readonly name: string
  readonly result: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped; else what was seen, or empty. */
  readonly message: string
  readonly durationMs: number
}

/**
 * Tries on a real store what the contract asks for, below a prefix of its own, and removes what it made. The same checks
 * are the suite of `@steward/backup-targets/testing`.
 *
 * @param open another connection to the same store
 */
export async function* probeTarget(
  _open: () => Promise<BackupTarget>,
  _options: { readonly prefix?: string; readonly signal?: AbortSignal } = {},
): AsyncGenerator<CheckReport, void, undefined> {}
