import type { BackupTarget, TargetCapabilities } from '../target.js'

/** Something that the contract asks for, tried on a store. Framework-free: failing is throwing. */
export interface Check {
  /** A sentence that is true when it passes: `an object is stored and read back`. */
  readonly name: string
  /** Why it is not asked of such a target; undefined: it is. */
  readonly skip?: (capabilities: TargetCapabilities) => string | undefined
  /** @returns what was seen, in a few words; may be empty. */
  run(context: CheckContext): Promise<string | void>
}

export interface CheckContext {
  readonly target: BackupTarget
  readonly capabilities: TargetCapabilities
  /** All keys of this check begin with it; it ends with `/`. */
  readonly prefix: string
  /** Another connection to the same store, the same for all checks. */
  another(): Promise<BackupTarget>
  /** One that the check may close; closed after it. */
  fresh(): Promise<BackupTarget>
}
