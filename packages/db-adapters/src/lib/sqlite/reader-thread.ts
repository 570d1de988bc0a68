import { Worker } from 'node:worker_threads'
import { StoreError } from '@steward/rest-core/errors'
import { toStoreError } from './errors.js'
import type { ReaderAnswer, ReaderData, ReaderRequest } from './reader-protocol.js'

/** Who asked: is told each answer, or once that there will be no more. */
export interface ReaderJob {
  answer(answer: Exclude<ReaderAnswer, { kind: 'failed' }>): void
  fail(error: StoreError): void
}

// Node runs the source as it is, so tests need no build.
const script = new URL(import.meta.url.endsWith('.ts') ? './reader.worker.ts' : './reader.worker.js', import.meta.url)

let jobs = 0

/** One worker and the jobs it has. It does not keep the process alive while it has none. */
export class ReaderThread {
  readonly #worker: Worker
  readonly #jobs = new Map<number, ReaderJob>()

  /** @param onEnd is called once, when the thread has died for whatever reason; its jobs have failed by then. */
  constructor(data: ReaderData, onEnd: () => void) {
    // Options of the process, such as loaders or the type of its input, are not meant for this thread.
    this.#worker = new Worker(script, { workerData: data, execArgv: [] })
    this.#worker.unref()
    let cause: unknown
    this.#worker.on('message', (answer: ReaderAnswer) => this.#receive(answer))
    this.#worker.on('error', (error) => (cause = error))
    this.#worker.on('exit', (code) => {
      onEnd()
      this.#failAll(
        new StoreError('unavailable', `Cannot read: the reading thread ended with code ${code}. Try again.`, { cause }),
      )
    })
  }

  /** Jobs that it works on. */
  get load(): number {
    return this.#jobs.size
  }

  /** Starts a job and gives its number. */
  start(job: ReaderJob, kind: 'count' | 'search', sql: string, values: readonly unknown[]): number {
    const number = ++jobs
    this.#jobs.set(number, job)
    this.#worker.ref()
    this.ask({ kind, job: number, sql, values })
    return number
  }

  ask(request: ReaderRequest): void {
    this.#worker.postMessage(request)
  }

  /** Forgets the job, wherever it is. */
  cancel(number: number): void {
    if (!this.#jobs.has(number)) return
    this.#forget(number)
    this.ask({ kind: 'cancel', job: number })
  }

  async end(): Promise<void> {
    this.#failAll(new StoreError('unavailable', 'Cannot read: the store was closed.'))
    await this.#worker.terminate()
  }

  #receive(answer: ReaderAnswer): void {
    const job = this.#jobs.get(answer.job)
    if (!job) return // Cancelled while the answer was on its way.
    if (answer.kind !== 'rows' || answer.last) this.#forget(answer.job)
    if (answer.kind === 'failed') job.fail(toStoreError(answer.error, 'read'))
    else job.answer(answer)
  }

  #forget(number: number): void {
    this.#jobs.delete(number)
    if (this.#jobs.size === 0) this.#worker.unref()
  }

  #failAll(error: StoreError): void {
    const failed = [...this.#jobs.values()]
    this.#jobs.clear()
    for (const job of failed) job.fail(error)
  }
}
