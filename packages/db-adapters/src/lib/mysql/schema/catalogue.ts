import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import { isOwnName } from '../../schema/names.js'
import { flag, number, reasonOf, text } from '../../schema/rows.js'
import { quote } from '../quote.js'
import type { Catalogue } from '../../schema/dialect.js'
import type { ColumnFamily, ColumnInfo, ForeignKeyInfo, IndexInfo, TableInfo } from '../../schema/table-info.js'
import { filledAs } from '../../schema/view-columns.js'
import { familyOf, mysqlTypes } from './types.js'

// Every column has an alias: MySQL 8 answers in capitals otherwise.
const settingsSql = `select @@lower_case_table_names as folding, version() like '%MariaDB%' as mariadb`

const tablesSql = `
  select t.table_name as \`name\`, t.table_type as kind, t.engine as \`engine\`, t.table_comment as comment,
    v.is_updatable as updatable, v.view_definition as definition
  from information_schema.tables t
    left join information_schema.views v on v.table_schema = t.table_schema and v.table_name = t.table_name
  where t.table_schema = database() and t.table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW') order by t.table_name`

const columnsSql = `
  select c.table_name as \`table\`, c.column_name as \`name\`, c.column_type as \`type\`, c.is_nullable as nullable,
    c.column_default as \`default\`, c.extra as extra, c.character_set_name as charset, c.collation_name as collation,
    c.column_comment as comment, c.privileges as privileges, c.generation_expression as expression, s.maxlen as bytes
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
  const indexes = withoutPeriods(byTable(await connection.rows(indexesSql)), columns)
  const foreignKeys = byTable(await connection.rows(foreignKeysSql))
  const broken = new Map<string, string>()
  for (const row of tables) {
    const name = text(row, 'name')
    if (text(row, 'kind') === 'VIEW' && columns(name).length === 0) broken.set(name, await whyBroken(connection, name))
  }
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
      const isView = text(row, 'kind') === 'VIEW'
      const base = isView ? readView(text(row, 'definition')) : undefined
      const columnOf = (column: SchemaRow): ColumnInfo => {
        const info = columnInfo(column, jsonColumns.has(text(column, 'name')), isMariadb)
        const shown = base?.columns.get(info.name)
        if (!isView || !base || shown === undefined) return isView ? { ...info, generated: true } : info
        const there = columns(base.table).find((each) => text(each, 'name') === shown)
        return filledAs(info, there && columnInfo(there, false, isMariadb))
      }
      return {
        name,
        kind: isView ? 'view' : 'table',
        columns: columns(name).map(columnOf),
        primaryKey: base ? keyOfView(base, primaryKeyOf) : primaryKeyOf(name),
        indexes: own.filter((index) => index.name !== 'PRIMARY'),
        foreignKeys: foreignKeyInfos(foreignKeys(name)),
        wordIndexes: fullText
          .map((index) => ({ name: text(index, 'name'), column: text(index, 'column') }))
          .filter((index) => isOwnName(index.name)),
        foreignKeysSupported: text(row, 'engine').toLowerCase() === 'innodb',
        implicitId: undefined,
        unreadable: broken.get(name),
        isWritable: columns(name).some(mayWrite),
        comment: isView ? undefined : text(row, 'comment') || undefined,
        writtenBy: base && text(row, 'updatable') === 'YES' ? 'database' : undefined,
      }
    }),
  }

  function primaryKeyOf(table: string): readonly string[] {
    const rows = indexes(table).filter((row) => text(row, 'name') === 'PRIMARY')
    return rows.map((row) => text(row, 'column'))
  }
}

/** The catalogue has no columns of a view that refers to something that is missing. */
async function whyBroken(connection: SchemaConnection, view: string): Promise<string> {
  try {
    await connection.rows(`select * from ${quote(view)} limit 0`)
    return 'the database does not show its columns'
  } catch (error) {
    return reasonOf(error)
  }
}

/** A view whose rows are rows of one table. */
interface ViewOfTable {
  readonly table: string
  /** Columns of the table by those of the view; what is computed is not among them. */
  readonly columns: ReadonlyMap<string, string>
}

/** The server writes definitions of views in one form: every name quoted, every column with its table and its name in the view. */
function readView(definition: string): ViewOfTable | undefined {
  const from = /^select (?!distinct\b)(.*) from `[^`]+`\.`([^`]+)`(?: `[^`]+`)?(?: where .*)?$/is.exec(definition)
  if (!from || /\b(?:select|join|union|group by|having|limit)\b/i.test(definition.slice(6))) return undefined
  const [, list = '', table = ''] = from
  const columns = [...list.matchAll(/(?<=^|,)(?:`[^`]+`\.)+`([^`]+)` AS `([^`]+)`(?=,|$)/gi)]
  return { table, columns: new Map(columns.map(([, column = '', name = '']) => [name, column])) }
}

/** The columns that show the table's primary key; empty when one is missing. */
function keyOfView({ table, columns }: ViewOfTable, primaryKeyOf: (table: string) => readonly string[]): string[] {
  const key = primaryKeyOf(table)
  const shown = key.map((column) => [...columns].find(([, base]) => base === column)?.[0])
  return shown.filter((name) => name !== undefined).length === key.length ? (shown as string[]) : []
}

function byTable(rows: readonly SchemaRow[]): (table: string) => readonly SchemaRow[] {
  const groups = Map.groupBy(rows, (row) => text(row, 'table'))
  return (table) => groups.get(table) ?? []
}

/**
 * Indexes without the ends of periods, which a table with system versioning has in each unique one: of the rows that are
 * there now, the others identify one.
 */
function withoutPeriods(
  indexes: (table: string) => readonly SchemaRow[],
  columns: (table: string) => readonly SchemaRow[],
): (table: string) => readonly SchemaRow[] {
  return (table) => {
    const periods = columns(table)
      .filter((column) => /^row (?:start|end)$/i.test(text(column, 'expression')))
      .map((column) => text(column, 'name'))
    if (periods.length === 0) return indexes(table)
    return indexes(table).filter((row) => !periods.includes(text(row, 'column')))
  }
}

/** Full-text indexes serve no other conditions. */
function fullTextFirst(rows: readonly SchemaRow[]): [SchemaRow[], SchemaRow[]] {
  const isFullText = (row: SchemaRow): boolean => text(row, 'kind') === 'FULLTEXT'
  return [rows.filter(isFullText), rows.filter((row) => !isFullText(row))]
}

function columnInfo(row: SchemaRow, json: boolean, isMariadb: boolean): ColumnInfo {
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
    isReadable: /\bselect\b/i.test(text(row, 'privileges')),
    isWritable: mayWrite(row),
    generated: /\b(virtual|stored|persistent) generated\b/.test(extra),
    collation,
    comment: text(row, 'comment') || undefined,
    default: defaultOf(row, isMariadb || extra.includes('default_generated')),
  }
}

/** The rights of the user on a column, those on its table included: `select,insert`. */
function mayWrite(row: SchemaRow): boolean {
  return /\b(?:insert|update)\b/i.test(text(row, 'privileges'))
}

/** MySQL gives the value of a literal, MariaDB the expression of any. */
function defaultOf(row: SchemaRow, isExpression: boolean): string | undefined {
  const value = text(row, 'default')
  if (row.default === null || value === 'NULL') return undefined
  return isExpression ? value : `'${value.replaceAll("'", "''")}'`
}

function indexInfos(rows: readonly SchemaRow[]): IndexInfo[] {
  return [...Map.groupBy(rows, (row) => text(row, 'name'))].map(([name, members]) => {
    const unique = !flag(members[0] as SchemaRow, 'non_unique')
    return {
      name,
      columns: members.map((row) => text(row, 'column')),
      unique,
      // A unique index over the start of a column says nothing about the whole; an expression has no name.
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
