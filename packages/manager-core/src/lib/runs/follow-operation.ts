import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../answer.js'
import type { OperationEvent } from '../operation/operation.js'
import type { FoundOperations } from './find-operations.js'
import { hasEnded, type OperationItem } from './operation-item.js'
import type { RunFiles } from './run-files.js'

/** What somebody hears who follows an operation. `id` tells where to go on after a break. */
export type FollowedEvent = { readonly id: string } & (
  | { readonly type: 'operation'; readonly data: OperationItem }
  | { readonly type: 'event'; readonly data: OperationEvent }
  | { readonly type: 'result'; readonly data: Answer }
)

export interface FollowOptions {
  /** Id of the last event that was heard. Default: from now on, the operation first. */
  readonly after?: string | undefined
  readonly signal: AbortSignal
}

/** How often is looked for news, in ms. */
const pollMs = 100
/** What only the journal tells is looked for that often, in ms. */
const journalMs = 300

/** An operation as it goes on, until it has ended; then comes `result`. It is there. */
export async function* followOperation(
  { files, operations }: { readonly files: RunFiles; readonly operations: FoundOperations },
  id: string,
  { after, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent> {
  const first = operations.find(id)
  if (!first) return
  // What was written until now is in `first`, or comes once more.
  let { events, end } = files.events(id)
  let count = Number(/^\d{1,9}$/.exec(after ?? '')?.[0] ?? -1)
  if (count < 0 || count > events.length) {
    count = events.length
    yield { id: String(count), type: 'operation', data: first }
  } else {
    for (const event of events.slice(count)) yield { id: String(++count), type: 'event', data: event }
  }
  let shown: OperationItem | undefined = first
  let lookAt = performance.now()
  while (!signal.aborted) {
    const isOver = files.result(id) !== undefined
    ;({ events, end } = files.events(id, end))
    for (const event of events) yield { id: String(++count), type: 'event', data: event }
    if (isOver || performance.now() >= lookAt) {
      const now = operations.find(id)
      if (!now) return
      if (hasEnded(now) && now.result) return yield { id: 'end', type: 'result', data: now.result }
      // Events do not tell it when its worker died, nor when it is one of the command line.
      if (events.length === 0 && isNews(shown, now)) yield { id: String(count), type: 'operation', data: now }
      shown = now
      lookAt = performance.now() + journalMs
    }
    await sleep(pollMs, undefined, { signal }).catch(() => {})
  }
}

function isNews(before: OperationItem | undefined, now: OperationItem): boolean {
  return JSON.stringify(before) !== JSON.stringify(now)
}
