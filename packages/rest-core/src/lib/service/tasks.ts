import { randomUUID } from 'node:crypto'
import { RestError } from '../../errors.js'
import type { Principal } from '../rights/rights.js'
import { Turns } from '../turns.js'
import type { ActionRequest, Task } from './business-objects.js'
import { timestamp } from '../fields/temporal.js'
import type { DurableTaskOptions, TaskJournal } from './task-journal.js'

/** Limits of background actions, which each process has for itself. */
export interface TaskOptions {
  /** Run at the same time; others wait for their turn. Default 4. */
  readonly maxRunning?: number
  /** How many tasks of one user may wait or run. Default 20. */
  readonly maxPerUser?: number
  /** Waiting, running and ended ones that are remembered; beyond it the oldest ended ones are forgotten. Default 1,000. */
  readonly maxKept?: number
  /** How long an ended one is remembered, in ms. Default 3,600,000 (an hour). */
  readonly keepMs?: number
  /**
   * The user with this id as of now, e.g. of a `UserDirectory`; `undefined` when the user is not active. An action starts with
   * the rights that its user has when its turn comes, and ends when the user is switched off. Default: it keeps the
   * rights of its call.
   */
  readonly principalOf?: ((userId: string) => Promise<Principal | undefined>) | undefined
  /** How often it is looked whether users of running actions are still active, in ms. Default 1,000. */
  readonly lookMs?: number
  /** How long `close` waits for them to end, in ms. Default 5,000. */
  readonly graceMs?: number
  /**
   * Keeps them in the database, in `BackgroundTask` of the system objects: all processes see and cancel them, and take over
   * those of a process that ended. Default: in memory, so that a restart forgets them.
   */
  readonly durable?: DurableTaskOptions | undefined
}

/** What a background action does and receives. */
export interface TaskRun {
  readonly object: string
  readonly action: string
  readonly principal: Principal
  /** What was asked for, to run it again. */
  readonly request: ActionRequest
  /** Another process may run it again when this one ends. */
  readonly isResumable: boolean
  run(control: TaskControl): Promise<unknown>
  /** What the failure is for the client. */
  explain(error: unknown): { readonly code: string; readonly message: string }
}

export interface TaskControl {
  readonly signal: AbortSignal
  progress(done: number, total?: number, text?: string): void
}

interface Entry {
  state: Task
  readonly work: TaskRun
  readonly abort: AbortController
  /** When it ended, in ms since the Unix epoch. */
  endedAt: number
}

/** Background actions of a service: those that wait, run, and ended lately. */
export class Tasks {
  readonly #maxRunning: number
  readonly #maxPerUser: number
  readonly #maxKept: number
  readonly #keepMs: number
  readonly #graceMs: number
  readonly #lookMs: number
  readonly #principalOf: TaskOptions['principalOf']
  readonly #onError: (error: unknown) => void
  readonly #clock: () => Date
  readonly #journal: TaskJournal | undefined
  /** In the order of their start. */
  readonly #entries = new Map<string, Entry>()
  readonly #waiting = new Turns<Entry>()
  readonly #running = new Map<Promise<void>, string>()
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined

  constructor({
    clock,
    maxRunning = 4,
    maxPerUser = 20,
    maxKept = 1000,
    keepMs = 3_600_000,
    graceMs = 5000,
    lookMs = 1000,
    principalOf,
    onError = () => {},
    journal,
  }: TaskOptions & {
    readonly clock: () => Date
    readonly onError?: (error: unknown) => void
    readonly journal?: TaskJournal | undefined
  }) {
    this.#lookMs = lookMs
    this.#principalOf = principalOf
    this.#onError = onError
    this.#clock = clock
    this.#maxRunning = maxRunning
    this.#maxPerUser = maxPerUser
    this.#maxKept = maxKept
    this.#keepMs = keepMs
    this.#graceMs = graceMs
    this.#journal = journal
  }

  /** Aborted when the service closes, by a RestError ERR_UNAVAILABLE. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Who the user of a task is now. @throws RestError ERR_RIGHT when the user is not active any longer. */
  async principalNow(principal: Principal): Promise<Principal> {
    if (!this.#principalOf || principal.userId === '') return principal
    const now = await this.#principalOf(principal.userId)
    if (now) return now
    throw new RestError('ERR_RIGHT', 'The user who started the action is no longer active.')
  }

  /** How many wait or run. */
  get open(): number {
    return [...this.#entries.values()].filter(({ state }) => state.ended === '').length
  }

  /** @throws RestError ERR_UNAVAILABLE when the service closes, ERR_TOO_MANY when too many wait and run. */
  async start(work: TaskRun): Promise<Task> {
    this.closing.throwIfAborted()
    const user = userOf(work)
    if (this.#waiting.countOf(user) + this.#runningOf(user) >= this.#maxPerUser)
      throw new RestError(
        'ERR_TOO_MANY',
        `${this.#maxPerUser} of your background actions wait or run already; try again when one has ended.`,
        { retryAfterSeconds: 10 },
      )
    this.#forget(this.#maxKept - 1)
    if (this.#entries.size >= this.#maxKept)
      throw new RestError('ERR_TOO_MANY', `${this.#maxKept} background actions are already waiting. Try again later.`, {
        retryAfterSeconds: 60,
      })
    const { object, action } = work
    const id = randomUUID()
    const entry = this.#enter(
      { id, object, action, status: 'running', done: 0, total: null, text: '', started: '', ended: '' },
      work,
    )
    try {
      await this.#journal?.begin(entry.state, work.principal, work.request)
    } catch (error) {
      this.#entries.delete(id)
      throw error
    }
    this.#wait(entry)
    return entry.state
  }

  /** Runs a task of a process that has ended. */
  adopt(task: Task, work: TaskRun): void {
    this.#wait(this.#enter(task, work))
  }

  /** Another process has the task: it must end here, and its result does not count. */
  lose(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    this.#waiting.delete(userOf(entry.work), entry)
    entry.abort.abort(new RestError('ERR_UNAVAILABLE', 'Another process runs the action.'))
  }

  /** `all`: also those of others. @throws RestError ERR_NOT_FOUND */
  async get(principal: Principal, id: string, all: boolean): Promise<Task> {
    return this.#own(principal, id, all)?.state ?? this.#elsewhere(principal, id, all)
  }

  /**
   * One that waits is cancelled at once; one that runs is asked to stop by its signal, and its state shows when it did.
   *
   * @throws RestError ERR_NOT_FOUND
   */
  async cancel(principal: Principal, id: string, all: boolean): Promise<Task> {
    const entry = this.#own(principal, id, all)
    if (entry) return this.#cancel(entry)
    const task = await this.#elsewhere(principal, id, all)
    await this.#journal?.askToStop(id)
    return task
  }

  /** One of this process, by order of another one. */
  cancelOwn(id: string): void {
    const entry = this.#entries.get(id)
    if (entry) this.#cancel(entry)
  }

  #cancel(entry: Entry): Task {
    if (entry.state.ended === '') entry.abort.abort(cancelled())
    if (this.#waiting.delete(userOf(entry.work), entry)) this.#end(entry, { status: 'cancelled' })
    return entry.state
  }

  /** Aborts what waits and runs, and waits a moment for it to end. May be called twice. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    const reason = new RestError('ERR_UNAVAILABLE', 'The server is stopping.', { retryAfterSeconds: 10 })
    this.#closing.abort(reason)
    for (const entry of this.#waiting.clear()) this.#end(entry, { status: 'cancelled' })
    for (const { abort, state } of this.#entries.values()) if (state.ended === '') abort.abort(reason)
    let timer: NodeJS.Timeout | undefined
    const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.#graceMs)))
    await Promise.race([Promise.all(this.#running.keys()), grace])
    clearTimeout(timer)
    await this.#journal?.close()
  }

  #enter(state: Task, work: TaskRun): Entry {
    const entry: Entry = { state, work, abort: new AbortController(), endedAt: 0 }
    this.#entries.set(state.id, entry)
    return entry
  }

  #wait(entry: Entry): void {
    if (this.closing.aborted) return this.#end(entry, { status: 'cancelled' })
    this.#waiting.add(userOf(entry.work), entry)
    this.#next()
  }

  #own(principal: Principal, id: string, all: boolean): Entry | undefined {
    this.#forget(this.#maxKept)
    const entry = this.#entries.get(id)
    if (entry && !(all || isSame(entry.work.principal, principal))) throw noTask(id)
    return entry
  }

  /** A task that another process runs, or ran. */
  async #elsewhere(principal: Principal, id: string, all: boolean): Promise<Task> {
    const found = await this.#journal?.find(id)
    if (!found || !(all || isSame(found, principal))) throw noTask(id)
    return found.task
  }

  /** Users take turns, and of two places or more one user never has all. */
  #next(): void {
    const most = Math.max(1, this.#maxRunning - 1)
    while (this.#running.size < this.#maxRunning) {
      const entry = this.#waiting.take((_, user) => this.#runningOf(user) < most)
      if (!entry) return
      const running = this.#run(entry).finally(() => {
        this.#running.delete(running)
        this.#next()
      })
      this.#running.set(running, userOf(entry.work))
    }
  }

  #runningOf(user: string): number {
    let count = 0
    for (const other of this.#running.values()) if (other === user) count++
    return count
  }

  async #run(entry: Entry): Promise<void> {
    const { work, abort } = entry
    if (this.#journal?.owns(entry.state.id) === false) return this.lose(entry.state.id)
    entry.state = { ...entry.state, started: timestamp(this.#clock()) }
    this.#note(entry)
    const looking = setInterval(() => void this.#look(entry), this.#lookMs).unref()
    try {
      const result = await work.run({
        signal: abort.signal,
        progress: (done, total, text) => {
          if (entry.state.ended !== '') return
          entry.state = { ...entry.state, done, total: total ?? null, text: text ?? entry.state.text }
          this.#note(entry)
        },
      })
      this.#end(entry, { status: 'done', result })
    } catch (error) {
      this.#end(
        entry,
        abort.signal.aborted ? { status: 'cancelled' } : { status: 'failed', error: work.explain(error) },
      )
    } finally {
      clearInterval(looking)
    }
  }

  /** Ends a running task whose user was switched off; a failure to look proves nothing. */
  async #look({ work, abort }: Entry): Promise<void> {
    try {
      await this.principalNow(work.principal)
    } catch (error) {
      if (RestError.is(error) && error.code === 'ERR_RIGHT') abort.abort(error)
      else this.#onError(error)
    }
  }

  #end(entry: Entry, state: Pick<Task, 'status' | 'result' | 'error'>): void {
    const now = this.#clock()
    entry.state = { ...entry.state, ...state, ended: timestamp(now) }
    entry.endedAt = now.getTime()
    // What this server does not end because it stops, another process does.
    const { aborted, reason } = entry.abort.signal
    const isStopped = this.closing.aborted && (!aborted || reason === this.closing.reason)
    const isLeft = state.status === 'cancelled' && isStopped && entry.work.isResumable
    if (!isLeft) this.#note(entry)
  }

  /** Ignores a run that was lost: this process may be running the same task again. */
  #note(entry: Entry): void {
    if (this.#entries.get(entry.state.id) === entry) this.#journal?.note(entry.state)
  }

  /** Forgets ended ones: those that are too old, and the oldest while there are more than `most` in all. */
  #forget(most: number): void {
    const oldest = this.#clock().getTime() - this.#keepMs
    for (const [id, { state, endedAt }] of this.#entries) {
      if (state.ended !== '' && (endedAt < oldest || this.#entries.size > most)) this.#entries.delete(id)
    }
  }
}

function userOf({ principal: { userId, login } }: TaskRun): string {
  return userId || login
}

function isSame(one: Pick<Principal, 'userId' | 'login'>, other: Principal): boolean {
  return one.userId === other.userId && one.login === other.login
}

function noTask(id: string): RestError {
  return RestError.notFound(`Task "${id.slice(0, 100)}"`)
}

function cancelled(): RestError {
  return new RestError('ERR_BAD_REQUEST', 'The action was cancelled.')
}
