import type { OperationEvent } from '../domain/caller.js'
import type { StoredGrant } from '../domain/grant.js'
import type { Input } from '../domain/input.js'
import type { ProcessIdentity } from '../system/process-identity.js'
import type { Answer } from './answer.js'
import type { Progressed } from './progress.js'

/** What a worker is to do, `request.json`. Secret inputs are not in it. */
export interface RunRequest {
  readonly id: string
  readonly action: string
  readonly input: Readonly<Record<string, Input>>
  readonly actor: string
  readonly address?: string
  /** See `Caller.grant`. Absent: written by an earlier version, and refused. */
  readonly grant?: StoredGrant
  /** `null`: for ever. */
  readonly waitMs: number | null
  /** The instance that it is about, as it is called in the request; empty: none, several, or one that is to be made. */
  readonly instance: string
  readonly instanceId: string
  /** Whether the worker needs inputs that are not written down. */
  readonly hasSecrets: boolean
  /** Whose queue it is in; absent: written down by an earlier version. */
  readonly server?: ProcessIdentity
  /** ISO 8601 */
  readonly created: string
}

/** One line of `events.ndjson`. */
export type RunEvent = OperationEvent & {
  /** ISO 8601 */
  readonly at: string
}

/** What came of it, `result.json`: the last file that is written. */
export interface RunResult {
  /** ISO 8601 */
  readonly ended: string
  readonly answer: Answer
  readonly progressed: Progressed
}

/** What the worker reads from its standard input; home and id are its arguments. */
export interface WorkerTask {
  readonly applicationServer: string
  readonly defaultTemplate: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly secrets: Readonly<Record<string, Input>>
}

/** Action of a run that finishes what dead owners left. The command `recover` is another one, which no run performs. */
export const recovery = 'recover'
