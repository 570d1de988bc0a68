/** Events of tarn with their numbers, which count up; what belongs to one operation has the same. */
export interface PoolEvents {
  on(event: string, listener: (id: number, given?: object) => void): void
  removeListener(event: string, listener: (id: number, given?: object) => void): void
}

/** When connections of a pool were asked for and opened, by the numbers of the pool's events. */
export class PoolTimeline {
  readonly #events: PoolEvents
  readonly #opened = new WeakMap<object, number>()
  readonly #failed = new WeakMap<object, number>()
  #asked = 0
  #now = 0
  #discarded = -1
  readonly #listeners = {
    acquireRequest: (id: number): void => void (this.#asked = this.#now = id),
    createRequest: (id: number): void => void (this.#now = id),
    createSuccess: (id: number, raw?: object): void => void (raw && this.#opened.set(raw, id)),
    createFail: (id: number, error?: object): void => void (error && this.#failed.set(error, id)),
  }

  constructor(events: PoolEvents) {
    this.#events = events
    for (const [event, listener] of Object.entries(this.#listeners)) events.on(event, listener)
  }

  /** The event by which a connection was asked for last. */
  get asked(): number {
    return this.#asked
  }

  /** Makes connections out of date that are open now, or are being opened. */
  discard(): void {
    this.#discarded = this.#now
  }

  isCurrent(raw: object): boolean {
    return this.isOpenedSince(raw, this.#discarded)
  }

  /** Whether its opening started after the event. Connections from before the timeline: after none. */
  isOpenedSince(raw: object, event: number): boolean {
    return (this.#opened.get(raw) ?? 0) > event
  }

  /** Whether the error ended the opening of a connection that started before the event. */
  isFailureBefore(error: unknown, event: number): boolean {
    const { cause } = error as Error
    return [error, cause].some((each) => (this.#failed.get(each as object) ?? Infinity) < event)
  }

  end(): void {
    for (const [event, listener] of Object.entries(this.#listeners)) this.#events.removeListener(event, listener)
  }
}
