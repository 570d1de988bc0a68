import { setTimeout as sleep } from 'node:timers/promises'

/** A notice to be sent. A later one about the same thing replaces an earlier one that was not sent yet. */
export interface Notice<T> {
  readonly about: number
  readonly content: T
}

/** A way to notify people. */
export interface Channel<T> {
  /** @returns why it could not be sent, without secrets; undefined: it was, or there is no recipient */
  send(content: T, signal: AbortSignal): Promise<string | undefined>
}

export interface OutboxOptions<T> {
  readonly channels: readonly Channel<T>[]
  /** Called on the first failure in a row, and on what is given up. */
  readonly onProblem: (message: string) => void
  /** It was sent on all channels, or given up on them. */
  readonly onTold: (notice: Notice<T>) => void
  /** Pauses before the next attempt; the last one counts for all that follow. In ms. */
  readonly pauses?: readonly number[]
  /** When a notice is given up. */
  readonly giveUpMs?: number
}

/** Sends notices on several channels, each at its own pace and in order, and retries until they are sent. */
export class Outbox<T> {
  readonly #options: Required<OutboxOptions<T>>
  readonly #ended = new AbortController()
  readonly #waiting: ReadonlyMap<Channel<T>, Map<number, Entry<T>>>
  readonly #working = new Map<Channel<T>, Promise<void>>()

  constructor(options: OutboxOptions<T>) {
    this.#options = { pauses: [5000, 30_000, 120_000, 600_000], giveUpMs: 86_400_000, ...options }
    this.#waiting = new Map(options.channels.map((channel) => [channel, new Map()]))
  }

  put(notice: Notice<T>): void {
    const left = new Set(this.#waiting.keys())
    for (const [channel, waiting] of this.#waiting) {
      // At the end of the queue, as what was there is out of date.
      waiting.delete(notice.about)
      waiting.set(notice.about, { notice, left, since: performance.now() })
      if (!this.#working.has(channel)) this.#working.set(channel, this.#work(channel, waiting))
    }
  }

  /** What was not sent is no longer sent. */
  async close(): Promise<void> {
    this.#ended.abort()
    await Promise.all(this.#working.values())
  }

  async #work(channel: Channel<T>, waiting: Map<number, Entry<T>>): Promise<void> {
    const { signal } = this.#ended
    const { pauses, giveUpMs, onProblem } = this.#options
    let failures = 0
    for (let entry = first(waiting); entry && !signal.aborted; entry = first(waiting)) {
      const problem = await channel.send(entry.notice.content, signal).catch((error: unknown) => String(error))
      if (signal.aborted) return
      const isOver = problem !== undefined && performance.now() - entry.since > giveUpMs
      if (problem !== undefined && (failures === 0 || isOver))
        onProblem(isOver ? `${problem} No more attempts are made.` : problem)
      if (problem === undefined || isOver) {
        failures = 0
        this.#isDone(channel, waiting, entry)
      } else {
        await sleep(pauses[Math.min(failures++, pauses.length - 1)], undefined, { signal }).catch(() => undefined)
      }
    }
    // With no `await` since the queue was seen empty, so that a notice that is put now starts the work again.
    this.#working.delete(channel)
  }

  #isDone(channel: Channel<T>, waiting: Map<number, Entry<T>>, { notice, left }: Entry<T>): void {
    if (waiting.get(notice.about)?.notice === notice) waiting.delete(notice.about)
    left.delete(channel)
    if (left.size === 0) this.#options.onTold(notice)
  }
}

interface Entry<T> {
  readonly notice: Notice<T>
  /** Channels that have not sent it. */
  readonly left: Set<Channel<T>>
  /** On the clock of `performance.now()`. */
  readonly since: number
}

function first<T>(waiting: ReadonlyMap<number, T>): T | undefined {
  return waiting.values().next().value
}
