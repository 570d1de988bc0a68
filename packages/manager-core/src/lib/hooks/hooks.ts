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
  /** False: there is no such hook. */
  readonly ran: boolean
  readonly code: number | undefined
  /** Its last lines, bounded. */
  readonly output: string
  readonly timedOut: boolean
  /** In ms. */
  readonly duration: number
}

export interface Hooks {
  /** Runs `hooks/<name>.sh` when it is there. Resolves whatever it ends with. */
  run(call: HookCall): Promise<HookResult>
}
