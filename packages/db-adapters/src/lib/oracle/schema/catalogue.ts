import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import type { Catalogue, SchemaInfo } from '../../schema/dialect.js'
import { isOwnName } from '../../schema/names.js'
import { flag, number, text } from '../../schema/rows.js'
import type { ColumnInfo, ForeignKeyInfo, IndexInfo, TableInfo, WordIndexInfo } from '../../schema/table-info.js'
import { isWordColumn, wordsTableName } from '../../words-table/words-table.js'
import { quote } from '../../sql/text.js'
import { declarationOf, familyOf, type CatalogueType } from './types.js'

/** Statements for the schema of the user, or for the one whose name is bound as `:1`. */
function statementsFor(isOwn: boolean) {
  const view = isOwn ? 'user' : 'all'
  const inSchema = (alias: string): string => (isOwn ? '' : ` and ${alias}.owner = :1`)
  const same = (a: string, b: string): string => (isOwn ? '' : ` and ${a}.owner = ${b}.owner`)
  const target = isOwn ? 'user' : 't.owner'
  return {
    tables: `
      select t.table_name as name, m.table_type as kind, m.comments as remark
      from ${view}_tables t join ${view}_tab_comments m on m.table_name = t.table_name${same('m', 't')}
      where t.nested = 'NO' and t.secondary = 'N'${inSchema('t')}`,
    views: `
      select v.view_name as name, 'VIEW' as kind, m.comments as remark
      from ${view}_views v left join ${view}_tab_comments m on m.table_name = v.view_name${same('m', 'v')}
      where 1 = 1${inSchema('v')}`,
    // A write to a view with triggers cannot give the row back.
    writable: `
      select c.table_name as tab, c.column_name as name, c.updatable as updatable, c.insertable as insertable,
        c.deletable as deletable
      from ${view}_updatable_columns c
        join ${view}_views v on v.view_name = c.table_name${same('v', 'c')}
      where not exists (select 1 from ${view}_triggers g
        where g.table_name = c.table_name and g.trigger_type = 'INSTEAD OF'${isOwn ? '' : ' and g.table_owner = c.owner'})${inSchema('c')}`,
    columns: `
      select c.table_name as tab, c.column_name as name, c.data_type as type, c.char_length as characters,
        c.data_precision as digits, c.data_scale as decimals, c.nullable as nullable, c.default_length as default_length,
        c.identity_column as numbered, c.virtual_column as generated, m.comments as remark
      from ${view}_tab_cols c
        left join ${view}_col_comments m on m.table_name = c.table_name and m.column_name = c.column_name${same('m', 'c')}
      where c.hidden_column = 'NO'${inSchema('c')} order by c.table_name, c.column_id`,
    keys: `
      select c.table_name as tab, c.constraint_name as name, c.index_name as index_name, k.column_name as col
      from ${view}_constraints c join ${view}_cons_columns k on k.constraint_name = c.constraint_name${same('k', 'c')}
      where c.constraint_type = 'P'${inSchema('c')} order by c.table_name, k.position`,
    indexes: `
      select i.table_name as tab, i.index_name as name, i.uniqueness as uniqueness, i.index_type as type,
        c.column_name as col
      from ${view}_indexes i join ${view}_ind_columns c on c.index_name = i.index_name${isOwn ? '' : ' and c.index_owner = i.owner'}
      where 1 = 1${isOwn ? '' : ' and i.table_owner = :1'}
      order by i.table_name, i.index_name, c.column_position`,
    foreignKeys: `
      select c.table_name as tab, c.constraint_name as name, c.delete_rule as rule, k.column_name as col,
        ${target} as target_owner, t.table_name as target, t.column_name as target_column
      from ${view}_constraints c
        join ${view}_cons_columns k on k.constraint_name = c.constraint_name${same('k', 'c')}
        join ${view}_cons_columns t on t.constraint_name = c.r_constraint_name${isOwn ? '' : ' and t.owner = c.r_owner'}
          and t.position = k.position
      where c.constraint_type = 'R'${inSchema('c')} order by c.table_name, c.constraint_name, k.position`,
  }
}

const statements = { own: statementsFor(true), other: statementsFor(false) }

const schemasSql = `
  select u.username as name, count(t.table_name) as tables, case when u.username = user then 1 else 0 end as own
  from all_users u left join all_tables t on t.owner = u.username
  where u.oracle_maintained = 'N' group by u.username order by u.username`

export async function readOracle(connection: SchemaConnection, schemas?: readonly string[]): Promise<Catalogue> {
  const [{ name: own = '' } = {}] = schemas ? await connection.rows('select user as name from dual') : []
  const tables: TableInfo[] = []
  for (const schema of schemas ?? [undefined])
    tables.push(...(await readSchema(connection, schema === own ? undefined : schema, String(own))))
  return { foldsTableNames: false, foldsColumnNames: false, tables }
}

/** @param schema undefined: that of the user, `own` */
async function readSchema(connection: SchemaConnection, schema: string | undefined, own: string): Promise<TableInfo[]> {
  const sql = schema === undefined ? statements.own : statements.other
  const read = (text: string): Promise<readonly SchemaRow[]> =>
    connection.rows(text, schema === undefined ? [] : [schema])
  const found = [...(await read(sql.tables)), ...(await read(sql.views))]
  const columns = byTable(await read(sql.columns))
  const keys = byTable(await read(sql.keys))
  const indexes = byTable(await read(sql.indexes))
  const writable = byTable(await read(sql.writable))
  const foreignKeys = byTable(await read(sql.foreignKeys))
  const [ours, others] = [new Set<string>(), [] as SchemaRow[]]
  for (const row of found) {
    if (isOwnName(text(row, 'name'))) ours.add(text(row, 'name'))
    else others.push(row)
  }
  return others.map((row): TableInfo => {
    const name = text(row, 'name')
    const key = keys(name)
    const keyIndex = key[0] && text(key[0], 'index_name')
    const isView = text(row, 'kind') === 'VIEW'
    const written = isView ? writtenColumns(writable(name)) : undefined
    return {
      name: schema === undefined ? name : `${schema}.${name}`,
      schema,
      kind: isView ? 'view' : 'table',
      columns: columns(name).map((each) => {
        const info = columnInfo(each)
        return written && !written.has(info.name) ? { ...info, generated: true } : info
      }),
      primaryKey: key.map((each) => text(each, 'col')),
      indexes: indexInfos(indexes(name)).filter((index) => index.name !== keyIndex),
      foreignKeys: foreignKeyInfos(foreignKeys(name), schema, own),
      wordIndexes: wordIndexes(wordsTableName(name)),
      foreignKeysSupported: true,
      implicitId: undefined,
      comment: text(row, 'remark') || undefined,
      // Without a key that the view declares, rows are known by a guess only, and never written.
      writtenBy: written && key.every((each) => written.has(text(each, 'col'))) ? 'database' : undefined,
    }
  })

  function wordIndexes(name: string): WordIndexInfo[] {
    if (!ours.has(name)) return []
    const names = columns(name).map((column) => text(column, 'name'))
    const column = names.find(isWordColumn) ?? ''
    return [{ name, column }]
  }
}

/** The columns that can be written, of a view whose rows can be made, changed and deleted. */
function writtenColumns(rows: readonly SchemaRow[]): ReadonlySet<string> | undefined {
  const says = (row: SchemaRow, ...names: string[]): boolean => names.every((name) => text(row, name) === 'YES')
  const found = rows.filter((row) => says(row, 'insertable', 'updatable'))
  if (found.length === 0 || !rows.every((row) => says(row, 'deletable'))) return undefined
  return new Set(found.map((row) => text(row, 'name')))
}

export async function readSchemas(connection: SchemaConnection): Promise<SchemaInfo[]> {
  return (await connection.rows(schemasSql)).map((row) => ({
    name: text(row, 'name'),
    tables: number(row, 'tables') ?? 0,
    isDefault: flag(row, 'own'),
  }))
}

/** A DATE has a time too: only its content distinguishes dates from moments. */
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
  const from = table.split('.').map(quote).join('.')
  const sql = `select 1 as found from ${from} where ${name} <> trunc(${name}) fetch first 1 rows only`
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
    comment: text(row, 'remark') || undefined,
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

function foreignKeyInfos(rows: readonly SchemaRow[], schema: string | undefined, own: string): ForeignKeyInfo[] {
  return [...Map.groupBy(rows, (row) => text(row, 'name'))].map(([name, members]) => ({
    name,
    columns: members.map((row) => text(row, 'col')),
    table: targetOf(members[0] as SchemaRow),
    targetColumns: members.map((row) => text(row, 'target_column')),
    onDelete: rules[text(members[0] as SchemaRow, 'rule')] ?? 'other',
  }))

  function targetOf(row: SchemaRow): string {
    const owner = text(row, 'target_owner')
    return schema === undefined || owner === own ? text(row, 'target') : `${owner}.${text(row, 'target')}`
  }
}
