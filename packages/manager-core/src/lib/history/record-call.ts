import { ManagerError } from '../../errors.js'
import type { Ability } from '../domain/ability.js'
import type { Caller } from '../domain/caller.js'
import type { Input } from '../domain/input.js'
import { recordHistory, type HistoryContext, type Told } from './record-history.js'
import { subjectOf, type WithInputs } from './subject.js'

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
 * when it writes none by itself, as it was refused before it began, or had nothing to do. (Who is on this machine reads
 * the files.)
 */
export async function recordCall<T extends Told>(
  context: HistoryContext,
  call: RecordedCall,
  work: () => Promise<T>,
): Promise<T> {
  const { action, input, caller } = call
  if (caller.surface !== 'api' || caller.dryRun) return work()
  const subject = subjectOf(action, input, context.registry)
  if (action.ability === 'sensitive' && !action.mutating)
    return recordHistory(context, caller, { action: action.name, ...subject, isSecret: true }, work)
  if (!action.mutating) return work()
  const before = lastEntry(context)
  const begin = performance.now()
  try {
    const done = await work()
    note('ok', done.message)
    return done
  } catch (error) {
    const isRefused = ManagerError.is(error) && error.outcome !== 'failed'
    note(isRefused ? 'refused' : 'failed', (error as Error).message)
    throw error
  }

  function note(result: 'ok' | 'failed' | 'refused', message: string): void {
    const { actor, surface, address = '' } = caller
    try {
      if (isWritten(context, before, { actor, address })) return
      context.registry.transaction((writer) =>
        writer.addHistory({
          ...{ at: context.clock().toISOString(), actor, surface, address, action: action.name },
          ...{ instanceId: subject.instance.id, instance: subject.instance.name, parameters: subject.parameters },
          ...{ result, message: message.slice(0, 1000), operation: '' },
          duration: Math.round(performance.now() - begin),
        }),
      )
    } catch {
      // The disk is full, most likely; what became of the action is to be told all the same.
    }
  }
}

function lastEntry({ registry }: Pick<HistoryContext, 'registry'>): number {
  return Number(registry.database.prepare('select max(id) as id from history').get()?.['id'] ?? 0)
}

function isWritten(
  { registry }: Pick<HistoryContext, 'registry'>,
  before: number,
  { actor, address }: { readonly actor: string; readonly address: string },
): boolean {
  return (
    registry.database
      .prepare('select 1 from history where id > ? and actor = ? and address = ? limit 1')
      .get(before, actor, address) !== undefined
  )
}
