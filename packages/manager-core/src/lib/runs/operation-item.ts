import type { StepTitle } from '../domain/caller.js'
import type { JournalEntry, StepEntry } from '../store/journal.js'
import { ended } from '../store/transitions.js'
import type { Answer } from './answer.js'
import { settled, type Progressed, type ShownStep } from './progress.js'
import { recovery, type RunRequest } from './run.js'
import type { RunOutcome } from './run-files.js'

export const shownStates = [
  ...(['queued', 'running', 'undoing', 'interrupted'] as const),
  ...(['succeeded', 'failed', 'rolled_back', 'attention'] as const),
]

export type ShownState = (typeof shownStates)[number]

/** What was, is or will be done, as surfaces show it: a run, or an operation of the command line. */
export interface OperationItem {
  readonly id: string
  readonly action: string
  readonly title: string
  /** Its name; empty: none, or several. */
  readonly instance: string
  readonly instance_id: string
  readonly state: ShownState
  readonly actor: string
  readonly surface: string
  /** ISO 8601 */
  readonly started: string
  /** Empty: not yet. */
  readonly ended: string
  readonly steps: readonly ShownStep[]
  readonly message: string
  readonly warnings: readonly string[]
  /** What the action answered. */
  readonly result?: Answer
}

/** Nothing comes after these by itself. */
export function hasEnded({ state }: Pick<OperationItem, 'state'>): boolean {
  return ['succeeded', 'failed', 'rolled_back', 'attention'].includes(state)
}

export interface KnownRun extends RunOutcome {
  readonly request: RunRequest
  /** For one that has no result. */
  readonly progressed: Progressed
  /** Its operation, when it was started. */
  readonly operation: OperationItem | undefined
}

export function itemOfRun({ request, worker, result, progressed, operation }: KnownRun): OperationItem {
  const { id, action, actor, instance, instanceId, created } = request
  const { title, steps, warnings } = result?.progressed ?? progressed
  const item = {
    id,
    action,
    actor,
    surface: 'api',
    started: created,
    ended: '',
    instance: instance || (operation?.instance ?? ''),
    instance_id: instanceId || (operation?.instance_id ?? ''),
    title: title || titleOf(request),
    steps,
    warnings,
    message: '',
  }
  if (result) {
    const { message, warnings: last } = result.answer
    const state = stateOfAnswer(result.answer)
    // It was tried again or given up since.
    if (state === 'attention' && operation && operation.state !== state) return afterDeath(item, operation)
    return {
      ...item,
      steps: steps.map(settled),
      state,
      message,
      ended: result.ended,
      result: result.answer,
      ...(Array.isArray(last) && { warnings: last as readonly string[] }),
    }
  }
  if (!worker) return { ...item, state: 'queued', message: 'It waits for its turn.' }
  if (worker === 'dead') return afterDeath(item, operation)
  const { phase, note } = progressed
  if (phase === 'waiting') return { ...item, state: 'queued', message: `It waits for ${note}.` }
  return { ...item, state: phase === 'undoing' ? 'undoing' : 'running', message: note }
}

/** What its journal says, when it came to have one: others brought or will bring it to its end. */
function afterDeath(item: Omit<OperationItem, 'state'>, operation: OperationItem | undefined): OperationItem {
  if (!operation) {
    const message = 'Its process ended before the operation was finished.'
    // No process was there to write down when.
    return withResult({ ...item, message, state: 'failed', ended: item.started })
  }
  const { state, ended: end, message, steps } = operation
  return {
    ...item,
    state,
    ended: end,
    message,
    steps: item.steps.length > 0 ? merged(item.steps, steps) : steps,
    ...(operation.result && { result: operation.result }),
  }
}

/** The journal knows better what was done, and a run of several operations has other steps. */
function merged(shown: readonly ShownStep[], known: readonly ShownStep[]): readonly ShownStep[] {
  const same = shown.length === known.length && shown.every(({ id }, at) => known[at]?.id === id)
  return same ? known : shown
}

function titleOf({ action, instance }: RunRequest): string {
  if (action === recovery) return 'Recover what was interrupted'
  return instance === '' ? action : `${action} "${instance}"`
}

export function stateOfAnswer({ code, status }: Answer): ShownState {
  if (code === 'ERR_ROLLED_BACK') return 'rolled_back'
  if (code === 'ERR_ATTENTION') return 'attention'
  return status === 0 ? 'succeeded' : 'failed'
}

/** An operation of the journal, however it started. */
export function itemOfEntry(
  entry: JournalEntry,
  steps: readonly StepEntry[],
  planned: readonly StepTitle[] | undefined,
): OperationItem {
  const { id, kind, title, instance, instanceId, actor, surface, started, message, warnings } = entry
  const state = shownState(entry)
  const item = {
    id,
    action: kind,
    title,
    instance,
    instance_id: instanceId,
    actor,
    surface,
    started,
    state,
    message,
    warnings,
    ended: entry.ended ?? '',
    steps: shownSteps(entry, steps, planned),
  }
  return hasEnded(item) ? withResult(item) : item
}

function shownState({ state, ownerState }: JournalEntry): ShownState {
  if (state === 'succeeded' || state === 'rolled_back' || state === 'attention') return state
  if (ownerState === 'dead') return 'interrupted'
  return state === 'planned' || state === 'interrupted' ? 'running' : state
}

/** The answer of an operation that was not written down: as its caller got it, or would have got it. */
function withResult(item: OperationItem): OperationItem {
  const { state, title, message, id, warnings } = item
  const failures = {
    rolled_back: { status: 6, code: 'ERR_ROLLED_BACK' },
    attention: { status: 7, code: 'ERR_ATTENTION' },
    failed: { status: 1, code: 'ERR_FAILED' },
  } as const
  const failure = state === 'succeeded' ? { status: 0 } : failures[state as keyof typeof failures]
  const text = state === 'succeeded' ? `${title}: done.` : message
  return { ...item, message: text, result: { ...failure, message: text, operation: id, warnings } }
}

const shownStepStates = { intent: 'running', done: 'done', undoing: 'undoing', undone: 'undone' } as const

/** Those that were not started, too: the plan is the same again. */
function shownSteps(
  { state }: JournalEntry,
  begun: readonly StepEntry[],
  planned: readonly StepTitle[] | undefined,
): readonly ShownStep[] {
  const known = new Map(begun.map((entry) => [entry.step, entry]))
  const titles = planned ?? begun.map(({ step }) => ({ id: step, title: step }))
  return titles.map(({ id, title }) => {
    const entry = known.get(id)
    const isOver = ended.includes(state) || state === 'attention'
    if (entry?.state === 'intent' && isOver) return { id, title, state: 'failed', failed: true }
    const step = { id, title, state: entry ? shownStepStates[entry.state] : 'pending' } as const
    return isOver ? settled(step) : step
  })
}
