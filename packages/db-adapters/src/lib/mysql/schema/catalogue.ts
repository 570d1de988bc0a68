import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import { isOwnName } from '../../schema/names.js'
import { flag, number, text } from '../../schema/rows.js'
import type { Catalogue } from '../../schema/dialect.js'
import type { ColumnFamily, ColumnInfo, ForeignKeyInfo, IndexInfo, TableInfo } from '../../schema/table-info.js'
import { familyOf, mysqlTypes } from './types.js'

// Every name is given anew: MySQL 8 answers in capitals otherwise.
const settingsSql = `select @@lower_case_table_names as folding, version() like '%MariaDB%' as mariadb`

const tablesSql = `
  select table_name as \`name\`, table_type as kind, engine as \`engine\`
  from information_schema.tables
  where table_schema = database() and table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW') order by table_name`

const columnsSql = `
  select c.table_name as \`table\`, c.column_name as \`name\`, c.column_type as \`type\`, c.is_nullable as nullable,
    c.column_default as \`default\`, c.extra as extra, c.character_set_name as charset, c.collation_name as collation,
    s.maxlen as bytes
  from information_schema.columns c
    left join information_schema.character_sets s on s.character_set_name = c.character_set_name
  where c.table_schema = database() order by c.table_name, c.ordinal_position`

const indexesSql = `
  select table_name as \`table\`, index_name as \`name\`, non_unique as non_unique, column_name as \`column\`,
    sub_part is not null as prefix, index_type as \`kind\`
  from information_schema.statistics
  where table_schema = database() order by table_name, index_name, seq_in_index`

const foreignKeysSql = `
  select k.table_name as \`table\`, k.constraint_name as \`name\`, k.column_name as \`column\`,
    k.referenced_table_name as target, k.referenced_column_name as target_column, r.delete_rule as rule
  from information_schema.key_column_usage k
    join information_schema.referential_constraints r
      on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name and r.table_name = k.table_name
  where k.table_schema = database() and k.referenced_table_schema = database()
  order by k.table_name, k.constraint_name, k.ordinal_position`

/** MariaDB keeps JSON in a text column with this check. */
const jsonColumnsSql = `
  select table_name as \`table\`, constraint_name as \`name\` from information_schema.check_constraints
  where constraint_schema = database() and check_clause = concat('json_valid(\`', replace(constraint_name, '\`', '\`\`'), '\`)')`

/** Tables of the current database, of MySQL 8 or MariaDB. */
export async function readMysql(connection: SchemaConnection): Promise<Catalogue> {
  const [settings = {}] = await connection.rows(settingsSql)
  const tables = await connection.rows(tablesSql)
  const columns = byTable(await connection.rows(columnsSql))
  const indexes = byTable(await connection.rows(indexesSql))
  const foreignKeys = byTable(await connection.rows(foreignKeysSql))
  const isMariadb = flag(settings, 'mariadb')
  const json = byTable(isMariadb ? await connection.rows(jsonColumnsSql) : [])
  return {
    types: isMariadb ? mysqlTypes.mariadb : mysqlTypes.mysql,
    foldsTableNames: number(settings, 'folding') !== 0,
    foldsColumnNames: true,
    tables: tables.map((row): TableInfo => {
      const name = text(row, 'name')
      const [fullText, others] = fullTextFirst(indexes(name))
      const own = indexInfos(others)
      const jsonColumns = new Set(json(name).map((column) => text(column, 'name')))
      return {
        name,
        kind: text(row, 'kind') === 'VIEW' ? 'view' : 'table',
        columns: columns(name).map((column) => columnInfo(column, jsonColumns.has(text(column, 'name')))),
        primaryKey: own.find((index) => index.name === 'PRIMARY')?.columns ?? [],
        indexes: own.filter((index) => index.name !== 'PRIMARY'),
        foreignKeys: foreignKeyInfos(foreignKeys(name)),
        wordIndexes: fullText
          .map((index) => ({ name: text(index, 'name'), column: text(index, 'column') }))
          .filter((index) => isOwnName(index.name)),
        foreignKeysSupported: text(row, 'engine').toLowerCase() === 'innodb',
        implicitId: undefined,
      }
    }),
  }
}

function byTable(rows: readonly SchemaRow[]): (table: string) => readonly SchemaRow[] {
  const groups = Map.groupBy(rows, (row) => text(row, 'table'))
  return (table) => groups.get(table) ?? []
}

/** Full-text indexes serve no other conditions. */
function fullTextFirst(rows: readonly SchemaRow[]): [SchemaRow[], SchemaRow[]] {
  const isFullText = (row: SchemaRow): boolean => text(row, 'kind') === 'FULLTEXT'
  return [rows.filter(isFullText), rows.filter((row) => !isFullText(row))]
}

function columnInfo(row: SchemaRow, json: boolean): ColumnInfo {
  const type = text(row, 'type')
  const extra = text(row, 'extra').toLowerCase()
  const collation = text(row, 'collation') || undefined
  const autoIncrement = extra.includes('auto_increment')
  const family: ColumnFamily = json ? { kind: 'json' } : familyOf(type, number(row, 'bytes'))
  return {
    name: text(row, 'name'),
    type: family,
    declaration: collation === undefined ? type : `${type} character set ${text(row, 'charset')} collate ${collation}`,
    nullable: text(row, 'nullable') === 'YES',
    // MariaDB writes the default as an expression, the missing one of a nullable column too.
    hasDefault: autoIncrement || (row.default !== null && text(row, 'default') !== 'NULL'),
    autoIncrement,
    generated: /\b(virtual|stored|persistent) generated\b/.test(extra),
    collation,
  }
}

function indexInfos(rows: readonly SchemaRow[]): IndexInfo[] {
  return [...Map.groupBy(rows, (row) => text(row, 'name'))].map(([name, members]) => {
    const unique = !flag(members[0] as SchemaRow, 'non_unique')
    return {
      name,
      columns: members.map((row) => text(row, 'column')),
      unique,
      // A unique index over the beginning of a column says nothing about the whole; an expression has no name.
      plain: members.every((row) => row.column !== null && !(unique && flag(row, 'prefix'))),
    }
  })
}

const rules: Readonly<Record<string, ForeignKeyInfo['onDelete']>> = {
  'NO ACTION': 'refuse',
  RESTRICT: 'refuse',
  CASCADE: 'cascade',
  'SET NULL': 'setNull',
}

function foreignKeyInfos(rows: readonly SchemaRow[]): ForeignKeyInfo[] {
  return [...Map.groupBy(rows, (row) => text(row, 'name'))].map(([name, members]) => ({
    name,
    columns: members.map((row) => text(row, 'column')),
    table: text(members[0] as SchemaRow, 'target'),
    targetColumns: members.map((row) => text(row, 'target_column')),
    onDelete: rules[text(members[0] as SchemaRow, 'rule')] ?? 'other',
  }))
}
