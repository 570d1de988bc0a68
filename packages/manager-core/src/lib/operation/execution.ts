import { ManagerError, type ManagerErrorOptions } from '../../errors.js'
import type { Caller, OperationEvent } from '../domain/caller.js'
import type { Json } from '../domain/json.js'
import { writeEntry } from '../history/write-entry.js'
import type { Journal, JournalEntry, StepEntry } from '../store/journal.js'
import type { HistoryEntry, RegistryWriter } from '../store/registry.js'
import { withDefaults } from '../settings/with-defaults.js'
import { createReserve, type Reserve } from '../store/reserve.js'
import { failureOf, sentence } from '../system/failure.js'
import { endAttention } from './end-attention.js'
import type { EngineContext } from './engine-context.js'
import type { JournalPoint, OperationResult, Plan, RecoveredOperation, Step, StepRun } from './operation.js'
import { shownSteps } from './without-hooks.js'

export interface ExecutionOptions<Context> {
  readonly context: Context
  readonly journal: Journal
  readonly plan: Plan<Context>
  readonly id: string
  readonly caller: Caller
  readonly clock: () => Date
  readonly onPoint: ((point: JournalPoint) => void) | undefined
  /** Which of those that need attention end when it succeeds, see `OperationKind.replacesAll`. */
  readonly ends: (entry: JournalEntry) => boolean
}

const never = new AbortController().signal

/** One operation while it runs in this process, which has its locks. */
export class Execution<Context extends EngineContext> {
  readonly #options: ExecutionOptions<Context>
  readonly #outcomes = new Map<string, Json>()
  readonly #warnings: string[] = []
  readonly #begin = performance.now()
  readonly #reserve: Reserve

  constructor(options: ExecutionOptions<Context>) {
    this.#options = options
    this.#reserve = createReserve(options.context.home.database)
  }

  /** @throws ManagerError see `Operations.run` */
  async start(): Promise<OperationResult> {
    const { plan, id, caller } = this.#options
    const steps = shownSteps(plan.steps, caller.withoutHooks).map(({ id: step, title }) => ({ id: step, title }))
    this.#point({ at: 'planned' })
    this.#emit({ type: 'planned', operation: id, title: plan.title, steps })
    try {
      this.#setState('running')
    } catch (error) {
      return this.#undoAfter(error)
    }
    return this.#forward()
  }

  /** Continues after the death of the owner, or when an operation that needs attention is tried again. */
  async resume(entry: JournalEntry): Promise<RecoveredOperation['state']> {
    this.#warnings.push(...entry.warnings)
    try {
      const passed = this.#isPassed()
      for (const { step, outcome } of this.#steps()) if (outcome !== undefined) this.#outcomes.set(step, outcome)
      if (passed) {
        this.#setState('running')
        await this.#forward()
        return 'succeeded'
      }
      await this.#checkHalfDone()
      await this.#undo(entry.message || 'The process that ran it ended.')
      return 'rolled_back'
    } catch (error) {
      if (!isAttention(error)) await this.#needAttention(error)
      return 'attention'
    }
  }

  /** Does the steps that are not done, and commits. */
  async #forward(): Promise<OperationResult> {
    const { plan, id, caller } = this.#options
    const begun = new Map(this.#steps().map((entry) => [entry.seq, entry]))
    let current: Step<Context> | undefined
    try {
      for (const [seq, step] of plan.steps.entries()) {
        const entry = begun.get(seq)
        if (entry?.state === 'done') continue
        current = step
        if (!this.#isPassed()) caller.signal?.throwIfAborted()
        await this.#do(seq, step, entry)
      }
      current = undefined
      this.#succeed()
    } catch (error) {
      if (current) this.#emitStep(current, 'failed')
      if (this.#isPassed()) throw await this.#needAttention(error)
      return this.#undoAfter(error)
    }
    this.#point({ at: 'succeeded' })
    return { operation: id, instance: plan.instance, warnings: this.#warnings, outcomes: this.#outcomes }
  }

  async #do(seq: number, step: Step<Context>, entry: StepEntry | undefined): Promise<void> {
    const { journal, id } = this.#options
    this.#emitStep(step, 'running')
    // An intent records the state before the step started, so the first one stays.
    const intent = entry ? entry.intent : await step.intent?.(this.#runOf(step, undefined))
    if (!entry) {
      journal.intent(id, seq, step.id, intent)
      this.#point({ at: 'intent', step: step.id })
    }
    let outcome: Json | undefined
    if (!entry || (await this.#check(step, entry)) === 'not-done') {
      const run = this.#runOf(step, intent)
      // What cannot be undone must come to its end, whatever was written into config.sh meanwhile.
      outcome = (await (this.#isPassed() ? withDefaults(() => step.do(run)) : step.do(run))) ?? undefined
      this.#point({ at: 'effect', step: step.id })
    }
    if (outcome !== undefined) this.#outcomes.set(step.id, outcome)
    journal.setStep(id, seq, 'done', outcome)
    this.#point({ at: 'outcome', step: step.id })
    this.#emitStep(step, 'done')
  }

  async #check(step: Step<Context>, entry: StepEntry): Promise<'done' | 'not-done'> {
    const state = await step.check(this.#runOf(step, entry.intent, true))
    if (state === 'unknown') throw new Error(`It is unknown whether the step "${step.title}" was done.`)
    return state
  }

  /** When a step cannot be described, what to undo is unknown, too. */
  async #checkHalfDone(): Promise<void> {
    const entry = this.#steps().at(-1)
    const step = entry?.state === 'intent' ? this.#options.plan.steps[entry.seq] : undefined
    if (entry && step?.undo) await this.#check(step, entry)
  }

  async #undoAfter(error: unknown): Promise<never> {
    const { plan, id, caller } = this.#options
    const cancelled = caller.signal?.aborted && !ManagerError.is(error)
    const failure = cancelled ? new ManagerError('ERR_FAILED', 'It was cancelled.', { cause: error }) : failureOf(error)
    let left: readonly string[]
    try {
      left = await this.#undo(failure.message)
    } catch (undoError) {
      throw await this.#needAttention(undoError, failure)
    }
    if (failure.outcome !== 'failed') throw failure
    const { help, output, command } = failure
    const outcome = left.length > 0 ? left.join(' ') : 'All changes were rolled back.'
    throw new ManagerError('ERR_ROLLED_BACK', `${plan.title}: ${sentence(failure.message)} ${outcome}`, {
      cause: failure,
      operation: id,
      ...saidShort(failure, outcome),
      ...(help !== undefined && { help }),
      ...(output !== undefined && { output }),
      ...(command !== undefined && { command }),
    })
  }

  /**
   * What is undone is written down for those who look; recovery does not need it, as undoing may be repeated. So a disk
   * that is full does not stop it: undoing makes room, and only the end must be written.
   *
   * @returns warnings: what is still different from before
   */
  async #undo(message: string): Promise<readonly string[]> {
    const { journal, plan, id } = this.#options
    const warned = this.#warnings.length
    this.#note(() => journal.setState(id, 'undoing', message))
    this.#point({ at: 'undoing' })
    for (const { seq, state, intent } of this.#steps().toReversed()) {
      const step = plan.steps[seq] as Step<Context>
      if (state === 'undone' || !step.undo) continue
      this.#emitStep(step, 'undoing')
      this.#note(() => journal.setStep(id, seq, 'undoing'))
      this.#point({ at: 'undo', step: step.id })
      await this.#reserve.use(() => withDefaults(() => step.undo?.(this.#runOf(step, intent, true))))
      this.#note(() => journal.setStep(id, seq, 'undone'))
      this.#point({ at: 'undone', step: step.id })
      this.#emitStep(step, 'undone')
    }
    const left = this.#warnings.slice(warned)
    const told = left.length > 0 ? [sentence(message), ...left].join(' ') : message
    await this.#record((writer) => {
      plan.rollback?.(writer, this.#runOf(undefined, undefined, true))
      journal.setState(id, 'rolled_back', told)
      this.#addHistory(writer, 'rolled-back', told)
    })
    this.#point({ at: 'rolled_back' })
    return left
  }

  /** How it ended without success; on a full disk, too. */
  #record(work: (writer: RegistryWriter) => void): Promise<void> {
    return this.#reserve.use(() => this.#options.context.registry.transaction(work))
  }

  #succeed(): void {
    const { context, journal, plan, id } = this.#options
    context.registry.transaction((writer) => {
      plan.commit?.(writer, this.#runOf(undefined, undefined))
      this.#endReplaced(writer)
      journal.setState(id, 'succeeded')
      const told = plan.message?.(this.#runOf(undefined, undefined))
      this.#addHistory(writer, 'ok', [...(told === undefined ? [] : [told]), ...this.#warnings].join('\n'))
    })
  }

  /** What they started is not there any more: trying them again would undo it in what is there now. */
  #endReplaced(writer: RegistryWriter): void {
    const { journal, plan, caller, clock, ends } = this.#options
    for (const entry of journal.open()) {
      if (entry.state !== 'attention' || !ends(entry)) continue
      endAttention(entry, { why: `Ended by: ${sentence(plan.title)}`, journal, writer, caller, clock })
      this.#warnings.push(`This ended an earlier operation that needed attention: ${sentence(entry.title)}`)
    }
  }

  /** @param reason why it was being undone */
  async #needAttention(error: unknown, reason?: ManagerError): Promise<ManagerError> {
    const { journal, plan, id } = this.#options
    const failure = failureOf(error)
    const again =
      reason && reason.message !== failure.message ? `: ${sentence(failure.message)}` : ' for the same reason.'
    const ending = `It could not be rolled back${again}`
    const message = reason ? `${sentence(reason.message)} ${ending}` : sentence(failure.message)
    const output = failure.output ?? reason?.output
    const options = {
      cause: failure,
      operation: id,
      ...(reason && saidShort(reason, ending)),
      ...(output !== undefined && { output }),
    }
    try {
      await this.#record((writer) => {
        journal.setState(id, 'attention', message)
        this.#addHistory(writer, 'attention', message)
      })
    } catch (journalError) {
      return new ManagerError('ERR_ATTENTION', `${plan.title}: ${message} ${failureOf(journalError).message}`, {
        ...options,
        help: 'This could not be recorded. Fix the problem above; the next command continues the operation.',
      })
    }
    this.#point({ at: 'attention' })
    return new ManagerError('ERR_ATTENTION', `${plan.title}: ${message}`, {
      ...options,
      help:
        'The operation could be neither finished nor rolled back. Fix the cause, then try again. ' +
        `To leave everything as it is: manager giveup ${id}.`,
      command: 'doctor --fix',
    })
  }

  /** One entry per operation; it has the parameters of its request. */
  #addHistory(writer: RegistryWriter, result: HistoryEntry['result'], message: string): void {
    const { journal, id, caller, clock } = this.#options
    const { kind, actor, surface, address, instanceId, instance, request } = journal.entry(id) as JournalEntry
    const asked = { actor, surface: surface as Caller['surface'], address, entries: caller.entries }
    writeEntry(writer, asked, {
      at: clock().toISOString(),
      action: kind,
      instance: { id: instanceId, name: instance },
      parameters: request,
      result,
      message,
      operation: id,
      duration: Math.round(performance.now() - this.#begin),
    })
  }

  /** As the journal has them. @throws Error when it was started by a manager with other steps. */
  #steps(): readonly StepEntry[] {
    const { journal, plan, id } = this.#options
    const entries = journal.steps(id)
    const foreign = entries.find(({ seq, step }) => plan.steps[seq]?.id !== step)
    if (foreign) throw new Error(`This version of the manager does not have its step "${foreign.step}".`)
    return entries
  }

  /** From the intent of a point of no return on, there is no way back. */
  #isPassed(): boolean {
    return this.#steps().some(({ seq }) => this.#options.plan.steps[seq]?.pointOfNoReturn)
  }

  #setState(state: 'running', message?: string): void {
    const { journal, id } = this.#options
    journal.setState(id, state, message)
    this.#point({ at: state })
  }

  /** @param last whether it can no longer be cancelled */
  #runOf(step: Step<Context> | undefined, intent: Json | undefined, last = false): StepRun<Context> {
    const { context, id, caller, journal } = this.#options
    const settled = last || step?.pointOfNoReturn || this.#isPassed()
    return {
      context,
      caller,
      operation: id,
      intent,
      outcome: (name) => this.#outcomes.get(name),
      progress: (text, done) => this.#emit({ type: 'progress', step: step?.id ?? '', text, ...done }),
      warn: (text) => {
        this.#warnings.push(text)
        this.#note(() => journal.addWarning(id, text))
        this.#emit({ type: 'warning', text })
      },
      signal: settled ? never : (caller.signal ?? never),
    }
  }

  /** Writes what is good to have but not needed to recover. */
  #note(write: () => void): void {
    try {
      write()
    } catch {
      // The disk is full, most likely; who needs the journal will fail, and say so.
    }
  }

  #emitStep(step: Step<Context>, state: Extract<OperationEvent, { readonly type: 'step' }>['state']): void {
    if (shownSteps([step], this.#options.caller.withoutHooks).length > 0)
      this.#emit({ type: 'step', step: step.id, state })
  }

  /** A surface that cannot show it must not make it fail. */
  #emit(event: OperationEvent): void {
    try {
      this.#options.caller.onEvent?.(event)
    } catch {
      // It is the surface's own.
    }
  }

  #point(point: JournalPoint): void {
    this.#options.onPoint?.(point)
  }
}

/** What a failure says in short, with the result of the operation that it ended. */
function saidShort({ title, reason, ending = '' }: ManagerError, outcome: string): ManagerErrorOptions {
  if (title === undefined) return {}
  return { title, ending: `${ending} ${outcome}`.trim(), ...(reason !== undefined && { reason }) }
}

function isAttention(error: unknown): boolean {
  return ManagerError.is(error) && error.code === 'ERR_ATTENTION'
}
