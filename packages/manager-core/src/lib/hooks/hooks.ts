import type { Json } from '../domain/json.js'

type Event = 'add' | 'reset' | 'upgrade' | 'save' | 'start' | 'stop' | 'del'
const events: readonly Event[] = ['add', 'reset', 'upgrade', 'save', 'start', 'stop', 'del']

/** Source: docs/spec/instances-manager.md, "Events". */
export type HookName = `${'pre' | 'post'}-${Event}` | 'monitoring'

export const hookNames: readonly HookName[] = [
  ...events.flatMap((event) => [`pre-${event}`, `post-${event}`] as const),
  'monitoring',
]

/** A script as `stat` describes it. */
export interface ScriptFile {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/**
 * Why a script is not run that others than root and the manager's user may change; undefined: they may not. The group of
 * this process is a user's own on machines that let it write by default.
 */
export function whyUnsafe({ uid, gid, mode }: ScriptFile): string | undefined {
  if ((mode & 0o002) !== 0) return 'can be changed by every user, so it is not run.'
  if ((mode & 0o020) !== 0 && gid !== 0 && gid !== process.getgid?.())
    return `can be changed by every user of its group (${gid}), so it is not run.`
  if (uid !== 0 && uid !== process.getuid?.()) return `belongs to another user (${uid}), so it is not run.`
  return undefined
}

export interface HookCall {
  readonly hook: HookName
  /** Arguments of the calling action: for add the instance's name, version, options. */
  readonly args: readonly string[]
  /** The instance's variables, over the manager's, see `allowedForHooks`; others are left out. */
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
