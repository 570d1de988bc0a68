import type { Change, ChangeOf } from '../../schema/changes.js'
import { hasTime, onDelete } from '../../schema/sql.js'
import type { ColumnFamily } from '../../schema/table-info.js'
import { columnOfItem, splitTable, withType } from '../../schema/table-text.js'
import { longestInIndex } from './types.js'
import { quote } from '../quote.js'

export type NewIndex = ChangeOf<'addIndex' | 'addWordIndex'>

/**
 * SQL of one change.
 *
 * @param indexes those of a new table
 * @param readColumn gives the definition of a column that is there; asked for one that grows
 */
export async function statementsOf(
  change: Change,
  indexes: readonly NewIndex[],
  readColumn: (column: string) => Promise<string>,
): Promise<string[]> {
  const table = quote(change.table)
  switch (change.kind) {
    case 'renameTable':
      return [`rename table ${quote(change.from)} to ${table}`]
    case 'renameColumn':
      return [`alter table ${table} rename column ${quote(change.from)} to ${quote(change.column)}`]
    case 'createTable':
      return [createTable(change, indexes)]
    case 'addColumn':
      return [`alter table ${table} add column ${quote(change.column.name)} ${change.column.declaration}`]
    case 'changeColumn':
      return change.widening ? [widen(change, await readColumn(change.column))] : convert(change)
    case 'dropColumn':
      return [`alter table ${table} drop column ${quote(change.column)}`]
    case 'addIndex':
      return [`alter table ${table} add ${index(change)}`]
    case 'dropIndex':
      return [`drop index ${quote(change.name)} on ${table}`]
    case 'addForeignKey': {
      const target = `${quote(change.target)} (${change.targetColumns.map(quote).join(', ')})`
      const key = `foreign key (${change.columns.map(quote).join(', ')}) references ${target} on delete ${onDelete(change.onDelete)}`
      return [`alter table ${table} add constraint ${quote(change.name)} ${key}`]
    }
    case 'addWordIndex':
      return [`alter table ${table} add ${index(change)}`]
    case 'dropWordIndex':
      return [`drop index ${quote(change.name)} on ${table}`]
    case 'dropForeignKey':
      return [`alter table ${table} drop foreign key ${quote(change.name)}`]
  }
}

function createTable({ table, id, key, columns }: ChangeOf<'createTable'>, indexes: readonly NewIndex[]): string {
  const lines = [...columns.map(({ name, declaration }) => `${quote(name)} ${declaration}`), ...indexes.map(index)]
  if (!id) lines.push(`primary key (${key.map(quote).join(', ')})`)
  else {
    const idType = id.values === 'integer' ? 'bigint not null auto_increment' : `${id.declaration} not null`
    lines.unshift(`${quote(id.name)} ${idType} primary key`)
  }
  return `create table ${quote(table)} (${lines.join(', ')}) engine = InnoDB default character set utf8mb4`
}

function index(change: NewIndex): string {
  if (change.kind === 'addWordIndex') return `fulltext index ${quote(change.name)} (${quote(change.column)})`
  const { name, columns, families, unique } = change
  const parts = columns.map((column, n) => `${quote(column)}${unique ? '' : prefix(families[n])}`)
  return `${unique ? 'unique ' : ''}index ${quote(name)} (${parts.join(', ')})`
}

/** Texts are indexed by their start; for one that is shorter it is the whole. */
function prefix(family: ColumnFamily | undefined): string {
  return family?.kind === 'string' ? `(${Math.min(family.length ?? Infinity, longestInIndex)})` : ''
}

/** Words that may follow the type and its size in what `show create table` writes. */
const afterType = new Set([
  'character',
  'collate',
  'not',
  'null',
  'default',
  'comment',
  'unsigned',
  'zerofill',
  'on',
  'auto_increment',
  'check',
  'invisible',
])

/** All but the type stays as it is: collation, default, comment. */
function widen({ table, wanted }: ChangeOf<'changeColumn'>, definition: string): string {
  const type = wanted.declaration.replace(/ character set .*/, '')
  return `alter table ${quote(table)} modify column ${withType(definition, type, afterType).trim()}`
}

/** A column's definition in a statement of `show create table`, under the name that it will have. */
export function columnText(statement: string, old: string, name: string): string {
  const item = splitTable(statement).items.find((each) => columnOfItem(each)?.toLowerCase() === old.toLowerCase())
  if (item === undefined) throw new TypeError(`Column "${old}" is not in: ${statement}`)
  return `${quote(name)}${item.trim().slice(quote(old).length)}`
}

/** Values that fit the new type are kept; texts are cut, whatever else does not fit becomes NULL. */
function convert({ table, column, actual, wanted }: ChangeOf<'changeColumn'>): string[] {
  const start = `alter table ${quote(table)} modify column ${quote(column)}`
  // By way of text, which holds what the old type has as well as what the new one can read.
  const between = actual.type.kind === 'string' ? actual.declaration : 'varchar(255) character set utf8mb4'
  return [
    `${start} ${between} null`,
    `update ${quote(table)} set ${quote(column)} = ${conversion(quote(column), wanted.family)} where ${quote(column)} is not null`,
    `${start} ${wanted.declaration} null`,
  ]
}

function conversion(column: string, to: ColumnFamily): string {
  const value = `trim(${column})`
  const matching = (pattern: string, result: string): string =>
    `case when ${value} regexp '${pattern}' then ${result} end`
  switch (to.kind) {
    case 'string':
      return to.length === undefined ? column : `left(${column}, ${to.length})`
    case 'integer':
      return matching(`^[-+]?[0-9]{1,${to.digits}}([.][0-9]*)?$`, `cast(${value} as decimal(40, 0))`)
    case 'decimal':
      return matching(`^[-+]?[0-9]{1,${(to.precision ?? 38) - (to.scale ?? 0)}}([.][0-9]*)?$`, value)
    case 'float':
      return matching('^[-+]?[0-9]+([.][0-9]*)?(e[-+]?[0-9]+)?$', value)
    case 'boolean':
      return `case when lower(${value}) in ('true', 't', '1') then '1' when lower(${value}) in ('false', 'f', '0') then '0' end`
    case 'date':
      return matching('^[0-9]{4}-[0-9]{2}-[0-9]{2}', `date(${value})`)
    case 'datetime':
      return matching('^[0-9]{4}-[0-9]{2}-[0-9]{2}', `timestamp(${value})`)
    case 'time':
      return matching('^[0-9]{2}:[0-9]{2}', `left(${value}, ${to.fraction ? 9 + to.fraction : 8})`)
    default:
      return 'null'
  }
}

/** Whether a value (not NULL) would not stay as it is in a column that is converted. */
export function isLost(column: string, to: ColumnFamily): string {
  const value = `cast(${column} as char)`
  const converted = conversion(value, to)
  if (to.kind === 'string') return to.length === undefined ? 'false' : `char_length(${value}) > ${to.length}`
  if (to.kind === 'integer' || to.kind === 'decimal') {
    const exact = `cast(trim(${value}) as decimal(65, 25))`
    const scale = to.kind === 'integer' ? 0 : (to.scale ?? 0)
    return `case when (${converted}) is null then true else round(${exact}, ${scale}) <> ${exact} end`
  }
  return `(${converted}) is null${to.kind === 'date' ? ` or ${hasTime(`trim(${value})`)}` : ''}`
}
