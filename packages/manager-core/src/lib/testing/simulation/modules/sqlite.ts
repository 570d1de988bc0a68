// Stands in for `node:sqlite`: real databases in real files, whose changes the simulated machine counts. Locks are its own.
import type { DatabaseSync as RealDatabase, DatabaseSyncOptions, StatementSync } from 'node:sqlite'
import { act, current, look, machine, type SimulatedProcess } from '../machine.js'

const { DatabaseSync: Real, constants } = globalThis.process.getBuiltinModule('node:sqlite')
export { constants }

/** Connections to registries that were closed: opening one takes longer than most commands need. */
const closed: { readonly path: string; readonly connection: RealDatabase }[] = []
const statements = new WeakMap<RealDatabase, Map<string, StatementSync>>()

/** Before a home is replaced. */
export function closeConnections(): void {
  for (const { connection } of closed.splice(0)) connection.close()
}

const isRegistry = (path: string) => path.endsWith('/manager.db')
const isLock = (path: string) => path.includes('/locks/')

function failure(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode, errstr: message })
}

export class DatabaseSync {
  readonly #path: string
  readonly #process: SimulatedProcess | undefined
  readonly #die: () => void
  #connection: RealDatabase | undefined
  #isOpen = true

  constructor(path: string, options: DatabaseSyncOptions = {}) {
    look(() => undefined)
    this.#path = path
    this.#process = current()
    if (!isLock(path)) this.#connection = this.#connect(options)
    // The kernel gives back its locks, and what was not committed never was.
    this.#die = () => {
      this.#isOpen = false
      machine.locks.delete(path)
      this.#connection?.close()
    }
    this.#process?.held.add(this.#die)
  }

  #connect(options: DatabaseSyncOptions): RealDatabase {
    const at = isRegistry(this.#path) ? closed.findIndex(({ path }) => path === this.#path) : -1
    const [found] = at < 0 ? [] : closed.splice(at, 1)
    // Nobody waits for another one's lock: all are in one process, and would wait for ever.
    return found?.connection ?? new Real(this.#path, { ...options, timeout: 0 })
  }

  get #real(): RealDatabase {
    if (!this.#connection) throw failure('no database', 1)
    return this.#connection
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get isTransaction(): boolean {
    return this.#real.isTransaction
  }

  exec(sql: string): void {
    if (isLock(this.#path)) return look(() => this.#lock())
    // The simulated machine itself never fails: nothing need be brought to its disk.
    const work = () => this.#real.exec(sql.replace('synchronous = full', 'synchronous = off'))
    if (/^\s*(pragma|begin|select|rollback|$)/i.test(sql)) return look(work)
    act(`sql ${sql.slice(0, 60)}`, () => {
      this.#takeRoom()
      work()
    })
  }

  #lock(): void {
    const owner = machine.locks.get(this.#path)
    if (owner !== undefined && owner !== this) throw failure('database is locked', 5)
    machine.locks.set(this.#path, this)
  }

  prepare(sql: string): StatementSync {
    const statement = look(() => this.#statement(sql))
    return new Proxy(statement, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const call = (...args: unknown[]): unknown => (value as (...args: unknown[]) => unknown).apply(target, args)
        if (name !== 'run') return (...args: unknown[]) => look(() => call(...args))
        return (...args: unknown[]) =>
          act(`sql ${sql.slice(0, 60)}`, () => {
            this.#takeRoom()
            return call(...args)
          })
      },
    })
  }

  #statement(sql: string): StatementSync {
    const known = statements.get(this.#real) ?? new Map<string, StatementSync>()
    statements.set(this.#real, known)
    const statement = known.get(sql) ?? this.#real.prepare(sql)
    statement.setReturnArrays(false)
    known.set(sql, statement)
    return statement
  }

  close(): void {
    look(() => undefined)
    this.#isOpen = false
    this.#process?.held.delete(this.#die)
    if (machine.locks.get(this.#path) === this) machine.locks.delete(this.#path)
    const connection = this.#connection
    if (!connection) return
    if (isRegistry(this.#path) && !connection.isTransaction) closed.push({ path: this.#path, connection })
    else connection.close()
  }

  #takeRoom(): void {
    const { state } = machine
    if (!current() || !state.isDiskFull || state.room-- > 0) return
    // SQLite rolls back by itself then.
    if (this.isTransaction) this.#real.exec('rollback')
    throw failure('database or disk is full', 13)
  }
}
