import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationEvent } from '../domain/caller.js'
import type { Answer } from './answer.js'
import type { OperationItem } from './operation-item.js'
import { hasEnded } from './operation-item.js'
import type { OperationWatch, Seen } from './watch-operation.js'

/** What a follower of an operation receives. `id` is where to continue after a break. */
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

const pollMs = 100

/**
 * An operation as it proceeds, until it has ended; then comes `result`. Nothing when there is none. The operation itself
 * comes first, and again whenever what happened has no event: its worker was killed, it is one of the command line.
 */
export async function* followOperation(
  watch: OperationWatch,
  { after, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent> {
  let seen = watch.look()
  if (!seen) return
  let count = Number(/^\d{1,9}$/.exec(after ?? '')?.[0] ?? -1)
  let shown: Seen | undefined
  if (count < 0 || count > seen.events.length) {
    shown = seen
    count = seen.events.length
    yield { id: String(count), type: 'operation', data: seen.item }
  }
  for (; seen && !signal.aborted; seen = watch.look()) {
    const { events, item } = seen
    for (; count < events.length; count++)
      yield { id: String(count + 1), type: 'event', data: events[count] as OperationEvent }
    if (hasEnded(item) && item.result) return yield { id: 'end', type: 'result', data: item.result }
    if (shown && shown !== seen && shown.silent !== seen.silent)
      yield { id: String(count), type: 'operation', data: item }
    shown = seen
    await sleep(pollMs, undefined, { signal }).catch(() => {})
  }
}
