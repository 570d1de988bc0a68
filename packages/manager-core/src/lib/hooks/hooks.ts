import type { Json } from '../domain/json.js'

/** Source: requirements, "Events". */
export type HookName =
  | `${'pre' | 'post'}-${'add' | 'reset' | 'upgrade' | 'save' | 'start' | 'stop' | 'del'}`
  | 'monitoring'

export interface HookCall {
  readonly hook: HookName
  /** Of the calling action: for add the instance's name, version, options. */
  readonly args: readonly string[]
  /** The instance's variables, over the manager's: `USER`, `SERVICE_URL`, `SERVICE_USER`, `SERVICE_PASSWORD` … */
  readonly environment: Readonly<Record<string, string>>
  /** Written to its standard input as JSON. */
  readonly input: Json
  readonly signal?: AbortSignal
}

export interface HookResult {
  /** False: there is no such hook, or it could not be started, see `problem`. */
  readonly ran: boolean
  /** Undefined: it did not run, or a signal ended it. */
  readonly code: number | undefined
  /** Why it did not do its work, one sentence: it is not executable, ended with a code, took too long. Undefined: it did. */
  readonly problem?: string | undefined
  /** The last 64 KB of what it printed, secrets of its environment as `***`. */
  readonly output: string
  readonly timedOut: boolean
  /** In ms. */
  readonly duration: number
}

export interface Hooks {
  /**
   * Runs `hooks/<name>.sh` when it is there, in the manager's home. When it takes longer than `APPS_HOOKTIMEOUT`, or the
   * call is cancelled, it is ended with all processes that it started. Resolves whatever it ends with.
   */
  run(call: HookCall): Promise<HookResult>
}
