import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import { isOwnName } from '../../schema/names.js'
import type { Catalogue, SchemaInfo } from '../../schema/dialect.js'
import { flag, list, text } from '../../schema/rows.js'
import type { ColumnInfo, ForeignKeyInfo, IndexInfo, TableInfo } from '../../schema/table-info.js'
import { arrayText } from '../store/dialect.js'
import { familyOf } from './types.js'

/** What extensions have brought belongs to no application. */
const ownOnly = `not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

/** `$1`: names of schemas; NULL for the current one. */
const chosen = `(select oid from pg_namespace where nspname = any(coalesce($1::text[], array[current_schema()::text])))`

/** The name as definitions write it. */
const nameOf = (table: string, schema: string): string =>
  `case when ${schema}.nspname = current_schema() then '' else ${schema}.nspname || '.' end || ${table}.relname`

/** Whether this session may change anything: a standby may not, nor may an account that only reads. */
const takesWrites = `current_setting('default_transaction_read_only') = 'off' and not pg_is_in_recovery()`

/** Tables without partitions, for which their parent stands. Updates, inserts and deletes are the bits 4, 8 and 16. */
const tablesSql = `
  select c.oid::text as id, ${nameOf('c', 'n')} as name, c.relname::text as bare, c.relkind::text as kind,
    case when n.nspname <> current_schema() then n.nspname::text end as schema,
    obj_description(c.oid, 'pg_class') as comment,
    case when c.relkind <> 'v' or pg_relation_is_updatable(c.oid, true) & 28 <> 28 then null
      when pg_relation_is_updatable(c.oid, false) & 28 = 28 then 'database' else 'triggers' end as written_by,
    ${takesWrites} and has_schema_privilege(n.oid, 'usage') and (has_any_column_privilege(c.oid, 'insert, update')
      or has_table_privilege(c.oid, 'delete')) as writable,
    (select json_agg(d.relname order by d.relname)::text from pg_inherits h join pg_class d on d.oid = h.inhrelid
      where h.inhparent = c.oid and not d.relispartition) as children
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relnamespace in ${chosen} and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and ${ownOnly}
  order by n.nspname <> current_schema(), array_position($1::text[], n.nspname::text), c.relname`

const schemasSql = `
  select n.nspname::text as name, n.nspname = current_schema() as "default",
    (select count(*) from pg_class c
      where c.relnamespace = n.oid and c.relkind in ('r', 'p') and not c.relispartition and ${ownOnly})::int as tables
  from pg_namespace n
  where n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%' order by n.nspname`

const columnsSql = `
  select a.attrelid::text as "table", a.attname::text as name,
    format_type(a.atttypid, a.atttypmod) as declaration,
    case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod) else format_type(a.atttypid, a.atttypmod) end as type,
    (select json_agg(e.enumlabel order by e.enumsortorder)::text from pg_enum e
      where e.enumtypid = case when t.typtype = 'd' then t.typbasetype else t.oid end) as labels,
    (a.attnotnull or t.typnotnull) as required,
    a.attidentity::text as identity, a.attgenerated::text as generated,
    c.relkind = 'v' and not pg_column_is_updatable(c.oid, a.attnum, true) as fixed,
    has_schema_privilege(c.relnamespace, 'usage') and has_column_privilege(c.oid, a.attnum, 'select') as readable,
    has_column_privilege(c.oid, a.attnum, 'insert, update') as writable,
    (a.atthasdef or t.typdefault is not null) as filled,
    coalesce(pg_get_expr(d.adbin, d.adrelid), t.typdefault) as expression,
    col_description(c.oid, a.attnum) as comment,
    case when a.attcollation <> t.typcollation then quote_ident(l.collname) end as collation
  from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join pg_collation l on l.oid = a.attcollation
  where c.relnamespace in ${chosen}
    and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum`

const indexesSql = `
  select i.indrelid::text as "table", c.relname::text as name, i.indisunique as "unique", i.indisprimary as "primary",
    m.amname::text as method,
    (i.indpred is null and i.indexprs is null and i.indisvalid) as plain,
    (select json_agg(a.attname order by k.place)::text
      from unnest(i.indkey::int2[]) with ordinality as k(number, place)
        left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
      where k.place <= i.indnkeyatts) as columns
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
  where c.relnamespace in ${chosen}
  order by i.indrelid, c.relname`

const foreignKeysSql = `
  select k.conrelid::text as "table", k.conname::text as name, ${nameOf('t', 'n')} as target, k.confdeltype::text as rule,
    (select json_agg(a.attname order by n.place)::text from unnest(k.conkey) with ordinality as n(number, place)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n.number) as columns,
    (select json_agg(a.attname order by n.place)::text from unnest(k.confkey) with ordinality as n(number, place)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = n.number) as target_columns
  from pg_constraint k join pg_class t on t.oid = k.confrelid join pg_namespace n on n.oid = t.relnamespace
  where k.contype = 'f' and k.conparentid = 0 and k.connamespace in ${chosen}
  order by k.conrelid, k.conname`

export async function readPostgresql(connection: SchemaConnection, schemas?: readonly string[]): Promise<Catalogue> {
  const bindings = [schemas ? arrayText(schemas) : null]
  const tables = await connection.rows(tablesSql, bindings)
  const columns = byTable(await connection.rows(columnsSql, bindings))
  const indexes = byTable(await connection.rows(indexesSql, bindings))
  const foreignKeys = byTable(await connection.rows(foreignKeysSql, bindings))
  return {
    foldsTableNames: false,
    foldsColumnNames: false,
    tables: tables.map((row): TableInfo => {
      const id = text(row, 'id')
      const own = indexes(id)
      const primary = own.find((index) => flag(index, 'primary'))
      return {
        name: text(row, 'name'),
        schema: text(row, 'schema') || undefined,
        kind: kindOf(text(row, 'kind')),
        columns: columns(id).map(columnInfo),
        primaryKey: primary ? names(primary, 'columns') : [],
        indexes: own.filter((index) => index !== primary && !isWordIndex(index)).map(indexInfo),
        wordIndexes: own
          .filter(isWordIndex)
          .map((index) => ({ name: text(index, 'name'), column: names(index, 'columns')[0] ?? '' })),
        foreignKeys: foreignKeys(id).map(foreignKeyInfo),
        foreignKeysSupported: true,
        implicitId: undefined,
        comment: text(row, 'comment') || undefined,
        isWritable: flag(row, 'writable'),
        children: list(row, 'children').length > 0 ? names(row, 'children') : undefined,
        writtenBy: (text(row, 'written_by') || undefined) as TableInfo['writtenBy'],
      }
    }),
  }
}

export async function readSchemas(connection: SchemaConnection): Promise<SchemaInfo[]> {
  const rows = await connection.rows(schemasSql)
  return rows.map((row) => ({
    name: text(row, 'name'),
    tables: Number(row['tables']),
    isDefault: flag(row, 'default'),
  }))
}

function byTable(rows: readonly SchemaRow[]): (table: string) => readonly SchemaRow[] {
  const groups = Map.groupBy(rows, (row) => text(row, 'table'))
  return (table) => groups.get(table) ?? []
}

function kindOf(relkind: string): TableInfo['kind'] {
  if (relkind === 'f') return 'foreign'
  return relkind === 'r' || relkind === 'p' ? 'table' : 'view'
}

function columnInfo(row: SchemaRow): ColumnInfo {
  const collation = text(row, 'collation') || undefined
  const autoIncrement = text(row, 'identity') !== '' || text(row, 'expression').startsWith('nextval(')
  const generated = text(row, 'generated') !== '' || flag(row, 'fixed')
  return {
    name: text(row, 'name'),
    type: familyOf(
      text(row, 'type'),
      list(row, 'labels').filter((label) => label !== null),
    ),
    declaration: `${text(row, 'declaration')}${collation === undefined ? '' : ` collate ${collation}`}`,
    nullable: !flag(row, 'required'),
    hasDefault: autoIncrement || flag(row, 'filled'),
    autoIncrement,
    generated,
    isReadable: flag(row, 'readable'),
    isWritable: flag(row, 'writable'),
    collation,
    comment: text(row, 'comment') || undefined,
    default: generated || autoIncrement ? undefined : text(row, 'expression') || undefined,
  }
}

/** `sync` makes this kind of index for words only. */
function isWordIndex(row: SchemaRow): boolean {
  return text(row, 'method') === 'gin' && isOwnName(text(row, 'name'))
}

function indexInfo(row: SchemaRow): IndexInfo {
  return {
    name: text(row, 'name'),
    columns: names(row, 'columns'),
    unique: flag(row, 'unique'),
    plain: flag(row, 'plain'),
  }
}

const rules: Readonly<Record<string, ForeignKeyInfo['onDelete']>> = {
  a: 'refuse',
  r: 'refuse',
  c: 'cascade',
  n: 'setNull',
}

function foreignKeyInfo(row: SchemaRow): ForeignKeyInfo {
  return {
    name: text(row, 'name'),
    columns: names(row, 'columns'),
    table: text(row, 'target'),
    targetColumns: names(row, 'target_columns'),
    onDelete: rules[text(row, 'rule')] ?? 'other',
  }
}

/** Column names; an expression of an index has none. */
function names(row: SchemaRow, column: string): string[] {
  return list(row, column).map((name) => name ?? '')
}
