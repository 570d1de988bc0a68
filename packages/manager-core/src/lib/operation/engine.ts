import { randomUUID } from 'node:crypto'
import { ManagerError } from '../../errors.js'
import type { Caller } from '../domain/caller.js'
import type { Json } from '../domain/json.js'
import { createJournal, type Journal, type JournalEntry } from '../store/journal.js'
import { createReserve } from '../store/reserve.js'
import { ended } from '../store/transitions.js'
import { failureOf } from '../system/failure.js'
import { lockOptionsOf } from '../system/lock-options.js'
import { endAttention } from './end-attention.js'
import type { EngineContext } from './engine-context.js'
import { Execution } from './execution.js'
import type { JournalPoint, OperationKind, Operations, Plan, RecoveredOperation } from './operation.js'
import { asBegun, isWithoutHooks, noteHooks, shownSteps } from './without-hooks.js'

export interface OperationsOptions<Context> {
  readonly context: () => Context
  /** By name; recovery needs the kinds of what it finds. */
  readonly kinds: () => ReadonlyMap<string, OperationKind<Context>>
  readonly clock: () => Date
  /** Called after each entry of the journal; the process may end there. For tests. */
  readonly onPoint?: ((point: JournalPoint) => void) | undefined
}

/** How often an operation that waits for its turn recovers what another one left meanwhile. */
const mostAttempts = 10

export function createOperations<Context extends EngineContext>({
  context,
  kinds,
  clock,
  onPoint,
}: OperationsOptions<Context>): Operations<Context> {
  let journalOfRegistry: Journal | undefined
  const journal = () => (journalOfRegistry ??= createJournal(context().registry, { clock }))
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
          steps: shownSteps(steps, caller.withoutHooks).map((step) => ({
            id: step.id,
            title: step.title,
            pointOfNoReturn: step.pointOfNoReturn ?? false,
            undoable: step.undo !== undefined,
          })),
        }
      })
    },

    async run(kind, request, caller) {
      let hasBegun = false
      try {
        return await withLocks(kind, request, caller, async (locks) => {
          const facts = await kind.inspect(request, context())
          const plan = kind.plan(request, facts)
          const id = newId(caller)
          const { actor, surface, address = '' } = caller
          const { id: instanceId, name: instance } = plan.instance
          const entry = { id, kind: kind.kind, instanceId, instance, title: plan.title, actor, surface, address }
          const reserve = createReserve(context().home.database)
          if (kind.frees) reserve.release()
          else reserve.keep()
          hasBegun = true
          try {
            context().registry.transaction(() =>
              journal().begin({ ...entry, request, facts: noteHooks(facts, caller), locks }),
            )
            return await executionOf(id, plan, caller, kind.replacesAll?.(request)).start()
          } catch (error) {
            if (!kind.withoutJournal || !isOutOfSpace(error)) throw failureOf(error)
            const warning = await kind.withoutJournal(request, context())
            return { operation: id, instance: plan.instance, warnings: [warning], outcomes: new Map() }
          }
        })
      } finally {
        // Without the locks: who sees that it has ended may give the next command.
        if (hasBegun) keepCopies(caller)
      }
    },

    async recover(caller) {
      const recovered: RecoveredOperation[] = []
      for (const entry of journal().open()) {
        if (entry.state === 'attention' || isHeld(entry)) continue
        try {
          const done = await recoverEntry(entry, caller)
          if (done) recovered.push(done)
        } catch (error) {
          caller.onEvent?.({ type: 'warning', text: `${entry.title}: ${failureOf(error).message}` })
        }
      }
      if (recovered.length > 0) keepCopies(caller)
      return recovered
    },

    async retry(id, caller) {
      const entry = unended(id)
      const options = lockOptions(`another attempt of ${entry.title}`, caller)
      return context().locks.with(entry.locks, options, async () => {
        const now = journal().entry(id) ?? entry
        return ended.includes(now.state) ? (now.state as 'succeeded') : goOn(now, caller)
      })
    },

    stepsOf({ kind, request, facts }) {
      try {
        const plan = kinds().get(kind)?.plan(request, facts)
        return plan && shownSteps(plan.steps, isWithoutHooks(facts))
      } catch {
        // It is of another version of the manager.
        return undefined
      }
    },

    async giveUp(id, caller) {
      const { title, locks } = unended(id)
      return context().locks.with(locks, lockOptions(`giving up of ${title}`, caller), async () => {
        const entry = unended(id)
        if (entry.state !== 'attention')
          throw new ManagerError('ERR_STATE', `${title}: it needs no attention; the next command continues it.`)
        if (caller.dryRun) return { title }
        context().registry.transaction((writer) => {
          const why = `Given up by ${caller.actor}.`
          endAttention(entry, { why, journal: journal(), writer, caller, clock })
        })
        return { title }
      })
    },
  }

  /** The next command does what is not done here. */
  function keepCopies(caller: Caller): void {
    const text = context().registryCopies.keep()
    if (text !== undefined) caller.onEvent?.({ type: 'warning', text })
  }

  /** The caller's own, once: what an action does beside its operation has others. */
  function newId({ operation }: Caller): string {
    return operation !== undefined && !journal().entry(operation) ? operation : randomUUID()
  }

  /** @throws ManagerError ERR_NOT_FOUND */
  function unended(id: string): JournalEntry {
    const entry = journal().entry(id)
    if (entry && !ended.includes(entry.state)) return entry
    throw new ManagerError('ERR_NOT_FOUND', `No unfinished operation has the id "${id.slice(0, 40)}".`, {
      command: 'doctor operations',
    })
  }

  function executionOf(id: string, plan: Plan<Context>, caller: Caller, replacesAll = false): Execution<Context> {
    const ends = ({ kind, instanceId }: JournalEntry) =>
      replacesAll && instanceId === plan.instance.id && !kinds().get(kind)?.worksBeside
    return new Execution({ context: context(), journal: journal(), plan, id, caller, clock, onPoint, ends })
  }

  /** Its owner may still be at it. One of this process is not, when its locks are free. */
  function isHeld({ owner, ownerState }: JournalEntry): boolean {
    return owner.pid !== process.pid && ownerState === 'alive'
  }

  /** @returns undefined when another process is at it, or has been. */
  async function recoverEntry(entry: JournalEntry, caller: Caller): Promise<RecoveredOperation | undefined> {
    const lock = context().locks.tryAcquire(entry.locks, lockOptions(`recovery of ${entry.title}`, caller).purpose)
    if (!lock) return undefined
    try {
      const now = journal().entry(entry.id)
      if (!now || ended.includes(now.state) || now.state === 'attention') return undefined
      const { id, kind, instance } = now
      return { operation: id, kind, instance, state: await goOn(now, caller) }
    } finally {
      lock.release()
    }
  }

  /** The locks are held. */
  async function goOn(entry: JournalEntry, caller: Caller): Promise<RecoveredOperation['state']> {
    const { id, title } = entry
    const kind = kinds().get(entry.kind)
    if (!kind)
      throw new ManagerError('ERR_ATTENTION', `This manager cannot recover operations of the kind "${entry.kind}".`, {
        help: 'Use the version of the manager that started it, or a newer one.',
        operation: id,
      })
    journal().adopt(id)
    caller.onEvent?.({ type: 'recovering', operation: id, title })
    let plan: Plan<Context>
    try {
      plan = kind.plan(entry.request, entry.facts)
    } catch (error) {
      journal().setState(id, 'attention', failureOf(error).message)
      return 'attention'
    }
    const own = { ...asBegun(caller, entry.facts), signal: never }
    return executionOf(id, plan, own, kind.replacesAll?.(entry.request)).resume(entry)
  }

  /** What others left of the same instance or name. The locks of all instances, such as `ports`, say nothing. */
  function leftOn(keys: readonly string[]): readonly JournalEntry[] {
    const own = new Set(keys.filter((key) => /^(instance|name):/.test(key)))
    return journal()
      .open()
      .filter(({ locks }) => locks.some((key) => own.has(key)))
  }

  async function withLocks<Request extends Json, Facts extends Json, T>(
    kind: OperationKind<Context, Request, Facts>,
    request: Request,
    caller: Caller,
    work: (locks: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const keys = [...new Set(kind.locks(request, context()))].toSorted()
    const { name } = request as { readonly name?: unknown }
    const options = lockOptions(typeof name === 'string' ? `${kind.kind} of "${name}"` : kind.kind, caller)
    for (let attempt = 1; ; attempt++) {
      const result = await context().locks.with(keys, options, async (): Promise<Turn<T>> => {
        const left = leftOn(keys)
        const stuck = left.find(({ state }) => state === 'attention')
        if (stuck && !kind.despiteAttention && !kind.replacesAll?.(request)) throw needsAttention(stuck)
        return left.some(({ state }) => state !== 'attention') ? { left } : { value: await work(keys) }
      })
      if ('value' in result) return result.value
      // Their owner died while we waited for it.
      if (attempt === mostAttempts) throw needsAttention(result.left[0] as JournalEntry)
      for (const entry of result.left) await recoverEntry(entry, caller)
    }
  }

  function lockOptions(what: string, caller: Caller) {
    return lockOptionsOf(caller, what, clock())
  }
}

function isOutOfSpace(error: unknown): boolean {
  const { code, cause } = failureOf(error)
  return code === 'ERR_DISK' || (cause !== undefined && code !== 'ERR_FAILED' && isOutOfSpace(cause))
}

/** What came of having the locks: the work's value, or what a dead owner left. */
type Turn<T> = { readonly value: T } | { readonly left: readonly JournalEntry[] }

function needsAttention({ id, title, message }: JournalEntry): ManagerError {
  return new ManagerError('ERR_ATTENTION', `A previous operation is unfinished: ${title}. ${message}`, {
    help:
      'Fix the cause, then try again. stop, restore, reset and delete are possible nevertheless. ' +
      `To leave everything as it is: manager giveup ${id}.`,
    command: 'doctor --fix',
    operation: id,
  })
}
