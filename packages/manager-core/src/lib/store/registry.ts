import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { ManagerError } from '../../errors.js'
import type { Instance } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import { failureOf } from '../system/failure.js'
import { isBusy, isInputOutput, sqliteFailure } from '../system/sqlite-failure.js'
import { seal } from './history-chain.js'
import { instanceColumns, instanceFromValues, rowFromInstance } from './instance-rows.js'
import { migrate } from './migrations.js'
import { sqlite, type Queryable } from './sqlite.js'

export type { Queryable }

/** What the manager knows, in `manager.db`: instances, versions, operations, history. No secrets. */
export interface Registry {
  readonly [sqlite]: DatabaseSync
  /** By name. */
  instances(): readonly Instance[]
  /** Without regard to case. */
  find(name: string): Instance | undefined
  byId(id: string): Instance | undefined
  /** @throws ManagerError ERR_NOT_FOUND */
  get(name: string): Instance
  /** Without those that are thrown away, see `isThrowAway`. */
  count(): number
  /** Keys of the backups by which instances were proved, by the instance's id; empty: the proof is older than this. */
  provedBackups(): ReadonlyMap<string, string>
  /** Ports of instances, and those that are kept for operations. */
  usedPorts(): ReadonlySet<number>
  /** Whether a port is kept for an operation. */
  hasReservedPort(operation: string): boolean
  versions(): readonly VersionRow[]
  /** From the last refresh, one per version. */
  versionLooks(): readonly VersionLook[]
  /** The newest ones, oldest first. */
  history(filter?: HistoryFilter): readonly HistoryEntry[]
  /** All or nothing; other processes wait. */
  transaction<T>(work: (writer: RegistryWriter) => T): T
  close(): void
}

export interface RegistryWriter {
  /** @throws ManagerError ERR_NAME_TAKEN, ERR_LIMIT (port taken) */
  insertInstance(instance: Instance): void
  /** `updated` is set to now unless given. */
  updateInstance(id: string, values: Partial<Omit<Instance, 'id'>>): void
  deleteInstance(id: string): void
  /** Which backup the instance was proved by. */
  setProvedBackup(id: string, key: string): void
  /** Keeps a port for an operation, beside that of its instance. */
  reservePort(port: number, operation: string): void
  /** All that are kept for it. */
  releasePorts(operation: string): void
  putVersion(version: VersionRow): void
  deleteVersion(version: string): void
  putVersionLook(look: VersionLook): void
  /** Removes those of all other versions. */
  keepVersionLooks(versions: readonly string[]): void
  addHistory(entry: NewHistoryEntry): void
}

export interface HistoryFilter {
  /** Id of an instance. */
  readonly instance?: string
  /** Ids of instances. Default: all. */
  readonly only?: ReadonlySet<string>
  /** Default 100. */
  readonly limit?: number
}

/** A fetched version. Dates are ISO 8601 in UTC. */
export interface VersionRow {
  readonly version: string
  readonly title: string
  readonly date: string
  readonly revision: string
  readonly location: string
  readonly fetched: string
  /** Name of the folder in `templates/`. */
  readonly folder: string
}

/** What a refresh found for a version. */
export interface VersionLook {
  readonly version: string
  /** ISO 8601 in UTC. */
  readonly at: string
  /** Why the newest template was not taken; empty: nothing is wrong. */
  readonly problem: string
}

/** What was done: one per action that changes something. */
export interface HistoryEntry {
  readonly id: number
  readonly at: string
  readonly actor: string
  readonly surface: string
  readonly action: string
  readonly instanceId: string
  /** Its name at that time. */
  readonly instance: string
  /** Without secrets. */
  readonly parameters: Json
  readonly result: 'ok' | 'failed' | 'rolled-back' | 'attention' | 'refused'
  readonly message: string
  readonly operation: string
  /** In ms. */
  readonly duration: number
  /** Where the request came from: an IP address; empty: this machine. */
  readonly address: string
  /** Covers this entry and all before it, see `chainHash`; empty: it is older than these hashes. */
  readonly hash: string
}

export type NewHistoryEntry = Omit<HistoryEntry, 'id' | 'address' | 'hash'> & { readonly address?: string | undefined }

export interface RegistryOptions {
  readonly file: string
  readonly clock?: () => Date
}

/**
 * Opens the registry, makes it when it is not there, and brings it to this manager's form.
 *
 * @throws ManagerError ERR_STATE when a newer manager wrote it; ERR_FAILED when it is damaged or may not be written;
 *   ERR_DISK; ERR_BUSY when others hold it for half a minute. Its calls throw the latter ones too.
 */
export function openRegistry({ file, clock = () => new Date() }: RegistryOptions): Registry {
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw sqliteFailure(error, file)
    }
  }
  let database: DatabaseSync
  try {
    database = open(file)
  } catch (error) {
    throw failureOf(sqliteFailure(error, file))
  }
  const all = (sql: string, ...values: SQLInputValue[]) => guarded(() => database.prepare(sql).all(...values))
  const instancesOf = (where: string, ...values: SQLInputValue[]) =>
    guarded(() => {
      const statement = database.prepare(`select ${instanceColumns.join(', ')} from instance ${where}`)
      statement.setReturnArrays(true)
      return (statement.all(...values) as unknown as SQLOutputValue[][]).map(instanceFromValues)
    })
  const find = (name: string) => instancesOf('where name_key = ?', name.toLowerCase())[0]
  const writer = createWriter(database, clock)

  return {
    [sqlite]: database,
    instances: () => instancesOf('order by name_key'),
    find,
    byId: (id) => instancesOf('where id = ?', id)[0],
    get(name) {
      const instance = find(name)
      if (!instance) throw noInstance(name)
      return instance
    },
    count: () =>
      Number(
        all(`select count(*) as n from instance where source not like 'prove:%' and source not like 'rehearse:%'`)[0]
          ?.n,
      ),
    provedBackups: () =>
      new Map(
        all(`select id, proved_backup as key from instance where proved <> ''`).map(({ id, key }) => [
          String(id),
          String(key),
        ]),
      ),
    usedPorts: () =>
      new Set(all('select port from instance union select port from reserved_port').map(({ port }) => Number(port))),
    hasReservedPort: (operation) => all('select port from reserved_port where operation = ?', operation).length > 0,
    versions: () => all('select * from version order by version') as unknown as VersionRow[],
    versionLooks: () => all('select * from version_look order by version') as unknown as VersionLook[],
    history({ instance, only, limit = 100 } = {}) {
      const rows = all(
        `select * from history
         where (?1 is null or instance_id = ?1) and (?2 is null or instance_id in (select value from json_each(?2)))
         order by id desc limit ?3`,
        instance ?? null,
        only ? JSON.stringify([...only]) : null,
        limit,
      )
      return rows.toReversed().map(historyFromRow)
    },
    transaction: (work) =>
      guarded(() => {
        database.exec('begin immediate')
        try {
          const result = work(writer)
          database.exec('commit')
          return result
        } catch (error) {
          // A full disk has rolled it back already.
          if (database.isTransaction) database.exec('rollback')
          throw error
        }
      }),
    close() {
      if (database.isOpen) database.close()
    },
  }
}

/** Its database alone, for another registry on it. */
export function databaseOf({ [sqlite]: database }: Queryable): Queryable {
  return { [sqlite]: database }
}

/** That there is no instance of this name. */
export function noInstance(name: string): ManagerError {
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name
  return new ManagerError('ERR_NOT_FOUND', `No instance is named "${shown}".`, { command: 'list' })
}

function open(file: string): DatabaseSync {
  // SQLite gives its other files the mode of this one.
  closeSync(openSync(file, 'a', 0o600))
  try {
    return connect(file)
  } catch (error) {
    // It shares memory with other processes through a file, for which there is no room; alone it needs none.
    if (!isInputOutput(error)) throw error
    return connect(file, 'pragma locking_mode = exclusive')
  }
}

/** Whether no other process can open it: it was opened on a full disk. */
export function isAlone({ [sqlite]: database }: Queryable): boolean {
  return database.prepare('pragma locking_mode').get()?.['locking_mode'] === 'exclusive'
}

function connect(file: string, first = ''): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 30_000 })
  try {
    database.exec(first)
    useWriteAheadLog(database)
    database.exec('pragma synchronous = full; pragma foreign_keys = on')
    migrate(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite does not wait by itself when two processes change the mode of a new file at once. */
function useWriteAheadLog(database: DatabaseSync): void {
  const end = performance.now() + 30_000
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

function createWriter(database: DatabaseSync, clock: () => Date): RegistryWriter {
  const run = (sql: string, ...values: SQLInputValue[]) => database.prepare(sql).run(...values)
  return {
    insertInstance(instance) {
      const row = rowFromInstance(instance)
      const columns = Object.keys(row)
      try {
        run(
          `insert into instance (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
          ...Object.values(row),
        )
      } catch (error) {
        throw translate(error, instance)
      }
    },
    updateInstance(id, values) {
      const row = rowFromInstance({ updated: clock().toISOString(), ...values })
      try {
        run(
          `update instance set ${Object.keys(row)
            .map((column) => `${column} = ?`)
            .join(', ')} where id = ?`,
          ...Object.values(row),
          id,
        )
      } catch (error) {
        throw translate(error, values)
      }
    },
    deleteInstance: (id) => void run('delete from instance where id = ?', id),
    setProvedBackup: (id, key) => void run('update instance set proved_backup = ? where id = ?', key, id),
    reservePort: (port, operation) =>
      void run('insert into reserved_port (port, operation) values (?, ?)', port, operation),
    releasePorts: (operation) => void run('delete from reserved_port where operation = ?', operation),
    putVersion: ({ version, title, date, revision, location, fetched, folder }) =>
      void run(
        'insert or replace into version (version, title, date, revision, location, fetched, folder) values (?, ?, ?, ?, ?, ?, ?)',
        version,
        title,
        date,
        revision,
        location,
        fetched,
        folder,
      ),
    deleteVersion: (version) => void run('delete from version where version = ?', version),
    putVersionLook: ({ version, at, problem }) =>
      void run('insert or replace into version_look (version, at, problem) values (?, ?, ?)', version, at, problem),
    keepVersionLooks: (versions) =>
      void run(
        'delete from version_look where version not in (select value from json_each(?))',
        JSON.stringify(versions),
      ),
    addHistory(entry) {
      const { lastInsertRowid } = run(
        'insert into history (at, actor, surface, action, instance_id, instance, parameters, result, message, operation, duration, address) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        entry.at,
        entry.actor,
        entry.surface,
        entry.action,
        entry.instanceId,
        entry.instance,
        JSON.stringify(entry.parameters),
        entry.result,
        entry.message,
        entry.operation,
        entry.duration,
        entry.address ?? '',
      )
      seal(database, lastInsertRowid)
    },
  }
}

function translate(error: unknown, { name, port }: Partial<Instance>): unknown {
  const text = (error as Error).message
  if (text.includes('instance.name_key'))
    return new ManagerError('ERR_NAME_TAKEN', `An instance named "${name}" already exists.`, { cause: error })
  if (text.includes('instance.port'))
    return new ManagerError('ERR_LIMIT', `Port ${port} belongs to another instance.`, { cause: error })
  return error
}

function historyFromRow(row: Record<string, unknown>): HistoryEntry {
  const { instance_id: instanceId, parameters, ...rest } = row
  return { ...rest, instanceId, parameters: JSON.parse(String(parameters)) as Json } as unknown as HistoryEntry
}
