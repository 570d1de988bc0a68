import type { ManagerContext } from '../context.js'

/** What checks are about; `doctor <category>` runs one. */
export const doctorCategories = [
  'home',
  'settings',
  'system',
  'databases',
  'templates',
  'instances',
  'backups',
  'certificates',
  'operations',
] as const
export type DoctorCategory = (typeof doctorCategories)[number]

/** Looks at one thing and says what it found; nothing is changed. */
export interface DoctorCheck {
  /** Stable, e.g. `file-modes`. */
  readonly id: string
  readonly category: DoctorCategory
  /** What is looked at: `Files with secrets are private`. */
  readonly title: string
  /** It calls other machines, so it is done on request only. */
  readonly network?: true
  /** Nothing: all is well, and there is no more to say. A check that rejects is itself an error. */
  run(context: ManagerContext): Promise<readonly Finding[]>
}

export interface Finding {
  /** `error`: something does not work or is not safe; `warning`: it may become so; `ok`: worth saying all the same. */
  readonly level: 'ok' | 'warning' | 'error'
  readonly message: string
  /** What to do. */
  readonly help?: string
  /** Fixes it and says what it did; absent: only the operator can. */
  fix?(): Promise<string>
}
