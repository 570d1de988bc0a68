/**
 * How much a finding matters: `error`, something does not work or opens what should be closed; `warning`, it works and is
 * most likely not what was meant; `info`, worth a look.
 */
export type LintSeverity = 'error' | 'warning' | 'info'

/** Stable names of what is looked for. */
export type LintRule =
  | 'unused-field'
  | 'unused-object'
  | 'reference-without-index'
  | 'slow-sort'
  | 'slow-filter'
  | 'publication-field'
  | 'unknown-group'
  | 'grant-unknown-name'
  | 'grant-all-objects'
  | 'grant-widened'
  | 'public-rights'

/** Something in a model, or in the grants of an application, that is likely wrong. */
export interface LintFinding {
  readonly rule: LintRule
  readonly severity: LintSeverity
  /** What is wrong, and what to do. */
  readonly message: string
  /** Name of the object whose definition is meant; absent for findings about records. */
  readonly object?: string
  /** Keys within the definition, e.g. `['fields', 'mov_title']`; empty: the whole object. */
  readonly path?: readonly string[]
}
