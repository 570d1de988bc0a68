import type { StepTitle } from '../domain/caller.js'
import { isInScope, type Scope } from '../domain/grant.js'
import { createJournal, type Journal, type JournalEntry } from '../store/journal.js'
import { operationIds } from '../store/operation-rows.js'
import type { Registry } from '../store/registry.js'
import type { OperationState } from '../store/transitions.js'
import { itemOfEntry, itemOfRun, type OperationItem, type ShownState } from './operation-item.js'
import { afterEvent, notBegun, type Progressed } from './progress.js'
import { outcomeOf, type RunFiles } from './run-files.js'

export interface OperationFilter {
  /** Default 50. */
  readonly limit?: number | undefined
  readonly state?: ShownState | undefined
  /** Name of an instance, without regard to case. */
  readonly instance?: string | undefined
  /** Whose operations are shown. */
  readonly scope: Scope
}

/** What is known of runs and operations. */
export interface FoundOperations {
  /** @param progressed what its events report, when the caller has read them */
  find(id: string, progressed?: Progressed): OperationItem | undefined
  /** Newest first. */
  list(filter: OperationFilter): Promise<readonly OperationItem[]>
}

export interface FindOptions {
  readonly files: RunFiles
  readonly registry: () => Registry
  /** See `Operations.stepsOf`. */
  readonly stepsOf: (entry: JournalEntry) => readonly StepTitle[] | undefined
  readonly clock: () => Date
}

export function findOperations({ files, registry, stepsOf, clock }: FindOptions): FoundOperations {
  let made: Journal | undefined
  const journalOf = () => (made ??= createJournal(registry(), { clock }))

  function inJournal(id: string): OperationItem | undefined {
    const entry = journalOf().entry(id)
    return entry && itemOfEntry(entry, journalOf().steps(id), stepsOf(entry))
  }

  function ofRun(id: string, known?: Progressed): OperationItem | undefined {
    const request = files.request(id)
    if (!request) return undefined
    const { worker, result } = outcomeOf(files, id)
    const progressed = result ? notBegun : (known ?? files.events(id).events.reduce(afterEvent, notBegun))
    // What needed attention may have been tried again or given up since.
    const isSettled = result && request.instanceId !== '' && result.answer.code !== 'ERR_ATTENTION'
    const operation = isSettled ? undefined : inJournal(id)
    return itemOfRun({ request, worker, result, progressed, operation })
  }

  return {
    find: (id, progressed) => ofRun(id, progressed) ?? inJournal(id),
    async list({ limit = 50, state, instance, scope }) {
      const name = instance?.toLowerCase()
      const isMeant = (item: OperationItem) =>
        (state === undefined || item.state === state) &&
        (name === undefined || item.instance.toLowerCase() === name) &&
        isInScope(scope, item.instance_id)
      const all = await files.ids()
      // There may be thousands, and pages ask for these again and again.
      const ids = state !== undefined && open.includes(state) ? all.filter((id) => !files.hasEnded(id)) : all
      const runs = take(ids, (id) => ofRun(id), isMeant, limit)
      const known = new Set(all)
      const states = state === undefined ? undefined : journalStatesOf(state)
      const rows = operationIds(registry(), { instance: name, states })
      const others = take(rows, (id) => (known.has(id) ? undefined : inJournal(id)), isMeant, limit)
      return [...runs, ...others].toSorted((a, b) => (a.started < b.started ? 1 : -1)).slice(0, limit)
    },
  }
}

const open: readonly ShownState[] = ['queued', 'running', 'undoing', 'interrupted']

/** In which the journal has what is shown in this state: whether its owner lives is no matter of the journal. */
function journalStatesOf(state: ShownState): readonly OperationState[] {
  if (state === 'succeeded' || state === 'rolled_back' || state === 'attention') return [state]
  return state === 'failed' || state === 'queued' ? [] : ['planned', 'running', 'undoing', 'interrupted']
}

function take(
  ids: Iterable<string>,
  find: (id: string) => OperationItem | undefined,
  isMeant: (item: OperationItem) => boolean,
  limit: number,
): readonly OperationItem[] {
  const found: OperationItem[] = []
  for (const id of ids) {
    if (found.length >= limit) break
    const item = find(id)
    if (item && isMeant(item)) found.push(item)
  }
  return found
}
