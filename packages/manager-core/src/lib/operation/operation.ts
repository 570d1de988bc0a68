import type { Caller, StepTitle } from '../domain/caller.js'
import type { Json } from '../domain/json.js'
import type { JournalEntry } from '../store/journal.js'
import type { RegistryWriter } from '../store/registry.js'

/**
 * What changes an instance: planned, journalled, undone and recovered. `inspect` looks, `plan` decides (pure: this is
 * the dry run), steps act. Another process may take over after any kill: it has what is in the journal and nothing else,
 * so `plan(request, facts)` must give the same steps again, and secrets may be in neither request, facts, intents nor
 * outcomes.
 */
export interface OperationKind<Context, Request extends Json = Json, Facts extends Json = Json> {
  /** Stable name in journal and history, e.g. `add`. */
  readonly kind: string
  /** It is right and safe whatever an earlier operation that needs attention has left. Default: it is refused then. */
  readonly despiteAttention?: true
  /**
   * Whether it replaces or removes all that an instance has: it is done whatever an earlier operation has left, and when
   * it succeeds, those on the same instance that need attention end with it. Default: no.
   */
  replacesAll?(request: Request): boolean
  /**
   * What it makes is a throw-away instance of its own: none that replaces the instance it is about replaces that, nor ends
   * it. Default: no.
   */
  readonly worksBeside?: true
  /** It makes room on a disk, or ends what fills it: when the disk is full it is given the reserve. */
  readonly frees?: true
  /** Does it when not even the journal can be written. @returns what a person should know */
  withoutJournal?(request: Request, context: Context): Promise<string>
  /** Keys of the locks that it needs: `name:<lower case>`, `instance:<id>`, `ports`, `manager`. Taken in sorted order. */
  locks(request: Request, context: Context): readonly string[]
  /**
   * Reads what the plan depends on and chooses what is random (ids, names, ports, dates). The locks are held. No effects.
   *
   * @throws ManagerError when it cannot or may not be done.
   */
  inspect(request: Request, context: Context): Promise<Facts>
  plan(request: Request, facts: Facts): Plan<Context>
}

export interface Plan<Context> {
  /** For people: `Add instance "demo" (version 1.0, sqlite)`. */
  readonly title: string
  /** The instance that it is about; of one that is being made, the id it will have. */
  readonly instance: { readonly id: string; readonly name: string }
  readonly steps: readonly Step<Context>[]
  /** What a person should know before: what is lost, how much space it takes, how long it is down. */
  readonly notes?: readonly string[]
  /** Message of the history for its success, beside warnings. Default: nothing. */
  message?(run: StepRun<Context>): string
  /** Runs in the transaction that records success; the effect on the registry. */
  commit?(registry: RegistryWriter, run: StepRun<Context>): void
  /** Runs in the transaction that records that all was undone. */
  rollback?(registry: RegistryWriter, run: StepRun<Context>): void
}

/** Whether a step's effect is there. `unknown`: it cannot be determined and is not guessed: the operation needs attention. */
export type StepState = 'not-done' | 'done' | 'unknown'

/**
 * One step. Its intent is in the journal before `do` runs, its outcome after it. `do` may run again after a kill, when
 * `check` says `not-done`; `undo` may run on a half-done step, and twice: both must bear it.
 *
 * Until a point of no return a dead owner's operation is undone, also when all its steps are done: only `commit` makes it
 * succeed. After it the step that was started is checked, done again when it must be, and those after it are done.
 */
export interface Step<Context> {
  /** Unique in its plan, stable: `layout`, `database`, `start`. */
  readonly id: string
  /** For people, in the imperative: `Create the database`. */
  readonly title: string
  /** From its intent on, recovery goes forward: nothing is undone any more. */
  readonly pointOfNoReturn?: true
  /** It runs a script of the operator: where hooks do not apply, it is not shown. */
  readonly isHook?: true
  /** What undo will need and could not be found out later (an old link's target): written before the effect. */
  intent?(run: StepRun<Context>): Promise<Json> | Json
  do(run: StepRun<Context>): Promise<Json | void>
  /** Absent: nothing to undo. */
  undo?(run: StepRun<Context>): Promise<void>
  /** Asked by recovery of the one step that has no outcome: to continue with it, or before its `undo`. */
  check(run: StepRun<Context>): Promise<StepState> | StepState
}

/** What a step is given. */
export interface StepRun<Context> {
  readonly context: Context
  /** The caller of the operation; in a recovery, of the recovery. */
  readonly caller: Caller
  /** Id of the operation; good for names of temporary folders. */
  readonly operation: string
  /** What this step's `intent` gave. */
  readonly intent: Json | undefined
  /**
   * What another step's `do` gave; undefined when it gave nothing, did not run, or its process died before it was written
   * down: who needs it after a point of no return must be able to find it out.
   */
  outcome(step: string): Json | undefined
  /** Reports the progress of long work. */
  progress(text: string, done?: { readonly bytes?: number; readonly of?: number }): void
  /** Kept in the result and in the history; the operation continues. */
  warn(text: string): void
  /** Aborted on a cancellation before the point of no return; never while something is undone. */
  readonly signal: AbortSignal
}

/** Where in the journal an operation is, reported after each entry was written. */
export type JournalPoint =
  | { readonly at: 'planned' | 'running' | 'undoing' | 'succeeded' | 'rolled_back' | 'attention' }
  | { readonly at: 'intent' | 'effect' | 'outcome' | 'undo' | 'undone'; readonly step: string }

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
export interface Operations<Context> {
  /**
   * Takes the locks, inspects, plans, and runs; undoes in reverse order when a step before the point of no return fails.
   *
   * @throws ManagerError ERR_BUSY naming the holder; ERR_ROLLED_BACK with the failure as cause; ERR_ATTENTION when
   *   undoing failed too, or when an earlier operation on the instance or name needs attention; what `inspect` threw.
   */
  run<Request extends Json, Facts extends Json>(
    kind: OperationKind<Context, Request, Facts>,
    request: Request,
    caller: Caller,
  ): Promise<OperationResult>
  /** Takes the locks, inspects and plans; no effects. */
  plan<Request extends Json, Facts extends Json>(
    kind: OperationKind<Context, Request, Facts>,
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
   * All steps of an operation of the journal, in their order, also those that were not started: the plan is the same again.
   *
   * @returns undefined when this version of the manager plans it differently, or does not know its kind
   */
  stepsOf(entry: Pick<JournalEntry, 'kind' | 'request' | 'facts'>): readonly StepTitle[] | undefined
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
