import type { Grant } from './grant.js'

/** What a surface shows while an operation runs. */
export type OperationEvent =
  | { readonly type: 'waiting'; readonly lock: string; readonly holder: string }
  | {
      readonly type: 'planned'
      readonly operation: string
      readonly title: string
      readonly steps: readonly StepTitle[]
      /** The steps run at the same time, and one that fails ends no other. */
      readonly parallel?: boolean
    }
  | {
      readonly type: 'step'
      readonly step: string
      /** `skipped`: it is not started. */
      readonly state: 'running' | 'done' | 'failed' | 'undoing' | 'undone' | 'skipped'
    }
  | {
      readonly type: 'progress'
      readonly step: string
      readonly text: string
      readonly bytes?: number
      readonly of?: number
    }
  | { readonly type: 'warning'; readonly text: string }
  | { readonly type: 'recovering'; readonly operation: string; readonly title: string }

export interface StepTitle {
  readonly id: string
  readonly title: string
}

/** The caller, and how the action is to be done. */
export interface Caller {
  /** For the history: a login or a system user. */
  readonly actor: string
  readonly surface: 'cli' | 'api' | 'schedule'
  /** Where the request came from, for the history: an IP address. Default: none, it is this machine. */
  readonly address?: string
  /** What it may do, and with which instances: `fullGrant` for callers that may do everything. */
  readonly grant: Grant
  /** Id that the operation is to have, when the caller has given it away already. Actions that run several ignore it. */
  readonly operation?: string
  /** What dead owners left is for others: the server has workers recover it. */
  readonly leavesRecovery?: true
  /** Hooks of the operator neither run nor are shown, not even when another process recovers what it started. */
  readonly withoutHooks?: true
  /** Plan only: nothing is changed. */
  readonly dryRun?: boolean
  /** How long to wait for locks, in ms; `Infinity` for ever. Default 0: refused at once, naming the holder. */
  readonly waitMs?: number
  /** Set by what performs a call: notes whether an entry of the history was written for it. */
  readonly entries?: { isWritten: boolean }
  readonly onEvent?: (event: OperationEvent) => void
  readonly signal?: AbortSignal
}
