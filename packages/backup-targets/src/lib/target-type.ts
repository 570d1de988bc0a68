import type { BackupTarget } from './target.js'

/**
 * A kind of target: what a plug-in's package exports as `target` (or as default). It is data until `open` is called, so
 * that heavy packages are loaded then.
 */
export interface TargetType {
  /** `scp`; of a plug-in its own short name. */
  readonly name: string
  /** For people: `SCP and SFTP`. */
  readonly title: string
  readonly options: readonly TargetOption[]
  /**
   * Checks the options; connects now or with the first call. `options` has the given ones, those with a default, and no
   * unknown ones.
   *
   * @throws TargetError ERR_TARGET_SETTINGS, also naming the package that must be installed.
   */
  open(options: Readonly<Record<string, string>>, context: TargetContext): Promise<BackupTarget> | BackupTarget
  /** Where it goes, without secrets: `scp://backup@host:22/srv/backups`. */
  describe(options: Readonly<Record<string, string>>): string
}

/** An option of a target: one text, as settings give them. */
export interface TargetOption {
  /** Lower-case letters, digits and `_`: `auth_url` is `APPS_SWIFT_AUTH_URL` and `APPS_TARGET_<NAME>_AUTH_URL`. */
  readonly name: string
  /** One sentence without a full stop; says the default when that is not a plain text. */
  readonly summary: string
  readonly required?: boolean
  readonly secret?: boolean
  readonly default?: string
}

/** What the caller that opens a target gives it. */
export interface TargetContext {
  /** A connection that gives no byte for this long is dead. Default: 60,000 ms. */
  readonly idleMs: number
  /** Environment of programs and of the usual chains of credentials. */
  readonly environment: Readonly<Record<string, string | undefined>>
}
