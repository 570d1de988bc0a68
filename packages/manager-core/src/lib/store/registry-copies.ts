import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { removeTreeSync } from '../accounts/remove-tree.js'
import { failureOf } from '../system/failure.js'
import { identify } from '../system/process-identity.js'
import { migrate, tablesOf } from './migrations.js'
import { isAlone } from './registry.js'
import { freeBytes } from './reserve.js'
import { sqlite, type Queryable } from './sqlite.js'

/** A copy of the registry beside it. */
export interface RegistryCopy {
  /** Absolute. */
  readonly file: string
  /** How many changes the registry had seen: the copy with more of them is the newer one. */
  readonly changes: number
  /** When it was made, ISO 8601. */
  readonly at: string
}

/** Copies of the registry in the home's `registry/`: of each of its last changes, and of the last days. */
export interface RegistryCopies {
  /** Newest first. Whether they are whole is not looked at. */
  list(): readonly RegistryCopy[]
  /**
   * Makes one when an instance, version, token or request has changed since the newest, or that is a day old; removes
   * those that are no longer kept. Cheap when nothing has changed.
   *
   * @returns why none could be made; undefined: there is a current one
   */
  keep(): string | undefined
}

export interface RegistryCopiesOptions {
  /** Where the copies are. */
  readonly folder: string
  /** The registry. */
  readonly file: string
  /** Open on it. */
  readonly registry: () => Queryable
  readonly clock: () => Date
}

const dayMs = 24 * 60 * 60 * 1000

/** Not specified; chosen. */
const [mostLast, mostDays] = [5, 7]

export function createRegistryCopies({ folder, file, registry, clock }: RegistryCopiesOptions): RegistryCopies {
  const list = () => listCopies(folder)
  return {
    list,
    keep() {
      try {
        const [newest] = list()
        const changes = changesOf(registry()[sqlite])
        const age = newest ? clock().getTime() - Date.parse(newest.at) : Infinity
        if (newest?.changes === changes && age < dayMs) return undefined
        // On a full disk it was opened for this process alone; the next command copies it.
        if (isAlone(registry())) return undefined
        if (freeBytes(dirname(file)) < 2 * statSync(file).size)
          return `The registry is not copied to ${folder}: the disk is full.`
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        removeWorkOfDead(folder)
        const part = join(folder, `.work-${process.pid}-registry`)
        try {
          const made = copyRegistry(file, part)
          renameSync(part, join(folder, nameOf(clock(), made)))
        } finally {
          rmSync(part, { force: true })
        }
        sync(folder)
        const copies = list()
        const kept = new Set(keptOf(copies))
        for (const copy of copies) if (!kept.has(copy)) rmSync(copy.file, { force: true })
        return undefined
      } catch (error) {
        return `The registry could not be copied to ${folder}: ${failureOf(error).message}`
      }
    },
  }
}

/** What processes that were killed had at work beside the copies; it may hold secrets. */
export function removeWorkOfDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^\.work-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && identify(Number(pid)) === undefined) removeTreeSync(join(folder, name))
  }
}

/** Newest first. */
export function listCopies(folder: string): readonly RegistryCopy[] {
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return names
    .flatMap((name): RegistryCopy[] => {
      const [, changes, ...at] = /^(\d{9,})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/.exec(name) ?? []
      if (changes === undefined) return []
      const [year, month, day, hours, minutes, seconds] = at
      const time = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.000Z`
      return [{ file: join(folder, name), changes: Number(changes), at: time }]
    })
    .toSorted((a, b) => b.changes - a.changes || b.at.localeCompare(a.at))
}

/** The newest ones, and the newest of each of the last days. @param copies newest first */
export function keptOf<Copy extends { readonly at: string }>(copies: readonly Copy[]): readonly Copy[] {
  const ofDays = new Map<string, Copy>()
  for (const copy of copies) {
    const day = copy.at.slice(0, 10)
    if (!ofDays.has(day) && ofDays.size < mostDays) ofDays.set(day, copy)
  }
  return [...copies.slice(0, mostLast), ...ofDays.values()]
}

/** `000000042-20261122T193000Z.db` */
function nameOf(at: Date, changes: number): string {
  const stamp = `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  return `${String(changes).padStart(9, '0')}-${stamp}.db`
}

export function changesOf(database: DatabaseSync): number {
  return Number(database.prepare('select changes from registry').get()?.['changes'])
}

/**
 * Copies the registry, as it is at one moment, into a new file; measurements and sessions stay out. It is read back, and
 * on the disk when this returns.
 *
 * @returns the changes that the registry had seen
 * @throws Error of SQLite or of the file system; nothing is left then
 */
export function copyRegistry(from: string, to: string): number {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'ax', 0o600))
  try {
    const copy = new DatabaseSync(to, { timeout: 30_000, enableForeignKeyConstraints: false })
    let changes: number
    try {
      copy.exec('pragma journal_mode = off; pragma synchronous = off')
      migrate(copy)
      copy.prepare('attach ? as source').run(from)
      copy.exec('begin')
      for (const table of tablesOf(copy)) {
        const columns = copy.prepare(`select name from pragma_table_info('${table}')`).all()
        const names = columns.map(({ name }) => String(name)).join(', ')
        copy.exec(
          `delete from main.${table}; insert into main.${table} (${names}) select ${names} from source.${table}`,
        )
      }
      copy.exec('commit')
      changes = changesOf(copy)
    } finally {
      copy.close()
    }
    sync(to)
    const fault = faultOf(to)
    if (fault !== undefined) throw new Error(`The copy differs from what was written: ${fault}`)
    return changes
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  }
}

/** Why a file is not a registry that can be read whole; undefined: it is one. It is not changed. */
export function faultOf(file: string): string | undefined {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 30_000 })
    try {
      const [found] = database.prepare('pragma quick_check(1)').all()
      const text = String(Object.values(found ?? {})[0])
      if (text !== 'ok') return text
      const tables = new Set(
        database
          .prepare('select name from sqlite_schema')
          .all()
          .map(({ name }) => name),
      )
      return tables.has('instance') && tables.has('operation') ? undefined : 'it has no instances'
    } finally {
      database.close()
    }
  } catch (error) {
    return (error as Error).message
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
