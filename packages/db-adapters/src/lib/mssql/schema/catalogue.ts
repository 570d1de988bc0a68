import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import type { Catalogue, SchemaInfo } from '../../schema/dialect.js'
import { flag, number, text } from '../../schema/rows.js'
import type { ColumnInfo, ForeignKeyInfo, IndexInfo, TableInfo, WordIndexInfo } from '../../schema/table-info.js'
import { isOwnName } from '../../schema/names.js'
import { quote } from '../../sql/text.js'
import { isWordColumn, wordsTableName } from '../../words-table/words-table.js'
import { byCodePoint } from '../collation.js'
import { familyOf } from './types.js'

/** Tables of these schemas; the current one by default. */
function chosen(schemas: readonly string[] | undefined): string {
  const names = schemas?.map((name) => `N'${name.replaceAll("'", "''")}'`).join(', ') ?? 'schema_name()'
  return `o.is_ms_shipped = 0 and o.schema_id in (select schema_id from sys.schemas where name in (${names}))`
}

/** The name as definitions write it. */
const nameOf = (table: string, schema: string): string =>
  `case when ${schema}.name = schema_name() then N'' else ${schema}.name + N'.' end + ${table}.name`

const tablesSql = (which: string): string => `
  select o.object_id as id, ${nameOf('o', 's')} as name, o.type as kind,
    case when s.name <> schema_name() then s.name end as "schema"
  from sys.objects o join sys.schemas s on s.schema_id = o.schema_id
  where o.type in ('U', 'V') and ${which} order by case when s.name = schema_name() then 0 else 1 end, s.name, o.name`

const schemasSql = `
  select s.name as name, case when s.name = schema_name() then 1 else 0 end as "default",
    (select count(*) from sys.objects o where o.schema_id = s.schema_id and o.type = 'U' and o.is_ms_shipped = 0) as tables
  from sys.schemas s
  where s.name not in ('sys', 'INFORMATION_SCHEMA', 'guest') and s.name not like 'db[_]%' order by s.name`

const columnsSql = (which: string): string => `
  select c.object_id as "table", c.column_id as place, c.name as name, coalesce(b.name, y.name) as type,
    c.max_length as bytes, c.precision as digits, c.scale as scale, c.is_nullable as nullable,
    c.is_identity as counted, c.is_computed as computed, c.collation_name as collation,
    case when c.default_object_id <> 0 and c.is_computed = 0 then 1 else 0 end as filled
  from sys.columns c join sys.types y on y.user_type_id = c.user_type_id
    join sys.objects o on o.object_id = c.object_id
    left join sys.types b on b.user_type_id = y.system_type_id and y.user_type_id <> y.system_type_id
  where o.type in ('U', 'V') and ${which} order by c.object_id, c.column_id`

const indexesSql = (which: string): string => `
  select i.object_id as "table", i.name as name, i.is_unique as "unique", i.is_primary_key as "primary",
    i.has_filter as filtered, i.filter_definition as filter, c.name as "column"
  from sys.indexes i join sys.objects o on o.object_id = i.object_id
    join sys.index_columns k on k.object_id = i.object_id and k.index_id = i.index_id and k.is_included_column = 0
    join sys.columns c on c.object_id = k.object_id and c.column_id = k.column_id
  where o.type = 'U' and ${which} and i.is_disabled = 0
  order by i.object_id, i.name, k.key_ordinal`

/** One row for each column of a foreign key. */
const foreignKeysSql = (which: string): string => `
  select f.parent_object_id as "table_id", ${nameOf('o', 'r')} as "table", f.name as name, ${nameOf('t', 's')} as target,
    f.delete_referential_action as "rule", f.update_referential_action as update_rule,
    a.name as "column", b.name as target_column, k.constraint_column_id as place
  from sys.foreign_keys f join sys.foreign_key_columns k on k.constraint_object_id = f.object_id
    join sys.objects o on o.object_id = f.parent_object_id
    join sys.schemas r on r.schema_id = o.schema_id
    join sys.objects t on t.object_id = f.referenced_object_id
    join sys.schemas s on s.schema_id = t.schema_id
    join sys.columns a on a.object_id = k.parent_object_id and a.column_id = k.parent_column_id
    join sys.columns b on b.object_id = k.referenced_object_id and b.column_id = k.referenced_column_id
  where ${which} order by f.parent_object_id, f.name, k.constraint_column_id`

/** What people have written about tables, views (place 0) and their columns. */
const commentsSql = (which: string): string => `
  select p.major_id as "table", p.minor_id as place, cast(p.value as nvarchar(3750)) as comment
  from sys.extended_properties p join sys.objects o on o.object_id = p.major_id
  where p.class = 1 and p.name = N'MS_Description' and o.type in ('U', 'V') and ${which}`

export async function readMssql(connection: SchemaConnection, schemas?: readonly string[]): Promise<Catalogue> {
  const which = chosen(schemas)
  const tables = await connection.rows(tablesSql(which))
  const columns = Map.groupBy(await connection.rows(columnsSql(which)), (row) => text(row, 'table'))
  const indexes = Map.groupBy(await connection.rows(indexesSql(which)), (row) => text(row, 'table'))
  const keys = Map.groupBy(await connection.rows(foreignKeysSql(which)), (row) => text(row, 'table_id'))
  const comments = new Map(
    (await connection.rows(commentsSql(which))).map((row) => [
      `${text(row, 'table')}.${text(row, 'place')}`,
      text(row, 'comment') || undefined,
    ]),
  )
  const [{ folds } = {}] = await connection.rows(`select case when 'a' = 'A' then 1 else 0 end as folds`)
  const isOwn = (row: SchemaRow): boolean => isOwnName(text(row, 'name').replace(/^.*\./, ''))
  const ours = new Map(tables.filter(isOwn).map((row) => [text(row, 'name'), text(row, 'id')]))
  const others = tables.filter((row) => !isOwn(row))
  return {
    // Names compare in the collation of the database.
    foldsTableNames: Number(folds) === 1,
    foldsColumnNames: Number(folds) === 1,
    tables: others.map((row): TableInfo => {
      const id = text(row, 'id')
      const own = grouped(indexes.get(id) ?? [])
      const primary = own.find(([index]) => flag(index, 'primary'))
      return {
        name: text(row, 'name'),
        schema: text(row, 'schema') || undefined,
        kind: text(row, 'kind').trim() === 'U' ? 'table' : 'view',
        columns: (columns.get(id) ?? []).map((column) => ({
          ...columnInfo(column),
          comment: comments.get(`${id}.${text(column, 'place')}`),
        })),
        primaryKey: primary ? primary.map((each) => text(each, 'column')) : [],
        indexes: own.filter((index) => index !== primary).map(indexInfo),
        wordIndexes: wordIndexes(wordsTableName(text(row, 'name'))),
        foreignKeys: grouped(keys.get(id) ?? []).map(foreignKeyInfo),
        foreignKeysSupported: true,
        implicitId: undefined,
        comment: comments.get(`${id}.0`),
      }
    }),
  }

  function wordIndexes(name: string): WordIndexInfo[] {
    const id = ours.get(name)
    if (id === undefined) return []
    const names = (columns.get(id) ?? []).map((column) => text(column, 'name'))
    return [{ name, column: names.find(isWordColumn) ?? '' }]
  }
}

export async function readSchemas(connection: SchemaConnection): Promise<SchemaInfo[]> {
  const rows = await connection.rows(schemasSql)
  return rows.map((row) => ({
    name: text(row, 'name'),
    tables: number(row, 'tables') ?? 0,
    isDefault: flag(row, 'default'),
  }))
}

type Rows = readonly [SchemaRow, ...SchemaRow[]]

/** Rows of one name, which follow each other. */
function grouped(rows: readonly SchemaRow[]): Rows[] {
  return [...Map.groupBy(rows, (row) => text(row, 'name')).values()] as unknown as Rows[]
}

function columnInfo(row: SchemaRow): ColumnInfo {
  const collation = text(row, 'collation') || undefined
  const type = text(row, 'type').toLowerCase()
  const bytes = number(row, 'bytes') ?? 0
  const size = { bytes, precision: number(row, 'digits') ?? 0, scale: number(row, 'scale') ?? 0 }
  const autoIncrement = flag(row, 'counted')
  const generated = flag(row, 'computed') || type === 'timestamp'
  return {
    name: text(row, 'name'),
    type: familyOf(type, { ...size, own: isOwnCollation(collation) }),
    declaration: `${declarationOf(type, size)}${collation === undefined ? '' : ` collate ${isOwnCollation(collation) ? byCodePoint : collation}`}`,
    nullable: flag(row, 'nullable'),
    hasDefault: autoIncrement || flag(row, 'filled'),
    autoIncrement,
    generated,
    collation,
  }
}

/** Servers may call it by another name than it was given. */
function isOwnCollation(collation: string | undefined): boolean {
  return collation !== undefined && /_bin2$/i.test(collation)
}

function declarationOf(
  type: string,
  { bytes, precision, scale }: { bytes: number; precision: number; scale: number },
): string {
  switch (type) {
    case 'nvarchar':
    case 'nchar':
      return `${type}(${bytes < 0 ? 'max' : bytes / 2})`
    case 'varchar':
    case 'char':
    case 'varbinary':
    case 'binary':
      return `${type}(${bytes < 0 ? 'max' : bytes})`
    case 'decimal':
    case 'numeric':
      return `${type}(${precision},${scale})`
    case 'datetime2':
    case 'datetimeoffset':
    case 'time':
      return `${type}(${scale})`
    default:
      return type
  }
}

/** A filter that leaves out empty values only makes no difference: they are not compared anywhere else either. */
function indexInfo(rows: Rows): IndexInfo {
  const [index] = rows
  const rest = text(index, 'filter').replaceAll(/\[(?:[^\]]|\]\])*\] IS NOT NULL|AND|[\s()]/gi, '')
  return {
    name: text(index, 'name'),
    columns: rows.map((row) => text(row, 'column')),
    unique: flag(index, 'unique'),
    plain: !flag(index, 'filtered') || rest === '',
  }
}

const rules: Readonly<Record<number, ForeignKeyInfo['onDelete']>> = { 0: 'refuse', 1: 'cascade', 2: 'setNull' }

function foreignKeyInfo(rows: Rows): ForeignKeyInfo {
  const [key] = rows
  return {
    name: text(key, 'name'),
    columns: rows.map((row) => text(row, 'column')),
    table: text(key, 'target'),
    targetColumns: rows.map((row) => text(row, 'target_column')),
    onDelete: rules[number(key, 'rule') ?? 0] ?? 'other',
  }
}

/** Statements that take away and make again the foreign keys of tables. */
export async function foreignKeyStatements(
  connection: SchemaConnection,
  tables: ReadonlySet<string>,
): Promise<{ readonly drop: string[]; readonly add: string[] }> {
  const schemas = [...new Set([...tables].filter((name) => name.includes('.')).map((name) => name.split('.')[0] ?? ''))]
  const found = [...(await connection.rows(foreignKeysSql(chosen(undefined))))]
  if (schemas.length > 0) found.push(...(await connection.rows(foreignKeysSql(chosen(schemas)))))
  const rows = found.filter((row) => tables.has(text(row, 'table')))
  const keys = grouped(rows)
  const names = (of: Rows, column: string): string => of.map((row) => quote(text(row, column))).join(', ')
  return {
    drop: keys.map(([key]) => `alter table ${tableOf(key, 'table')} drop constraint ${quote(text(key, 'name'))}`),
    add: keys.map((of) => {
      const [key] = of
      const target = `${tableOf(key, 'target')} (${names(of, 'target_column')})`
      const [onDelete, onUpdate] = ['rule', 'update_rule'].map((rule) => actions[number(key, rule) ?? 0])
      return `alter table ${tableOf(key, 'table')} add constraint ${quote(text(key, 'name'))} foreign key (${names(of, 'column')}) references ${target} on delete ${onDelete} on update ${onUpdate}`
    }),
  }
}

function tableOf(row: SchemaRow, column: string): string {
  return text(row, column).split('.').map(quote).join('.')
}

const actions = ['no action', 'cascade', 'set null', 'set default']
