import { Worker } from 'node:worker_threads'
import { StoreError } from '@steward/rest-core/errors'
import { toStoreError } from './errors.js'
import type { ReaderAnswer, ReaderData, ReaderRequest, ReaderStep } from './reader-protocol.js'

/** A request: it gets the answer, or why there is none. */
export interface ReaderTask {
  readonly step: ReaderStep
  answer(answer: Exclude<ReaderAnswer, { kind: 'failed' }>): void
  fail(error: StoreError): void
}

export interface ReaderThreadEvents {
  /** It has nothing to do. */
  onIdle(): void
  /** Called once when it has died, for whatever reason, after its task has failed. */
  onEnd(): void
}

// Node runs the source as it is, so tests need no build.
const script = new URL(import.meta.url.endsWith('.ts') ? './reader.worker.ts' : './reader.worker.js', import.meta.url)

/** One worker, which does one task at a time. It does not keep the process alive while it has none. */
export class ReaderThread {
  readonly #worker: Worker
  readonly #stop: Int32Array
  readonly #events: ReaderThreadEvents
  #task: ReaderTask | undefined
  #ended = false
  #ending = false
  readonly #exited: Promise<void>
  /** Searches that it has open. */
  readonly searches = new Set<number>()

  constructor(data: Omit<ReaderData, 'stop'>, events: ReaderThreadEvents) {
    const stop = new SharedArrayBuffer(4)
    this.#stop = new Int32Array(stop)
    this.#events = events
    const workerData: ReaderData = { ...data, stop }
    // Options of the process, such as loaders or the type of its input, are not meant for this thread.
    this.#worker = new Worker(script, { workerData, execArgv: [] })
    this.#worker.unref()
    let cause: unknown
    this.#worker.on('message', (answer: ReaderAnswer) => this.#receive(answer))
    this.#worker.on('error', (error) => (cause = error))
    this.#exited = new Promise((resolve) =>
      this.#worker.on('exit', (code) => {
        this.#ended = true
        this.#settle()?.fail(
          new StoreError('unavailable', `Cannot read: the reading thread ended with code ${code}. Try again.`, {
            cause,
          }),
        )
        events.onEnd()
        resolve()
      }),
    )
  }

  get isIdle(): boolean {
    return this.#task === undefined && !this.#ended
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  /** Only when it is idle, or has ended: then the task fails. */
  run(task: ReaderTask): void {
    if (this.#ended) return task.fail(new StoreError('unavailable', 'Cannot read on: the reading thread ended.'))
    this.#task = task
    Atomics.store(this.#stop, 0, 0)
    this.#worker.ref()
    this.tell(task.step)
  }

  /** Asks it to give up the task that it is at, which then fails: soon, or when SQLite comes to the next row. */
  stop(task: ReaderTask): void {
    if (this.#task === task) Atomics.store(this.#stop, 0, 1)
  }

  tell(request: ReaderRequest): void {
    if (!this.#ended) this.#worker.postMessage(request)
  }

  /**
   * Waits until SQLite lets go of the task, and the thread has ended. It is not terminated: the driver ends the whole
   * process when that happens while it is loaded or called.
   */
  async end(): Promise<void> {
    this.#ending = true
    const task = this.#task
    if (task) {
      task.fail(new StoreError('unavailable', 'Cannot read: the store was closed.'))
      this.stop(task)
    }
    this.tell({ kind: 'end' })
    if (!this.#ended) this.#worker.ref()
    await this.#exited
  }

  #receive(answer: ReaderAnswer): void {
    const task = this.#settle()
    if (!task) return
    if (!this.#ending) this.#worker.unref()
    if (answer.kind === 'failed') task.fail(toStoreError(answer.error, 'read'))
    else task.answer(answer)
    this.#events.onIdle()
  }

  #settle(): ReaderTask | undefined {
    const task = this.#task
    this.#task = undefined
    return task
  }
}
