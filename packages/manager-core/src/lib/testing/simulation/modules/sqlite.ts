// Stands in for `node:sqlite`: real databases, whose changes the simulated machine counts. Locks are its own. The registry
// is a real file, whose place on the simulated disk is taken by one that says no more than that it is there.
import type { DatabaseSync as RealDatabase, DatabaseSyncOptions, StatementSync } from 'node:sqlite'
import { contentOf, existsSync as isOnDisk, writeFileSync as writeToDisk } from '../files.js'
import { act, current, look, machine, type SimulatedProcess } from '../machine.js'

const { DatabaseSync: Real, constants } = globalThis.process.getBuiltinModule('node:sqlite')
const fs = globalThis.process.getBuiltinModule('node:fs')
const os = globalThis.process.getBuiltinModule('node:os')
export { constants }

/**
 * One connection to each registry, for all processes: to open another takes longer than most commands need. A transaction
 * lasts one turn of the loop, so that two of them never meet.
 */
interface Shared {
  readonly connection: RealDatabase
  readonly statements: Map<string, StatementSync>
  /** What was set already. */
  readonly pragmas: Set<string>
  /** Whose transaction is open. */
  owner: object | undefined
}

const shared = new Map<string, Shared>()

/** The real folder of registries, in memory where there is such a file system. */
let folder: string | undefined

function realPath(path: string): string {
  folder ??= fs.mkdtempSync(`${fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()}/steward-simulation-`)
  return `${folder}/${path.replaceAll('/', '_')}`
}

export function sharedRegistry(path: string): Shared {
  const known = shared.get(path)
  if (known) return known
  const connection = new Real(realPath(path), { timeout: 0 })
  // Nothing is lost when this process ends: it is one machine, whose disk never fails by itself.
  connection.exec('pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = on')
  lockAlone(connection)
  writeToDisk(path, 'a registry', { mode: 0o600 })
  const made: Shared = { connection, statements: new Map(), pragmas: new Set(), owner: undefined }
  shared.set(path, made)
  return made
}

/** Prepared once. */
export function sharedStatement({ connection, statements }: Shared, sql: string): StatementSync {
  const statement = statements.get(sql) ?? connection.prepare(sql)
  statements.set(sql, statement)
  return statement
}

let replaced = 0

/** Keeps the registry as it is now, by a name. */
export function keepRegistry(path: string, name: string): void {
  fs.copyFileSync(realPath(path), realPath(name))
}

/**
 * The file of a registry gets the content that was kept, and its connection sees it: by the counter of changes in the
 * header (see "File change counter" of the format of SQLite), which no content before has had.
 */
export function bringBackRegistry(path: string, name: string): void {
  const { connection } = sharedRegistry(path)
  // What reads once in that mode gives up the lock.
  connection.exec('pragma locking_mode = normal; select 1 from sqlite_schema')
  fs.copyFileSync(realPath(name), realPath(path))
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE((++replaced * 65_536) >>> 0)
  const file = fs.openSync(realPath(path), 'r+')
  for (const at of [24, 92]) fs.writeSync(file, counter, 0, 4, at)
  fs.closeSync(file)
  lockAlone(connection)
}

/** Only a copy of the registry reads it by a connection of its own. */
function lockAlone(connection: RealDatabase): void {
  if (!machine.state.keepsCopies) connection.exec('pragma locking_mode = exclusive')
}

export function removeRegistries(): void {
  for (const { connection } of shared.values()) connection.close()
  shared.clear()
  if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true })
  folder = undefined
}

const isRegistry = (path: string) => path.endsWith('/manager.db')
const isLock = (path: string) => path.includes('/locks/')

function failure(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode, errstr: message })
}

/** In memory; what is committed is written to the simulated disk. */
function ownDatabase(path: string, options: DatabaseSyncOptions): RealDatabase {
  const own = new Real(':memory:', { ...options, readOnly: false, timeout: 0 })
  const content = isOnDisk(path) ? contentOf(path) : undefined
  if (content && content.length > 0) own.deserialize(content)
  return own
}

export class DatabaseSync {
  readonly #path: string
  readonly #process: SimulatedProcess | undefined
  readonly #die: () => void
  readonly #shared: Shared | undefined
  readonly #own: RealDatabase | undefined
  #isOpen = true

  constructor(path: string, options: DatabaseSyncOptions = {}) {
    look(() => undefined)
    this.#path = path
    this.#process = current()
    if (isRegistry(path)) this.#shared = sharedRegistry(path)
    // No program waits for another one's lock: all are in one process, and would wait for ever.
    else if (!isLock(path)) this.#own = ownDatabase(path, options)
    // The kernel gives back its locks, and what was not committed never was.
    this.#die = () => {
      this.#isOpen = false
      machine.locks.delete(path)
      this.#endTransaction()
      this.#own?.close()
    }
    this.#process?.held.add(this.#die)
  }

  get #real(): RealDatabase {
    const connection = this.#shared?.connection ?? this.#own
    if (!connection) throw failure('no database', 1)
    if (this.#shared?.owner && this.#shared.owner !== this) throw failure('database is locked', 5)
    return connection
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get isTransaction(): boolean {
    return this.#real.isTransaction
  }

  #endTransaction(): void {
    if (this.#shared?.owner !== this) return
    if (this.#shared.connection.isTransaction) this.#shared.connection.exec('rollback')
    this.#shared.owner = undefined
  }

  exec(sql: string): void {
    if (isLock(this.#path)) return look(() => this.#lock())
    if (this.#shared && /^\s*(pragma|$)/i.test(sql)) return look(() => this.#set(sql))
    const work = () => {
      this.#real.exec(sql)
      if (this.#shared) this.#shared.owner = this.#shared.connection.isTransaction ? this : undefined
      else this.#save()
    }
    if (/^\s*(pragma|begin|select|rollback|$)/i.test(sql)) return look(work)
    act(`sql ${sql.slice(0, 60)}`, () => {
      this.#takeRoom()
      work()
    })
  }

  /** How it is journalled is the simulated machine's own matter. */
  #set(sql: string): void {
    const { connection, pragmas } = this.#shared as Shared
    if (/journal_mode|synchronous|locking_mode/.test(sql) || pragmas.has(sql)) return
    connection.exec(sql)
    pragmas.add(sql)
  }

  #save(): void {
    if (this.#own && !this.#own.isTransaction) writeToDisk(this.#path, this.#own.serialize())
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
            const [first, ...rest] = args
            const done = call(...(sql.startsWith('attach ') ? [realPath(String(first)), ...rest] : args))
            this.#save()
            return done
          })
      },
    })
  }

  #statement(sql: string): StatementSync {
    const connection = this.#real
    if (!this.#shared) return connection.prepare(sql)
    const statement = sharedStatement(this.#shared, sql.replace('pragma locking_mode', `select '' as locking_mode`))
    statement.setReturnArrays(false)
    return statement
  }

  close(): void {
    look(() => undefined)
    this.#isOpen = false
    this.#process?.held.delete(this.#die)
    if (machine.locks.get(this.#path) === this) machine.locks.delete(this.#path)
    this.#endTransaction()
    this.#own?.close()
  }

  #takeRoom(): void {
    const { state } = machine
    if (!current() || !state.isDiskFull || state.room-- > 0) return
    // SQLite rolls back by itself then.
    if (this.#shared) this.#endTransaction()
    else if (this.isTransaction) this.#real.exec('rollback')
    throw failure('database or disk is full', 13)
  }
}
