import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import type { Catalogue, OtherSchema } from '../../schema/dialect.js'
import { isOwnName } from '../../schema/names.js'
import { number, text } from '../../schema/rows.js'
import type { ColumnInfo, ForeignKeyInfo, IndexInfo, TableInfo, WordIndexInfo } from '../../schema/table-info.js'
import { placeColumn, rowColumn, wordsTableName } from '../../words-table/words-table.js'
import { quote } from '../../sql/text.js'
import { declarationOf, familyOf, type CatalogueType } from './types.js'

const tablesSql = `
  select table_name as name, 'table' as kind from user_tables where nested = 'NO' and secondary = 'N'
  union all select view_name, 'view' from user_views`

const columnsSql = `
  select c.table_name as tab, c.column_name as name, c.data_type as type, c.char_length as characters,
    c.data_precision as digits, c.data_scale as decimals, c.nullable as nullable, c.default_length as default_length,
    c.identity_column as numbered, c.virtual_column as generated
  from user_tab_cols c where c.hidden_column = 'NO' order by c.table_name, c.column_id`

const keysSql = `
  select c.table_name as tab, c.constraint_name as name, c.index_name as index_name, k.column_name as col
  from user_constraints c join user_cons_columns k on k.constraint_name = c.constraint_name
  where c.constraint_type = 'P' order by c.table_name, k.position`

const indexesSql = `
  select i.table_name as tab, i.index_name as name, i.uniqueness as uniqueness, i.index_type as type, c.column_name as col
  from user_indexes i join user_ind_columns c on c.index_name = i.index_name
  order by i.table_name, i.index_name, c.column_position`

const foreignKeysSql = `
  select c.table_name as tab, c.constraint_name as name, c.delete_rule as rule, k.column_name as col,
    t.table_name as target, t.column_name as target_column
  from user_constraints c
    join user_cons_columns k on k.constraint_name = c.constraint_name
    join user_cons_columns t on t.constraint_name = c.r_constraint_name and t.position = k.position
  where c.constraint_type = 'R' order by c.table_name, c.constraint_name, k.position`

const othersSql = `
  select t.owner as name, count(*) as tables, max(user) as current_name
  from all_tables t join all_users u on u.username = t.owner
  where u.oracle_maintained = 'N' and t.owner <> user
  group by t.owner order by t.owner`

export async function readOracle(connection: SchemaConnection): Promise<Catalogue> {
  const tables = await connection.rows(tablesSql)
  const columns = byTable(await connection.rows(columnsSql))
  const keys = byTable(await connection.rows(keysSql))
  const indexes = byTable(await connection.rows(indexesSql))
  const foreignKeys = byTable(await connection.rows(foreignKeysSql))
  const [own, others] = [new Set<string>(), [] as SchemaRow[]]
  for (const row of tables) {
    if (isOwnName(text(row, 'name'))) own.add(text(row, 'name'))
    else others.push(row)
  }
  return {
    foldsTableNames: false,
    foldsColumnNames: false,
    tables: others.map((row): TableInfo => {
      const name = text(row, 'name')
      const key = keys(name)
      const keyIndex = key[0] && text(key[0], 'index_name')
      return {
        name,
        kind: text(row, 'kind') === 'view' ? 'view' : 'table',
        columns: columns(name).map(columnInfo),
        primaryKey: key.map((each) => text(each, 'col')),
        indexes: indexInfos(indexes(name)).filter((index) => index.name !== keyIndex),
        foreignKeys: foreignKeyInfos(foreignKeys(name)),
        wordIndexes: wordIndexes(wordsTableName(name)),
        foreignKeysSupported: true,
        implicitId: undefined,
      }
    }),
  }

  function wordIndexes(name: string): WordIndexInfo[] {
    if (!own.has(name)) return []
    const names = columns(name).map((column) => text(column, 'name'))
    const column = names.find((each) => each !== rowColumn && each !== placeColumn) ?? ''
    return [{ name, column }]
  }
}

/** Schemas of other users with tables. */
export async function readOtherSchemas(connection: SchemaConnection): Promise<OtherSchema[]> {
  return (await connection.rows(othersSql)).map((row) => ({
    name: text(row, 'name'),
    tables: number(row, 'tables') ?? 0,
    current: text(row, 'current_name'),
  }))
}

/** A DATE has a time too: only what is in it tells dates from moments. */
export async function refine(connection: SchemaConnection, catalogue: Catalogue): Promise<Catalogue> {
  const tables: TableInfo[] = []
  for (const table of catalogue.tables) {
    const columns: ColumnInfo[] = []
    for (const column of table.columns) {
      const isMoment =
        table.kind === 'table' && column.type.kind === 'date' && (await hasTime(connection, table.name, column.name))
      columns.push(isMoment ? { ...column, type: { kind: 'datetime' } } : column)
    }
    tables.push({ ...table, columns })
  }
  return { ...catalogue, tables }
}

async function hasTime(connection: SchemaConnection, table: string, column: string): Promise<boolean> {
  const name = quote(column)
  const sql = `select 1 as found from ${quote(table)} where ${name} <> trunc(${name}) fetch first 1 rows only`
  return (await connection.rows(sql)).length > 0
}

function byTable(rows: readonly SchemaRow[]): (table: string) => readonly SchemaRow[] {
  const groups = Map.groupBy(rows, (row) => text(row, 'tab'))
  return (table) => groups.get(table) ?? []
}

function columnInfo(row: SchemaRow): ColumnInfo {
  const type: CatalogueType = {
    name: text(row, 'type'),
    characters: number(row, 'characters'),
    precision: number(row, 'digits'),
    scale: number(row, 'decimals'),
  }
  const autoIncrement = text(row, 'numbered') === 'YES'
  const generated = text(row, 'generated') === 'YES'
  return {
    name: text(row, 'name'),
    type: familyOf(type),
    declaration: declarationOf(type),
    nullable: text(row, 'nullable') === 'Y',
    hasDefault: autoIncrement || (!generated && (number(row, 'default_length') ?? 0) > 0),
    autoIncrement,
    generated,
    collation: undefined,
  }
}

function indexInfos(rows: readonly SchemaRow[]): IndexInfo[] {
  return [...Map.groupBy(rows, (row) => text(row, 'name'))].map(([name, members]) => ({
    name,
    columns: members.map((row) => text(row, 'col')),
    unique: text(members[0] as SchemaRow, 'uniqueness') === 'UNIQUE',
    plain: text(members[0] as SchemaRow, 'type') === 'NORMAL',
  }))
}

const rules: Readonly<Record<string, ForeignKeyInfo['onDelete']>> = {
  'NO ACTION': 'refuse',
  CASCADE: 'cascade',
  'SET NULL': 'setNull',
}

function foreignKeyInfos(rows: readonly SchemaRow[]): ForeignKeyInfo[] {
  return [...Map.groupBy(rows, (row) => text(row, 'name'))].map(([name, members]) => ({
    name,
    columns: members.map((row) => text(row, 'col')),
    table: text(members[0] as SchemaRow, 'target'),
    targetColumns: members.map((row) => text(row, 'target_column')),
    onDelete: rules[text(members[0] as SchemaRow, 'rule')] ?? 'other',
  }))
}
