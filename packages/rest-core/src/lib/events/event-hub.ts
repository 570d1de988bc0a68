import type { Model } from '../model/model.js'
import type { ObjectStore } from '../store.js'
import { readEvents } from './event.js'
import type { EventRecord } from './event.js'
import { createLease } from './lease.js'
import { numberEvents } from './number-events.js'

export interface EventHubOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  /** How often writes of other processes are looked for, in ms. Default 1,000. */
  readonly pollMs?: number
  /** Called when events can no longer be read, once until they can again. Default: none. */
  readonly onError?: (error: unknown) => void
}

/** The committed changes of all processes on a database, in order. Its methods throw `StoreError`. */
export interface EventHub {
  /** Numbers events and looks for those of other processes from now on. Without effect when called again. */
  start(): void
  /** To be called after every commit that may have written events: they are found at once. */
  notify(): void
  /** Number of the last event of all processes; of this one it may be the one before. */
  last(): Promise<number>
  /** Events after a number, in order, at most 200; empty when there are none yet, or none any more (see `known`). */
  read(after: number): Promise<readonly EventRecord[]>
  /**
   * Number of the last event that this process knows of, whether or not it is still kept; 0 before the first look. Events up
   * to it are gone for good when a `read` that starts after it does not give them.
   */
  known(): number
  /** Resolves when an event after a number is known, and when the signal or the hub ends. */
  next(after: number, signal: AbortSignal): Promise<void>
  /** Aborted by `close()`. */
  readonly closed: AbortSignal
  close(): Promise<void>
}

/** Events that are kept in memory, so that many listeners do not read the same ones. */
const keptEvents = 1000
const mostAtOnce = 200

/**
 * Reads committed events of all processes from the store, in order and without gaps, for listeners of this one. Call `start()`
 * first; `close()` ends it.
 */
export function createEventHub({ model, store, pollMs = 1000, onError = () => {} }: EventHubOptions): EventHub {
  const lease = createLease({ model, store, name: 'events' })
  const end = new AbortController()
  const waiting = new Set<() => void>()
  /** The newest events, without gaps; the last one is the one that `head` names. */
  let kept: EventRecord[] = []
  let head: number | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let again = false
  let failing = false

  return {
    start,
    notify,
    last: () => lease.readNumber(),
    known: () => head ?? 0,
    read,
    next,
    closed: end.signal,
    close,
  }

  function start(): void {
    if (timer || end.signal.aborted) return
    timer = setInterval(notify, pollMs)
    notify()
  }

  function notify(): void {
    if (!timer || end.signal.aborted) return
    again = true
    running ??= look()
  }

  async function look(): Promise<void> {
    while (again && !end.signal.aborted) {
      again = false
      try {
        const number = await numberEvents({ model, store, lease })
        await keep(head ?? number, number)
        failing = false
      } catch (error) {
        if (!failing && !end.signal.aborted) onError(error)
        failing = true
      }
    }
    // With no `await` since the last check of `again`, so that a notice that comes now starts another look.
    running = undefined
  }

  async function keep(from: number, to: number): Promise<void> {
    if (head !== undefined && to <= from) return
    // After many events at once only the newest are kept.
    const start = Math.max(from, to - keptEvents)
    const events = [...kept]
    for (let at = start; at < to;) {
      const more = await readEvents({ model, store }, at, mostAtOnce)
      events.push(...more)
      at = more.at(-1)?.number ?? to
    }
    kept = withoutGaps(events, to)
    head = to
    for (const wake of waiting) wake()
  }

  async function read(after: number): Promise<readonly EventRecord[]> {
    if (head !== undefined && after >= head) return []
    const [first] = kept
    if (first && first.number <= after + 1) {
      const at = after + 1 - first.number
      return kept.slice(at, at + mostAtOnce)
    }
    return readEvents({ model, store }, after, mostAtOnce)
  }

  function next(after: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        waiting.delete(done)
        signal.removeEventListener('abort', done)
        end.signal.removeEventListener('abort', done)
        resolve()
      }
      if (signal.aborted || end.signal.aborted || (head !== undefined && head > after)) return resolve()
      waiting.add(done)
      signal.addEventListener('abort', done)
      end.signal.addEventListener('abort', done)
    })
  }

  async function close(): Promise<void> {
    end.abort()
    clearInterval(timer)
    await running
  }
}

/** The newest events up to number `last`, each of which follows the one before it. */
function withoutGaps(events: readonly EventRecord[], last: number): EventRecord[] {
  let from = events.length
  while (from > 0 && events.length - from < keptEvents && events[from - 1]?.number === last - (events.length - from))
    from--
  return events.slice(from)
}
