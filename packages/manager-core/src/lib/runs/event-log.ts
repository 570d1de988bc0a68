import { closeSync, openSync, writeSync } from 'node:fs'
import type { OperationEvent } from '../domain/caller.js'
import { afterEvent, notBegun, type Progressed } from './progress.js'
import type { RunEvent } from './run.js'

/** Between two entries with the progress of the same step, in ms. */
const progressMs = 250

/** Writes what happens into a file, for those who look. On a full disk it is done without. */
export class EventLog {
  readonly #file: number | undefined
  readonly #clock: () => Date
  #progressed = notBegun
  #progressAt = Number.NEGATIVE_INFINITY
  #progressOf = ''

  constructor(file: string, clock: () => Date) {
    this.#clock = clock
    try {
      this.#file = openSync(file, 'a', 0o600)
    } catch {
      this.#file = undefined
    }
  }

  get progressed(): Progressed {
    return this.#progressed
  }

  add(event: OperationEvent): void {
    const line: RunEvent = { at: this.#clock().toISOString(), ...event }
    this.#progressed = afterEvent(this.#progressed, line)
    if (event.type === 'progress') {
      const now = performance.now()
      if (event.step === this.#progressOf && now - this.#progressAt < progressMs) return
      this.#progressAt = now
      this.#progressOf = event.step
    }
    try {
      if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(line)}\n`)
    } catch {
      // Its result says how it ended.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }
}
