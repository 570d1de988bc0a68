import { randomUUID } from 'node:crypto'
import { createHold, type Hold } from '../events/hold.js'
import { createLease } from '../events/lease.js'
import { clockToleranceMs, purgeRows } from '../events/purge.js'
import { timestamp } from '../fields/temporal.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, Model, ObjectModel } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectStore } from '../store.js'
import type { ActionRequest, Task } from './business-objects.js'

/** Background actions in the database, for all processes to see. */
export interface DurableTaskOptions {
  /** How often progress is written, and orders to stop and ended processes are looked for, in ms. Default 1,000. */
  readonly everyMs?: number
  /** A process that shows no sign of life for this long loses its tasks, in ms. Default 6,000. */
  readonly leaseMs?: number
}

export interface TaskJournalOptions extends DurableTaskOptions {
  /** The user who started a task; `undefined` when the user is not active. */
  readonly principalOf: (userId: string) => Promise<Principal | undefined>
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  readonly clock: () => Date
  /** How long ended tasks are kept, in ms. */
  readonly keepMs: number
  readonly onError: (error: unknown) => void
}

/** What a process has to do with what it reads in the journal. */
export interface TaskJournalListener {
  /** Tasks of this process that were to stop. */
  cancel(id: string): void
  /** A task of this process that belongs to another one now: this one showed no sign of life for too long. */
  lose(id: string): void
  /** A task of a process that has ended: runs it again, or says why not. */
  adopt(task: Task, request: ActionRequest, principal: Principal | undefined): Promise<Pick<Task, 'error'> | undefined>
}

export interface StoredTask {
  readonly task: Task
  readonly userId: string
  readonly login: string
}

const purgeEveryMs = 600_000

/** The rows of background tasks, each owned by the process that runs it. */
export class TaskJournal {
  readonly #options: TaskJournalOptions
  readonly #object: ObjectModel
  readonly #everyMs: number
  /** What is to be written: the last state of each task. */
  readonly #unwritten = new Map<string, Task>()
  /** Other processes that have tasks, to see whether they live. */
  readonly #others = new Map<string, Hold>()
  /** Tasks of this process that have not ended. */
  readonly #mine = new Set<string>()
  /** Who looks after tasks of processes that have ended. */
  readonly #heir = randomUUID()
  #own: { readonly id: string; readonly hold: Hold } | undefined
  #claiming: Promise<string> | undefined
  #listener: TaskJournalListener | undefined
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #purgedAt = -Infinity
  #closed = false
  #failing = false

  constructor(options: TaskJournalOptions) {
    this.#options = options
    this.#object = options.model.object('BackgroundTask')
    this.#everyMs = options.everyMs ?? 1000
  }

  /** Looks again and again from now on. */
  follow(listener: TaskJournalListener): void {
    this.#listener = listener
    this.#timer = setInterval(() => void this.#look(), this.#everyMs)
    this.#timer.unref()
  }

  /** Writes a new task down, before it runs. Rejects when the database does not answer. */
  async begin(task: Task, principal: Principal, request: ActionRequest): Promise<void> {
    const owner = await this.#ownerId()
    const row = {
      tsk_id: task.id,
      tsk_object: task.object,
      tsk_action: task.action,
      tsk_login: principal.login,
      tsk_user: principal.userId,
      tsk_status: 'running',
      tsk_created: timestamp(this.#options.clock()),
      tsk_state: JSON.stringify(task),
      tsk_request: JSON.stringify(request),
      tsk_cancel: false,
      tsk_owner: owner,
    }
    // Before the row is there: a look must not take it for one that was left.
    this.#mine.add(task.id)
    try {
      await this.#options.store.insert(this.#object, row, this.#object.select([]))
    } catch (error) {
      this.#mine.delete(task.id)
      throw error
    }
  }

  /** Whether this process still runs a task that it started or adopted. */
  owns(id: string): boolean {
    return this.#mine.has(id) && (this.#own?.hold.isHeld() ?? false)
  }

  /** Notes how far a task of this process is, or how it ended. */
  note(task: Task): void {
    if (!this.#mine.has(task.id) || this.#closed) return
    this.#unwritten.set(task.id, task)
    // Others see an end soon, and progress with the next look.
    if (task.ended !== '') void this.#look()
  }

  async find(id: string): Promise<StoredTask | undefined> {
    const row = await this.#row(id)
    return row && stored(row)
  }

  /** Asks the process that runs it to stop it. */
  async askToStop(id: string): Promise<void> {
    const row = await this.#row(id)
    if (row?.['tsk_status'] === 'running') await this.#update(row.row_id, { tsk_cancel: true }, running)
  }

  /** Writes what is left; tasks that have not ended by then are for other processes. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closed = true
    await this.#looking
    await this.#claiming?.catch(() => {})
    await this.#write().catch(this.#options.onError)
    await this.#own?.hold.release().catch(this.#options.onError)
  }

  /** Never rejects. */
  #look(): Promise<void> {
    return (this.#looking ??= this.#lookOnce()
      .then(
        () => (this.#failing = false),
        (error: unknown) => {
          if (!this.#failing) this.#options.onError(error)
          this.#failing = true
        },
      )
      .then(() => (this.#looking = undefined)))
  }

  async #lookOnce(): Promise<void> {
    if (this.#own && !this.#own.hold.isHeld()) this.#loseAll()
    await this.#write()
    await this.#readOrders()
    await this.#purge()
    await this.#takeOver()
  }

  /** What was paused for too long must not continue: another process has its tasks, or gets them now. */
  #loseAll(): void {
    this.#own?.hold.release().catch(this.#options.onError)
    this.#own = undefined
    for (const id of this.#mine) this.#lose(id)
  }

  #lose(id: string): void {
    this.#mine.delete(id)
    this.#unwritten.delete(id)
    this.#listener?.lose(id)
  }

  /**
   * Id of the claim by which other processes see that this one lives. Calls at the same time share it: a second claim would
   * be renewed as well, and keep its tasks from everyone else.
   */
  #ownerId(): Promise<string> {
    return (this.#claiming ??= this.#claim().finally(() => (this.#claiming = undefined)))
  }

  async #claim(): Promise<string> {
    if (this.#own?.hold.isHeld()) return this.#own.id
    this.#loseAll()
    const id = randomUUID()
    const hold = this.#holdOf(id, id)
    await hold.take()
    this.#own = { id, hold }
    // Immediately, also while the database keeps a look waiting.
    hold.lost.addEventListener('abort', () => this.#own?.hold === hold && this.#loseAll())
    return id
  }

  #holdOf(process: string, by: string): Hold {
    const { model, store, leaseMs = 6000 } = this.#options
    return createHold({ lease: createLease({ model, store, name: leaseName(process) }), owner: by, leaseMs })
  }

  async #write(): Promise<void> {
    const owner = this.#own?.id
    for (const [id, task] of this.#unwritten) {
      const row = await this.#row(id)
      const hasEnded = task.ended !== ''
      const values = {
        tsk_status: task.status,
        tsk_state: JSON.stringify(task),
        ...(hasEnded && { tsk_expires: Date.now() + this.#options.keepMs }),
      }
      if (!row || owner === undefined || !(await this.#update(row.row_id, values, ownedBy(owner)))) {
        this.#lose(id)
        continue
      }
      if (this.#unwritten.get(id) === task) this.#unwritten.delete(id)
      if (hasEnded) this.#mine.delete(id)
    }
  }

  async #readOrders(): Promise<void> {
    if (this.#mine.size === 0 || !this.#own) return
    const asked: Filter = { op: '=', field: 'tsk_cancel', value: true }
    for (const row of await this.#search({ op: 'and', terms: [ownedBy(this.#own.id), asked] }))
      this.#listener?.cancel(row['tsk_id'] as string)
  }

  /** What fails is tried again by the next look; the rest does not wait for it. */
  async #takeOver(): Promise<void> {
    const failures: unknown[] = []
    const adopt = (row: BusinessRecord, from: string, by: string): Promise<unknown> =>
      this.#adopt(row, from, by).catch((error: unknown) => failures.push(error))
    const owners = new Map<string, BusinessRecord[]>()
    for (const row of await this.#search(running)) {
      const owner = row['tsk_owner'] as string
      if (owner !== this.#own?.id) owners.set(owner, [...(owners.get(owner) ?? []), row])
      // Taken by this process, but the database failed before it ran.
      else if (!this.#mine.has(row['tsk_id'] as string)) await adopt(row, owner, owner)
    }
    for (const owner of this.#others.keys()) if (!owners.has(owner)) this.#others.delete(owner)
    for (const [owner, rows] of owners) {
      const hold = this.#others.get(owner) ?? this.#holdOf(owner, this.#heir)
      this.#others.set(owner, hold)
      if (!(await hold.take())) continue
      try {
        const by = await this.#ownerId()
        for (const row of rows) await adopt(row, owner, by)
      } finally {
        await hold.release()
      }
      this.#others.delete(owner)
      await this.#deleteLease(owner)
    }
    if (failures.length > 0) throw failures[0]
  }

  async #adopt(row: BusinessRecord, from: string, by: string): Promise<void> {
    if (!(await this.#update(row.row_id, { tsk_owner: by }, ownedBy(from)))) return
    const { task, userId } = stored(row)
    const principal = userId === '' ? undefined : await this.#options.principalOf(userId)
    this.#mine.add(task.id)
    if (row['tsk_cancel'] === true) return this.note({ ...task, status: 'cancelled', ended: this.#now() })
    const request = JSON.parse(row['tsk_request'] as string) as ActionRequest
    const refused = await this.#listener?.adopt({ ...task, started: '' }, request, principal)
    if (refused) this.note({ ...task, ...refused, status: 'failed', ended: this.#now() })
  }

  #now(): string {
    return timestamp(this.#options.clock())
  }

  async #deleteLease(process: string): Promise<void> {
    const { model, store } = this.#options
    const lease = model.object('Lease')
    const where: Filter = { op: '=', field: 'lse_name', value: leaseName(process) }
    for await (const rows of store.search(lease, { select: lease.select([]), where, order: lease.order }))
      for (const { row_id: id } of rows) await store.delete(lease, id)
  }

  async #purge(): Promise<void> {
    if (performance.now() - this.#purgedAt < purgeEveryMs) return
    this.#purgedAt = performance.now()
    const value = Date.now() - clockToleranceMs
    await purgeRows(this.#options.store, this.#object, { op: '<', field: 'tsk_expires', value })
  }

  async #row(id: string): Promise<BusinessRecord | undefined> {
    return (await this.#search({ op: '=', field: 'tsk_id', value: id }))[0]
  }

  async #search(where: Filter): Promise<BusinessRecord[]> {
    const object = this.#object
    const select = object.select(object.fields.map(({ name }) => name))
    const found: BusinessRecord[] = []
    for await (const rows of this.#options.store.search(object, { select, where, order: object.order, limit: 500 }))
      found.push(...rows)
    return found
  }

  async #update(rowId: string, values: Readonly<Record<string, string | number | boolean>>, where: Filter) {
    const select = this.#object.select([])
    return (await this.#options.store.update(this.#object, rowId, values, { select, where })) !== undefined
  }
}

const running: Filter = { op: '=', field: 'tsk_status', value: 'running' }

/** Who lost a task must not write its end. */
function ownedBy(owner: string): Filter {
  return { op: 'and', terms: [{ op: '=', field: 'tsk_owner', value: owner }, running] }
}

function leaseName(process: string): string {
  return `tasks:${process}`
}

function stored(row: BusinessRecord): StoredTask {
  return {
    task: JSON.parse(row['tsk_state'] as string) as Task,
    userId: row['tsk_user'] as string,
    login: row['tsk_login'] as string,
  }
}
