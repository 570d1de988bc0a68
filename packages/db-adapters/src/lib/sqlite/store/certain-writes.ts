import type { BusinessRecord, ObjectModel } from '@steward/rest-core'
import type { StoreError } from '@steward/rest-core/errors'
import type BetterSqlite3 from 'better-sqlite3'
import { noRow, severalRows } from '../../schema/unique-keys.js'
import { exactKeyColumns } from '../../sql/columns.js'
import type { BoundStatement } from '../../sql/statement.js'
import type { SqliteConnection } from './connection.js'

type Raw = BetterSqlite3.Database

interface Table {
  /** A row id has one row at most. */
  readonly isUnique: boolean
  /** No trigger leaves a row out (`raise(ignore)`). */
  readonly keepsInserts: boolean
}

/** For each database, what is known of the tables that were written to. */
const known = new WeakMap<Raw, WeakMap<ObjectModel, Table>>()

/** Looks again: the schema has changed. */
export function forgetKeys(raw: Raw): void {
  known.delete(raw)
}

/** Inserts a row. @throws StoreError `rows` when the table has no row of it, which undoes what triggers did */
export function insertRow(connection: SqliteConnection, object: ObjectModel, call: BoundStatement): BusinessRecord {
  const insert = (): BusinessRecord | StoreError => connection.write(call) ?? noRow(object)
  const given = tableOf(connection.raw, object).keepsInserts ? insert() : undoUnless(connection, insert)
  if (given instanceof Error) throw given
  return given
}

/** @throws StoreError `rows` when the row id has several rows, none of which is changed */
export function updateRow(
  connection: SqliteConnection,
  object: ObjectModel,
  rowId: string,
  call: BoundStatement,
): BusinessRecord | undefined {
  if (tableOf(connection.raw, object).isUnique) return connection.write(call)
  return undoUnless(connection, () => {
    const records = connection.all(call)
    return records.length > 1 ? severalRows(object, rowId) : records[0]
  })
}

/** As `updateRow`. */
export function deleteRow(
  connection: SqliteConnection,
  object: ObjectModel,
  rowId: string,
  call: BoundStatement,
): boolean {
  if (tableOf(connection.raw, object).isUnique) return connection.change(call) > 0
  return undoUnless(connection, () => {
    const changes = connection.change(call)
    return changes > 1 ? severalRows(object, rowId) : changes > 0
  })
}

/** Keeps what the work did, unless it gives or throws an error. Within a transaction or without one. */
function undoUnless<T>(connection: SqliteConnection, work: () => T | StoreError): T {
  connection.execute('savepoint steward_write')
  try {
    const result = work()
    if (result instanceof Error) throw result
    connection.execute('release steward_write')
    return result
  } catch (error) {
    // Some errors undo the transaction as a whole.
    if (connection.raw.inTransaction) connection.execute('rollback to steward_write; release steward_write')
    throw error
  }
}

function tableOf(raw: Raw, object: ObjectModel): Table {
  let objects = known.get(raw)
  if (!objects) known.set(raw, (objects = new WeakMap()))
  let table = objects.get(object)
  if (!table) objects.set(object, (table = readTable(raw, object)))
  return table
}

const tableSql = `
  select l.wr as without_rowid, exists (select 1 from sqlite_master m
    where m.type = 'trigger' and m.tbl_name = l.name collate nocase and m.sql like '%ignore%') as ignores
  from pragma_table_list(?) l where l.schema = 'main' and l.type = 'table'`

const columnsSql = `select lower(name) as name, pk from pragma_table_info(?)`

const indexesSql = `
  select i.name as "index", lower(c.name) as name from pragma_index_list(?) i join pragma_index_info(i.name) c
  where i."unique" = 1 and i.partial = 0`

function readTable(raw: Raw, { id, table }: ObjectModel): Table {
  const found = raw.prepare<[string], { without_rowid: number; ignores: number }>(tableSql).get(table)
  if (!found) return { isUnique: false, keepsInserts: false }
  const columns = raw.prepare<[string], { name: string; pk: number }>(columnsSql).all(table)
  const members = raw.prepare<[string], { index: string; name: string | null }>(indexesSql).all(table)
  const isRowid = (name: string): boolean =>
    found.without_rowid === 0 &&
    ['rowid', '_rowid_', 'oid'].includes(name) &&
    !columns.some((each) => each.name === name)
  const ids = exactKeyColumns(id).map((name) => name.toLowerCase())
  const keys = [columns.filter(({ pk }) => pk > 0), ...Map.groupBy(members, ({ index }) => index).values()]
  const isUnique =
    ids.some(isRowid) ||
    keys.some((key) => key.length > 0 && key.every(({ name }) => name !== null && ids.includes(name)))
  return { isUnique, keepsInserts: found.ignores === 0 }
}
