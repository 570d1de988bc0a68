import { ManagerError } from '../../errors.js'
import type { Ability } from '../domain/ability.js'
import type { Caller } from '../domain/caller.js'
import type { Input } from '../domain/input.js'
import { recordHistory, type Told } from './record-history.js'
import { subjectOf, type WithInputs } from './subject.js'
import { writeEntry, type HistoryContext } from './write-entry.js'

/** A row of the action table, for the history. */
export interface RecordedAction extends WithInputs {
  readonly name: string
  readonly ability: Ability
  readonly mutating: boolean
}

export interface RecordedCall {
  readonly action: RecordedAction
  readonly input: Readonly<Record<string, Input>>
  readonly caller: Caller
}

/**
 * Performs an action so that what came over the API is in the history: reads of secrets, and what changes something also
 * when it writes none by itself, as it was refused before it started, or had nothing to do. (Who is on this machine reads
 * the files.)
 */
export async function recordCall<T extends Told>(
  context: HistoryContext,
  call: RecordedCall,
  work: (caller: Caller) => Promise<T>,
): Promise<T> {
  const { action, input, caller } = call
  if (caller.surface !== 'api' || caller.dryRun) return work(caller)
  const subject = subjectOf(action, input, context.registry)
  if (action.ability === 'sensitive' && !action.mutating)
    return recordHistory(context, caller, { action: action.name, ...subject, isSecret: true }, () => work(caller))
  if (!action.mutating) return work(caller)
  const entries = { isWritten: false }
  const begin = performance.now()
  try {
    const done = await work({ ...caller, entries })
    note('ok', done.message)
    return done
  } catch (error) {
    const isRefused = ManagerError.is(error) && error.outcome !== 'failed'
    note(isRefused ? 'refused' : 'failed', (error as Error).message)
    throw error
  }

  function note(result: 'ok' | 'failed' | 'refused', message: string): void {
    if (entries.isWritten) return
    try {
      context.registry.transaction((writer) =>
        writeEntry(writer, caller, {
          at: context.clock().toISOString(),
          action: action.name,
          ...subject,
          result,
          message,
          duration: Math.round(performance.now() - begin),
        }),
      )
    } catch {
      // The disk is full, most likely; the result of the action is reported all the same.
    }
  }
}
