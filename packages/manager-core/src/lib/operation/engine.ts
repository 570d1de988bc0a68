import { randomUUID } from 'node:crypto'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Json } from '../domain/json.js'
import { createJournal, type Journal, type JournalEntry } from './journal.js'
import type {
  Caller,
  JournalPoint,
  OperationKind,
  OperationResult,
  Operations,
  Plan,
  RecoveredOperation,
  Step,
  StepRun,
} from './operation.js'
import { stateOf } from './process-identity.js'
import type { HistoryEntry, RegistryWriter } from '../store/registry.js'

export interface OperationsOptions {
  readonly context: () => ManagerContext
  /** By name; recovery needs the kinds of what it finds. */
  readonly kinds: () => ReadonlyMap<string, OperationKind>
  readonly clock: () => Date
  /** Told after each entry of the journal; what it throws or does to the process, recovery must bear. For tests. */
  readonly onPoint?: ((point: JournalPoint) => void) | undefined
}

export function createOperations({ context, kinds, clock, onPoint }: OperationsOptions): Operations {
  let journalOfRegistry: Journal | undefined
  const journal = () => (journalOfRegistry ??= createJournal(context().registry.database, { clock, onPoint }))
  const never = new AbortController().signal

  return {
    async plan(kind, request, caller) {
      return withLocks(kind, request, caller, async () => {
        const facts = await kind.inspect(request, context())
        const { title, instance, steps, notes = [] } = kind.plan(request, facts)
        return {
          title,
          instance,
          notes,
          steps: steps.map((step) => ({
            id: step.id,
            title: step.title,
            pointOfNoReturn: step.pointOfNoReturn ?? false,
            undoable: step.undo !== undefined,
          })),
        }
      })
    },

    async run(kind, request, caller) {
      return withLocks(kind, request, caller, async (locks) => {
        const facts = await kind.inspect(request, context())
        const plan = kind.plan(request, facts)
        const id = randomUUID()
        context().registry.transaction(() =>
          journal().begin({
            id,
            kind: kind.kind,
            instanceId: plan.instance.id,
            instance: plan.instance.name,
            title: plan.title,
            actor: caller.actor,
            surface: caller.surface,
            request,
            facts,
            locks,
          }),
        )
        onPoint?.({ at: 'planned' })
        const steps = plan.steps.map(({ id: step, title }) => ({ id: step, title }))
        caller.onEvent?.({ type: 'planned', operation: id, title: plan.title, steps })
        return new Execution({ context: context(), journal: journal(), plan, id, caller, clock, onPoint }).start()
      })
    },

    async recover(caller) {
      const recovered: RecoveredOperation[] = []
      for (const entry of journal().open()) {
        if (entry.state === 'attention' || stateOf(entry.owner) !== 'dead') continue
        const lock = context().locks.tryAcquire(entry.locks, purposeOf(`recovery of ${entry.title}`, caller))
        // Another process is recovering it.
        if (!lock) continue
        try {
          const state = await recover(entry.id, caller)
          if (state) recovered.push({ operation: entry.id, kind: entry.kind, instance: entry.instance, state })
        } finally {
          lock.release()
        }
      }
      return recovered
    },

    async retry(id) {
      throw new Error(`Not there yet: ${id}`)
    },
  }

  async function recover(id: string, caller: Caller): Promise<RecoveredOperation['state'] | undefined> {
    const entry = journal().entry(id)
    if (!entry || stateOf(entry.owner) !== 'dead' || ['succeeded', 'rolled_back', 'attention'].includes(entry.state))
      return undefined
    const kind = kinds().get(entry.kind)
    if (!kind) throw new ManagerError('ERR_FAILED', `Nothing knows how to recover an operation "${entry.kind}".`)
    journal().adopt(id)
    caller.onEvent?.({ type: 'recovering', operation: id, title: entry.title })
    const plan = kind.plan(entry.request, entry.facts)
    const quiet: Caller = { ...caller, signal: never }
    return new Execution({ context: context(), journal: journal(), plan, id, caller: quiet, clock, onPoint }).resume(
      entry,
    )
  }

  async function withLocks<Request extends Json, Facts extends Json, T>(
    kind: OperationKind<Request, Facts>,
    request: Request,
    caller: Caller,
    work: (locks: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const keys = [...new Set(kind.locks(request, context()))].toSorted()
    const options = {
      purpose: purposeOf(kind.kind, caller),
      waitMs: caller.waitMs ?? 0,
      onWait: (lock: string, holder: string) => caller.onEvent?.({ type: 'waiting', lock, holder }),
      signal: caller.signal,
    }
    return context().locks.with(keys, options, () => work(keys))
  }

  function purposeOf(what: string, { actor }: Caller): string {
    return `${what} by ${actor}, process ${process.pid}, since ${clock().toISOString()}`
  }
}

interface ExecutionOptions {
  readonly context: ManagerContext
  readonly journal: Journal
  readonly plan: Plan
  readonly id: string
  readonly caller: Caller
  readonly clock: () => Date
  readonly onPoint: ((point: JournalPoint) => void) | undefined
}

/** One operation while it runs in this process. */
class Execution {
  readonly #options: ExecutionOptions
  readonly #outcomes = new Map<string, Json>()
  readonly #warnings: string[] = []
  readonly #begin: number

  constructor(options: ExecutionOptions) {
    this.#options = options
    this.#begin = options.clock().getTime()
  }

  async start(): Promise<OperationResult> {
    this.#setState('running')
    return this.#forward(0)
  }

  /** Goes on after the death of the owner. */
  async resume(entry: JournalEntry): Promise<RecoveredOperation['state']> {
    const { journal, plan, id } = this.#options
    this.#warnings.push(...entry.warnings)
    const done = journal.steps(id)
    for (const { step, outcome } of done) if (outcome !== undefined) this.#outcomes.set(step, outcome)
    const last = done.at(-1)
    try {
      if (entry.state === 'undoing') {
        await this.#undo(entry.message)
        return 'rolled_back'
      }
      const passed = done.some(({ seq }) => plan.steps[seq]?.pointOfNoReturn)
      if (last?.state === 'intent') {
        const step = plan.steps[last.seq] as Step
        const state = await step.check(this.#runOf(step, last.intent))
        if (state === 'unknown') throw new Error(`it cannot be told whether "${step.title}" was done`)
        if (state === 'done') journal.setStep(id, last.seq, 'done')
      }
      if (!passed) {
        this.#setState('undoing', 'the process that ran it ended')
        await this.#undo('the process that ran it ended')
        return 'rolled_back'
      }
      const next = journal.steps(id).find(({ state }) => state === 'intent')?.seq ?? done.length
      await this.#forward(next)
      return 'succeeded'
    } catch (error) {
      if (!(error instanceof ManagerError && error.code === 'ERR_ATTENTION')) this.#needAttention(error)
      return 'attention'
    }
  }

  async #forward(from: number): Promise<OperationResult> {
    const { plan, id } = this.#options
    let passed = plan.steps.slice(0, from).some(({ pointOfNoReturn }) => pointOfNoReturn)
    for (const [seq, step] of plan.steps.entries()) {
      if (seq < from) continue
      try {
        passed ||= step.pointOfNoReturn ?? false
        if (!passed) this.#options.caller.signal?.throwIfAborted()
        await this.#do(seq, step)
      } catch (error) {
        this.#emit({ type: 'step', step: step.id, state: 'failed' })
        if (passed) throw this.#needAttention(error)
        await this.#undoAfter(error)
      }
    }
    this.#succeed()
    const { instance } = plan
    return { operation: id, instance, warnings: this.#warnings, outcomes: this.#outcomes }
  }

  async #do(seq: number, step: Step): Promise<void> {
    const { journal, id } = this.#options
    this.#emit({ type: 'step', step: step.id, state: 'running' })
    const intent = await step.intent?.(this.#runOf(step, undefined))
    journal.intent(id, seq, step.id, intent)
    const outcome = (await step.do(this.#runOf(step, intent))) ?? undefined
    this.#point({ at: 'effect', step: step.id })
    if (outcome !== undefined) this.#outcomes.set(step.id, outcome)
    journal.setStep(id, seq, 'done', outcome)
    this.#point({ at: 'outcome', step: step.id })
    this.#emit({ type: 'step', step: step.id, state: 'done' })
  }

  async #undoAfter(error: unknown): Promise<never> {
    const message = messageOf(error)
    this.#setState('undoing', message)
    try {
      await this.#undo(message)
    } catch (undoError) {
      throw this.#needAttention(undoError)
    }
    const { plan, id } = this.#options
    const refused = error instanceof ManagerError && error.outcome !== 'failed'
    if (refused) throw error
    const { help, output, command } = error instanceof ManagerError ? error : {}
    throw new ManagerError('ERR_ROLLED_BACK', `${plan.title}: ${message} All is as it was before.`, {
      cause: error,
      operation: id,
      ...(help !== undefined && { help }),
      ...(output !== undefined && { output }),
      ...(command !== undefined && { command }),
    })
  }

  async #undo(message: string): Promise<void> {
    const { journal, plan, id } = this.#options
    for (const { seq, state, intent } of journal.steps(id).toReversed()) {
      const step = plan.steps[seq] as Step
      if (state === 'undone' || !step.undo) continue
      this.#emit({ type: 'step', step: step.id, state: 'undoing' })
      journal.setStep(id, seq, 'undoing')
      this.#point({ at: 'undo', step: step.id })
      await step.undo(this.#runOf(step, intent))
      journal.setStep(id, seq, 'undone')
      this.#point({ at: 'undone', step: step.id })
      this.#emit({ type: 'step', step: step.id, state: 'undone' })
    }
    const { registry } = this.#options.context
    registry.transaction((writer) => {
      plan.rollback?.(writer, this.#runOf(undefined, undefined))
      journal.setState(id, 'rolled_back', message)
      this.#addHistory(writer, 'rolled-back', message)
    })
    this.#point({ at: 'rolled_back' })
  }

  #succeed(): void {
    const { context, journal, plan, id } = this.#options
    context.registry.transaction((writer) => {
      plan.commit?.(writer, this.#runOf(undefined, undefined))
      journal.setState(id, 'succeeded')
      this.#addHistory(writer, 'ok', this.#warnings.join('\n'))
    })
    this.#point({ at: 'succeeded' })
  }

  #needAttention(error: unknown): ManagerError {
    const { journal, plan, id, context } = this.#options
    const message = messageOf(error)
    context.registry.transaction((writer) => {
      journal.setState(id, 'attention', message)
      this.#addHistory(writer, 'attention', message)
    })
    this.#point({ at: 'attention' })
    return new ManagerError('ERR_ATTENTION', `${plan.title}: ${message}`, {
      cause: error,
      operation: id,
      help: 'It could not be brought to an end by itself. Put right what the message says, then let doctor try again.',
      command: 'doctor --fix',
    })
  }

  /** One entry per operation; it has the parameters of its request. */
  #addHistory(writer: RegistryWriter, result: HistoryEntry['result'], message: string): void {
    const { journal, id, clock } = this.#options
    const { kind, actor, surface, instanceId, instance, request } = journal.entry(id) as JournalEntry
    const at = clock()
    writer.addHistory({
      at: at.toISOString(),
      actor,
      surface,
      action: kind,
      instanceId,
      instance,
      parameters: request,
      result,
      message,
      operation: id,
      duration: Math.max(0, at.getTime() - this.#begin),
    })
  }

  #setState(state: 'running' | 'undoing', message?: string): void {
    const { journal, id } = this.#options
    journal.setState(id, state, message)
    this.#point({ at: state })
  }

  #runOf(step: Step | undefined, intent: Json | undefined): StepRun {
    const { context, id, caller, journal } = this.#options
    return {
      context,
      operation: id,
      intent,
      outcome: (name) => this.#outcomes.get(name),
      progress: (text, done) => this.#emit({ type: 'progress', step: step?.id ?? '', text, ...done }),
      warn: (text) => {
        this.#warnings.push(text)
        journal.addWarning(id, text)
        this.#emit({ type: 'warning', text })
      },
      signal: caller.signal ?? new AbortController().signal,
    }
  }

  #emit(event: Parameters<NonNullable<Caller['onEvent']>>[0]): void {
    this.#options.caller.onEvent?.(event)
  }

  #point(point: JournalPoint): void {
    this.#options.onPoint?.(point)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
