import { DatabaseSync } from 'node:sqlite'
import { sqlite, type Queryable } from './sqlite.js'

/** Where the registry's home is: of a copy, or of one that was moved, something differs. */
export interface HomePlace {
  /** Absolute, without links. */
  readonly path: string
  /** Number of its folder on its file system. */
  readonly inode: string
  /** Id of the machine; empty: it has none. */
  readonly machine: string
}

export interface RecordedPlace extends HomePlace {
  /** ISO 8601: when the home was created there or adopted. */
  readonly since: string
}

/** The place that the registry belongs to. */
export interface HomePlaceRow {
  /** Undefined: none was recorded yet. */
  get(): RecordedPlace | undefined
  /** In place of the one before. */
  set(place: RecordedPlace): void
}

export function createHomePlaceRow({ [sqlite]: database }: Queryable): HomePlaceRow {
  return {
    get: () => placeIn(database),
    set({ path, inode, machine, since }) {
      database
        .prepare('insert or replace into home_place (one, path, inode, machine, since) values (1, ?, ?, ?, ?)')
        .run(path, inode, machine, since)
    },
  }
}

/**
 * The place in the registry of another home, which is only read.
 *
 * @returns undefined when none was recorded there
 * @throws when there is no registry, or it cannot be read
 */
export function readHomePlace(file: string): RecordedPlace | undefined {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return placeIn(database)
  } finally {
    database.close()
  }
}

function placeIn(database: DatabaseSync): RecordedPlace | undefined {
  return database.prepare('select path, inode, machine, since from home_place').get() as RecordedPlace | undefined
}
