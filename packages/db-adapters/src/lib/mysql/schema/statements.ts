import type { Change, ChangeOf } from '../../schema/changes.js'
import { hasTime } from '../../schema/sql.js'
import type { ColumnFamily } from '../../schema/table-info.js'
import { columnOfItem, splitTable, withType } from '../../schema/table-text.js'
import { createWriter } from '../../schema/writer.js'
import { mysqlBuilder } from '../builder.js'
import { quote } from '../quote.js'
import { longestInIndex } from './types.js'

export type NewIndex = ChangeOf<'addIndex' | 'addWordIndex'>

const writer = createWriter(mysqlBuilder, { quote, integerId: 'bigint not null auto_increment primary key' })

/**
 * SQL of one change.
 *
 * @param indexes those of a new table
 * @param readColumn gives the declaration of a column that is there; asked for one that grows
 */
export async function statementsOf(
  change: Change,
  indexes: readonly NewIndex[],
  readColumn: (column: string) => Promise<string>,
): Promise<string[]> {
  switch (change.kind) {
    case 'renameColumn': {
      // By SQL: knex reads the column to write it again, and drops the foreign keys for that time.
      const { table, from, column } = change
      return [`alter table ${quote(table)} rename column ${quote(from)} to ${quote(column)}`]
    }
    case 'createTable':
      return writer.create(change, (table) => {
        table.engine('InnoDB')
        table.charset('utf8mb4')
        // Lines of the table: knex adds each index by a statement of its own.
        for (const each of indexes) writer.line(table, `${startOf(each)} ${quote(each.name)}`, `(${partsOf(each)})`)
      })
    case 'changeColumn':
      return change.widening ? widen(change, await readColumn(change.column)) : convert(change)
    case 'addIndex':
      return change.unique ? writer.write(change) : writer.index(change, { part: partOf(change) })
    case 'addWordIndex':
      return writer.index({ ...change, columns: [change.column] }, { type: 'fulltext' })
    case 'dropWordIndex':
      return writer.dropIndex(change.table, change.name)
    default:
      return writer.write(change)
  }
}

function startOf(index: NewIndex): string {
  if (index.kind === 'addWordIndex') return 'fulltext index'
  return index.unique ? 'unique index' : 'index'
}

function partsOf(index: NewIndex): string {
  if (index.kind === 'addWordIndex') return quote(index.column)
  return index.columns.map(index.unique ? quote : partOf(index)).join(', ')
}

function partOf({ columns, families }: ChangeOf<'addIndex'>): (column: string) => string {
  return (column) => `${quote(column)}${prefix(families[columns.indexOf(column)])}`
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
function widen({ table, column, wanted }: ChangeOf<'changeColumn'>, declaration: string): string[] {
  const type = wanted.declaration.replace(/ character set .*/, '')
  const start = quote(column)
  return writer.modify(
    table,
    column,
    withType(`${start} ${declaration}`, type, afterType)
      .trim()
      .slice(start.length + 1),
  )
}

/** A column's declaration in a statement of `show create table`. */
export function declarationIn(statement: string, old: string): string {
  const item = splitTable(statement).items.find((each) => columnOfItem(each)?.toLowerCase() === old.toLowerCase())
  if (item === undefined) throw new TypeError(`Column "${old}" is not in: ${statement}`)
  return item.trim().slice(quote(old).length).trim()
}

/** Values that fit the new type are kept; texts are cut, whatever else does not fit becomes NULL. */
function convert({ table, column, actual, wanted }: ChangeOf<'changeColumn'>): string[] {
  // By way of text, which holds what the old type has as well as what the new one can read.
  const between = actual.type.kind === 'string' ? actual.declaration : 'varchar(255) character set utf8mb4'
  return [
    ...writer.modify(table, column, `${between} null`),
    `update ${quote(table)} set ${quote(column)} = ${conversion(quote(column), wanted.family)} where ${quote(column)} is not null`,
    ...writer.modify(table, column, `${wanted.declaration} null`),
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
