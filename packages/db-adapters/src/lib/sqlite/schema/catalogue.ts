import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import { isOwnName } from '../../schema/names.js'
import { flag, number, reasonOf, text } from '../../schema/rows.js'
import type { Catalogue } from '../../schema/dialect.js'
import type { ColumnInfo, ForeignKeyInfo, IndexInfo, TableInfo } from '../../schema/table-info.js'
import { columnOfItem, foreignKeysOfItem, splitTable } from '../../schema/table-text.js'
import { familyOf } from './types.js'
import { readWordTable, wordIndexesOf } from './word-index.js'

// The columns of a view may name tables that are gone, and a virtual table may need a module that is not loaded.
const tablesSql = `
  select l.name, l.type, l.wr as without_rowid, m.sql
  from pragma_table_list l left join sqlite_master m on m.name = l.name and m.type = 'table'
  where l.schema = 'main' and l.type in ('table', 'view', 'virtual') and l.name not like 'sqlite\\_%' escape '\\'
  order by l.name`

const columnsSql = `
  select l.name as "table", x.name, x.type, x."notnull" as required, x.dflt_value as "default", x.pk, x.hidden
  from pragma_table_list l join pragma_table_xinfo(l.name) x
  where l.schema = 'main' and l.type = 'table' order by l.name, x.cid`

const viewColumnsSql = `
  select name, type, "notnull" as required, dflt_value as "default", 0 as pk, hidden from pragma_table_xinfo(?) order by cid`

const indexesSql = `
  select l.name as "table", i.name, i."unique", i.partial, i.origin, c.name as "column"
  from pragma_table_list l join pragma_index_list(l.name) i join pragma_index_info(i.name) c
  where l.schema = 'main' and l.type = 'table' order by l.name, i.name, c.seqno`

const foreignKeysSql = `
  select l.name as "table", f.id, f."table" as target, f."from" as "column", f."to" as target_column, f.on_delete as rule
  from pragma_table_list l join pragma_foreign_key_list(l.name) f
  where l.schema = 'main' and l.type = 'table' order by l.name, f.id, f.seq`

const triggersSql = `select tbl_name as "table", name from sqlite_master where type = 'trigger'`

export async function readSqlite(connection: SchemaConnection): Promise<Catalogue> {
  const found = await connection.rows(tablesSql)
  const wordTables = found.filter((row) => text(row, 'type') === 'virtual' && isOwnName(text(row, 'name')))
  const tables = found.filter((row) => !wordTables.includes(row))
  const triggers = byTable(await connection.rows(triggersSql))
  const views = await readViews(connection, tables)
  const ofTables = byTable(await connection.rows(columnsSql))
  const columns = (table: string): readonly SchemaRow[] => {
    const view = views.get(table)
    return view === undefined ? ofTables(table) : typeof view === 'string' ? [] : view
  }
  const indexes = byTable(await connection.rows(indexesSql))
  const foreignKeys = byTable(await connection.rows(foreignKeysSql))
  const primaryKeys = new Map(
    tables.map((row) => [text(row, 'name').toLowerCase(), primaryKey(columns(text(row, 'name')))]),
  )

  return {
    foldsTableNames: true,
    foldsColumnNames: true,
    tables: tables.map((row): TableInfo => {
      const name = text(row, 'name')
      const own = columns(name)
      const view = views.get(name)
      const alias = flag(row, 'without_rowid') ? undefined : rowidAlias(own)
      const hasRowid = view === undefined && !flag(row, 'without_rowid') && alias === undefined
      return {
        name,
        kind: text(row, 'type') as 'table' | 'view' | 'virtual',
        columns: own.map((column) => columnInfo(column, alias)),
        primaryKey: primaryKey(own),
        indexes: indexInfos(indexes(name)),
        foreignKeys: foreignKeyInfos(foreignKeys(name), foreignKeyNames(text(row, 'sql')), primaryKeys),
        wordIndexes: wordIndexesOf(
          triggers(name).map((trigger) => text(trigger, 'name')),
          wordTables.map((table) => readWordTable(text(table, 'name'), text(table, 'sql'))),
        ),
        foreignKeysSupported: true,
        implicitId: hasRowid ? implicitId(own) : undefined,
        unreadable: typeof view === 'string' ? view : undefined,
      }
    }),
  }
}

/** Columns of each view, or why it cannot be read: one by one, because a single one would spoil the statement for all. */
async function readViews(
  connection: SchemaConnection,
  tables: readonly SchemaRow[],
): Promise<ReadonlyMap<string, readonly SchemaRow[] | string>> {
  const views = new Map<string, readonly SchemaRow[] | string>()
  for (const row of tables.filter((table) => text(table, 'type') === 'view')) {
    const name = text(row, 'name')
    try {
      views.set(name, await connection.rows(viewColumnsSql, [name]))
    } catch (error) {
      views.set(name, reasonOf(error))
    }
  }
  return views
}

function byTable(rows: readonly SchemaRow[]): (table: string) => readonly SchemaRow[] {
  const groups = Map.groupBy(rows, (row) => text(row, 'table'))
  return (table) => groups.get(table) ?? []
}

function primaryKey(columns: readonly SchemaRow[]): string[] {
  const members = columns.filter((column) => placeInKey(column) > 0)
  return members.toSorted((a, b) => placeInKey(a) - placeInKey(b)).map((column) => text(column, 'name'))
}

/** Place within the primary key, from 1; 0 for the others. */
function placeInKey(column: SchemaRow): number {
  return number(column, 'pk') ?? 0
}

/** A single primary key declared exactly `integer` is another name of the rowid. */
function rowidAlias(columns: readonly SchemaRow[]): string | undefined {
  const [first, second] = columns.filter((column) => placeInKey(column) > 0)
  return first && !second && text(first, 'type').toLowerCase() === 'integer' ? text(first, 'name') : undefined
}

function implicitId(columns: readonly SchemaRow[]): string | undefined {
  const names = new Set(columns.map((column) => text(column, 'name').toLowerCase()))
  return ['rowid', '_rowid_', 'oid'].find((name) => !names.has(name))
}

function columnInfo(row: SchemaRow, alias: string | undefined): ColumnInfo {
  const name = text(row, 'name')
  const autoIncrement = name === alias
  const expression = text(row, 'default')
  return {
    name,
    type: familyOf(text(row, 'type')),
    declaration: text(row, 'type'),
    nullable: !flag(row, 'required') && !autoIncrement,
    hasDefault: row['default'] !== null || autoIncrement,
    autoIncrement,
    generated: text(row, 'hidden') === '2' || text(row, 'hidden') === '3',
    collation: undefined,
    default: expression === '' || /^null$/i.test(expression) ? undefined : expression,
  }
}

function indexInfos(rows: readonly SchemaRow[]): IndexInfo[] {
  // The primary key itself stands for its index.
  const groups = Map.groupBy(
    rows.filter((row) => text(row, 'origin') !== 'pk'),
    (row) => text(row, 'name'),
  )
  return [...groups].map(([name, members]) => ({
    name,
    columns: members.map((row) => text(row, 'column')),
    unique: flag(members[0] as SchemaRow, 'unique'),
    // An expression has no name.
    plain: !flag(members[0] as SchemaRow, 'partial') && members.every((row) => row.column !== null),
  }))
}

const rules: Readonly<Record<string, ForeignKeyInfo['onDelete']>> = {
  'NO ACTION': 'refuse',
  RESTRICT: 'refuse',
  CASCADE: 'cascade',
  'SET NULL': 'setNull',
}

function foreignKeyInfos(
  rows: readonly SchemaRow[],
  names: (columns: readonly string[]) => string,
  primaryKeys: ReadonlyMap<string, readonly string[]>,
): ForeignKeyInfo[] {
  return [...Map.groupBy(rows, (row) => text(row, 'id')).values()].map((members) => {
    const [first] = members as [SchemaRow]
    const columns = members.map((row) => text(row, 'column'))
    const target = text(first, 'target')
    return {
      name: names(columns),
      columns,
      table: target,
      // Without columns it means the primary key.
      targetColumns:
        first.target_column === null
          ? (primaryKeys.get(target.toLowerCase()) ?? [])
          : members.map((row) => text(row, 'target_column')),
      onDelete: rules[text(first, 'rule')] ?? 'other',
    }
  })
}

/** The PRAGMA does not list the names of constraints; the statement does. Each name is given once. */
function foreignKeyNames(sql: string): (columns: readonly string[]) => string {
  if (!/\breferences\b/i.test(sql)) return () => ''
  const named = splitTable(sql).items.flatMap((item) =>
    foreignKeysOfItem(item).map(({ name, columns }) => ({ name, columns: columns ?? [columnOfItem(item) ?? ''] })),
  )
  return (columns) => {
    const at = named.findLastIndex((key) => key.columns.join('\0').toLowerCase() === columns.join('\0').toLowerCase())
    return at < 0 ? '' : (named.splice(at, 1)[0]?.name ?? '')
  }
}
