import { stateOf } from '../system/process-identity.js'
import type { FoundOperations } from './find-operations.js'
import type { OperationItem } from './operation-item.js'
import { afterEvent, notBegun } from './progress.js'
import type { RunEvent } from './run.js'
import type { RunFiles } from './run-files.js'

/** An operation at one moment. */
export interface Seen {
  readonly item: OperationItem
  /** All that happened. */
  readonly events: readonly RunEvent[]
  /** Changes with what has no event: state and steps that only the journal knows. */
  readonly silent: string
}

export interface OperationWatch {
  /** undefined: there is none, or no longer. */
  look(): Seen | undefined
}

export interface Watches {
  /** Until `end`; all who watch the same operation share what is read. */
  begin(id: string): OperationWatch & { end(): void }
}

/** However many watch, files are looked at that often, in ms. */
const lookMs = 90
/** The journal and the worker's process, in ms. */
const silentMs = 300

export function createWatches(files: RunFiles, operations: Pick<FoundOperations, 'find'>): Watches {
  const watched = new Map<string, OperationWatch & { watchers: number }>()
  return {
    begin(id) {
      const known = watched.get(id) ?? { ...watch(files, operations, id), watchers: 0 }
      known.watchers++
      watched.set(id, known)
      return {
        look: known.look,
        end() {
          known.watchers--
          if (known.watchers === 0) watched.delete(id)
        },
      }
    },
  }
}

function watch(files: RunFiles, operations: Pick<FoundOperations, 'find'>, id: string): OperationWatch {
  const events: RunEvent[] = []
  let end = 0
  let progressed = notBegun
  let seen: Seen | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let silentAt = Number.NEGATIVE_INFINITY
  return {
    look() {
      const now = performance.now()
      if (now - lookedAt < lookMs) return seen
      lookedAt = now
      // Before the events: those of one that has ended are all there.
      const hasResult = files.hasEnded(id)
      const more = files.events(id, end)
      end = more.end
      for (const event of more.events) {
        events.push(event)
        progressed = afterEvent(progressed, event)
      }
      if (!hasResult && more.events.length === 0 && now - silentAt < silentMs) return seen
      silentAt = now
      const item = operations.find(id, progressed)
      seen = item && { item, events, silent: silentOf(files, id, item) }
      return seen
    },
  }
}

/** A worker reports all by events; what others do is in the journal. */
function silentOf(files: RunFiles, id: string, { state, steps, message, title }: OperationItem): string {
  const worker = files.worker(id)
  if (worker && stateOf(worker) === 'alive') return 'told'
  return JSON.stringify([state, title, message, steps.map((step) => step.state)])
}
