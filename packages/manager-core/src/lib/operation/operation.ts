import type { Ability } from '../actions/action.js'
import type { Json } from '../domain/json.js'
import type { ManagerContext } from '../context.js'
import type { RegistryWriter } from '../store/registry.js'

/**
 * What changes an instance: planned, journalled, undone and recovered. `inspect` looks, `plan` decides (pure: this is
 * the dry run), steps act. Another process may take over after any kill: it has what is in the journal and nothing else,
 * so `plan(request, facts)` must give the same steps again, and secrets may be in neither request, facts, intents nor
 * outcomes.
 */
export interface OperationKind<Request extends Json = Json, Facts extends Json = Json> {
  /** Stable name in journal and history, e.g. `add`. */
  readonly kind: string
  /** It is right and safe whatever an earlier operation that needs attention has left. Default: it is refused then. */
  readonly despiteAttention?: true
  /**
   * Whether it replaces or removes all that an instance has: it is done whatever an earlier operation has left, and when
   * it succeeds, those on the same instance that need attention end with it. Default: no.
   */
  replacesAll?(request: Request): boolean
  /** It makes room on a disk, or ends what fills it: when the disk is full it is given the reserve. */
  readonly frees?: true
  /** Does it when not even the journal can be written. @returns what a person should know */
  withoutJournal?(request: Request, context: ManagerContext): Promise<string>
  /** Keys of the locks that it needs: `name:<lower case>`, `instance:<id>`, `ports`, `manager`. Taken in sorted order. */
  locks(request: Request, context: ManagerContext): readonly string[]
  /**
   * Reads what the plan depends on and chooses what is random (ids, names, ports, dates). The locks are held. No effects.
   *
   * @throws ManagerError when it cannot or may not be done.
   */
  inspect(request: Request, context: ManagerContext): Promise<Facts>
  plan(request: Request, facts: Facts): Plan
}

export interface Plan {
  /** Of a person: `Add instance "demo" (version 1.0, sqlite)`. */
  readonly title: string
  /** The instance that it is about; of one that is being made, the id it will have. */
  readonly instance: { readonly id: string; readonly name: string }
  readonly steps: readonly Step[]
  /** What a person should know before: what is lost, how much space it takes, how long it is down. */
  readonly notes?: readonly string[]
  /** What the history says of its success, beside warnings. Default: nothing. */
  message?(run: StepRun): string
  /** Runs in the transaction that records success; the effect on the registry. */
  commit?(registry: RegistryWriter, run: StepRun): void
  /** Runs in the transaction that records that all was undone. */
  rollback?(registry: RegistryWriter, run: StepRun): void
}

/** Whether a step's effect is there. `unknown`: it cannot be told, and nobody guesses: the operation needs attention. */
export type StepState = 'not-done' | 'done' | 'unknown'

/**
 * One step. Its intent is in the journal before `do` runs, its outcome after it. `do` may run again after a kill, when
 * `check` says `not-done`; `undo` may run on a half-done step, and twice: both must bear it.
 *
 * Until a point of no return a dead owner's operation is undone, also when all its steps are done: only `commit` makes it
 * succeed. After it the step that was begun is checked, done again when it must be, and those after it are done.
 */
export interface Step {
  /** Unique in its plan, stable: `layout`, `database`, `start`. */
  readonly id: string
  /** For people, in the imperative: `Create the database`. */
  readonly title: string
  /** From its intent on, recovery goes forward: nothing is undone any more. */
  readonly pointOfNoReturn?: true
  /** What undo will need and could not be found out later (an old link's target): written before the effect. */
  intent?(run: StepRun): Promise<Json> | Json
  do(run: StepRun): Promise<Json | void>
  /** Absent: nothing to undo. */
  undo?(run: StepRun): Promise<void>
  /** Asked by recovery of the one step that has no outcome: to go on with it, or before its `undo`. */
  check(run: StepRun): Promise<StepState> | StepState
}

/** What a step is given. */
export interface StepRun {
  readonly context: ManagerContext
  /** Id of the operation; good for names of temporary folders. */
  readonly operation: string
  /** What this step's `intent` gave. */
  readonly intent: Json | undefined
  /**
   * What another step's `do` gave; undefined when it gave nothing, did not run, or its process died before it was written
   * down: who needs it after a point of no return must be able to find it out.
   */
  outcome(step: string): Json | undefined
  /** Tells how far long work is. */
  progress(text: string, done?: { readonly bytes?: number; readonly of?: number }): void
  /** Kept in the result and in the history; the operation goes on. */
  warn(text: string): void
  /** Aborted when somebody cancels before the point of no return; never while something is undone. */
  readonly signal: AbortSignal
}

/** `interrupted`: its owner died, and recovery has begun. Source: design, "The manager half". */
export type OperationState =
  | 'planned'
  | 'running'
  | 'succeeded'
  | 'undoing'
  | 'rolled_back'
  | 'interrupted'
  | 'attention'

/** Where in the journal an operation is, told after each entry was written. */
export type JournalPoint =
  | { readonly at: 'planned' | 'running' | 'undoing' | 'succeeded' | 'rolled_back' | 'attention' }
  | { readonly at: 'intent' | 'effect' | 'outcome' | 'undo' | 'undone'; readonly step: string }

/** What a surface shows while an operation runs. */
export type OperationEvent =
  | { readonly type: 'waiting'; readonly lock: string; readonly holder: string }
  | {
      readonly type: 'planned'
      readonly operation: string
      readonly title: string
      readonly steps: readonly StepTitle[]
      /** The steps go on at the same time, and one that fails ends no other one. */
      readonly parallel?: boolean
    }
  | {
      readonly type: 'step'
      readonly step: string
      /** `skipped`: it is not begun. */
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

/** Who asks, and how it is to be done. */
export interface Caller {
  /** For the history: a login or a system user. */
  readonly actor: string
  readonly surface: 'cli' | 'api' | 'schedule'
  /** Where the request came from, for the history: an IP address. Default: none, it is this machine. */
  readonly address?: string
  /** What it may do; one without the ability of an action is refused. Default: all. */
  readonly abilities?: ReadonlySet<Ability>
  /** Ids of the only instances that it may see and touch. Default: all. */
  readonly instances?: ReadonlySet<string>
  /** The only hosts that one with a scope may give to its instances, beside those that they have. Default: none. */
  readonly hosts?: ReadonlySet<string>
  /** Id that the operation is to have, when the caller told it to somebody already. Actions that run several ignore it. */
  readonly operation?: string
  /** What dead owners left is for others: the server has workers recover it. */
  readonly leavesRecovery?: true
  /** Plan only: nothing is changed. */
  readonly dryRun?: boolean
  /** How long to wait for locks, in ms; `Infinity` for ever. Default 0: refused at once, naming the holder. */
  readonly waitMs?: number
  readonly onEvent?: (event: OperationEvent) => void
  readonly signal?: AbortSignal
}

/** What an operation gave. */
export interface OperationResult {
  readonly operation: string
  readonly instance: { readonly id: string; readonly name: string }
  readonly warnings: readonly string[]
  /** Outcomes by the id of the step. */
  readonly outcomes: ReadonlyMap<string, Json>
}

/** A dry run: the plan as data. */
export interface PlannedOperation {
  readonly title: string
  readonly instance: { readonly id: string; readonly name: string }
  readonly steps: readonly (StepTitle & { readonly pointOfNoReturn: boolean; readonly undoable: boolean })[]
  readonly notes: readonly string[]
}

/** Runs operations; the only place that writes the journal. */
export interface Operations {
  /**
   * Takes the locks, inspects, plans, and runs; undoes in reverse order when a step before the point of no return fails.
   *
   * @throws ManagerError ERR_BUSY naming the holder; ERR_ROLLED_BACK with the failure as cause; ERR_ATTENTION when
   *   undoing failed too, or when an earlier operation on the instance or name needs attention; what `inspect` threw.
   */
  run<Request extends Json, Facts extends Json>(
    kind: OperationKind<Request, Facts>,
    request: Request,
    caller: Caller,
  ): Promise<OperationResult>
  /** Takes the locks, inspects and plans; no effects. */
  plan<Request extends Json, Facts extends Json>(
    kind: OperationKind<Request, Facts>,
    request: Request,
    caller: Caller,
  ): Promise<PlannedOperation>
  /**
   * Finishes or undoes what dead owners left, unless another process is at it. Cheap when there is nothing. What cannot be
   * brought to an end gets the state `attention`, and the others are recovered all the same.
   */
  recover(caller: Caller): Promise<readonly RecoveredOperation[]>
  /**
   * Tries once more to bring an operation that needs attention, or whose owner died, to its end.
   *
   * @throws ManagerError ERR_NOT_FOUND when there is none that has not ended; ERR_BUSY
   */
  retry(id: string, caller: Caller): Promise<RecoveredOperation['state']>
  /**
   * Ends an operation that needs attention and leaves things as they are: the last resort of a person who has put them
   * right by hand.
   *
   * @throws ManagerError ERR_NOT_FOUND, ERR_BUSY, ERR_STATE when it does not need attention
   */
  giveUp(id: string, caller: Caller): Promise<{ readonly title: string }>
}

export interface RecoveredOperation {
  readonly operation: string
  readonly kind: string
  readonly instance: string
  readonly state: 'succeeded' | 'rolled_back' | 'attention'
}
