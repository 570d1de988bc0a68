import type { Filter, ObjectModel } from '@steward/rest-core'
import type { Column, Columns } from './columns.js'
import { quoteTable, type Dialect } from './dialect.js'
import { filterFields, filterSql } from './filter.js'
import { createJoins } from './joins.js'
import { firstRows } from './page.js'
import { joinTexts, slots, sql, value, type Text } from './text.js'

export interface WriteParts {
  readonly object: ObjectModel
  readonly columns: Columns
  /** Columns that are set; their values come first. */
  readonly written: readonly Column[]
  readonly selected: readonly Column[]
}

/** Values are taken in this order: written columns, row id, filter. */
export interface ChangeParts extends WriteParts {
  readonly where?: Filter | undefined
  /** Number of values of the filter. */
  readonly filterValues: number
}

export interface WriteText extends Text {
  readonly gives: 'records' | 'id' | 'changes'
  /** How many placeholders at the end take what the write gives back. Default 0. */
  readonly outs?: number
}

export function insertText(dialect: Dialect, parts: WriteParts): WriteText {
  const { object, written } = parts
  const names = written.map(({ column }) => dialect.quote(column)).join(', ')
  const values = joinTexts(
    written.map((_, at) => value(at)),
    ', ',
  )
  const row = written.length === 0 ? emptyRow(dialect, parts.columns) : sql`(${names}) values (${values})`
  return answering(dialect, parts, sql`insert into ${quoteTable(object.table, dialect)} ${row}`)
}

export function updateText(dialect: Dialect, parts: ChangeParts): WriteText {
  const { object, written } = parts
  const assigned = joinTexts(
    written.map(({ column }, at) => sql`${dialect.quote(column)} = ${value(at)}`),
    ', ',
  )
  const table = quoteTable(object.table, dialect)
  return answering(dialect, parts, sql`update ${table} set ${assigned} where ${condition(dialect, parts)}`)
}

export function deleteText(dialect: Dialect, parts: ChangeParts): WriteText {
  const table = quoteTable(parts.object.table, dialect)
  return { ...sql`delete from ${table} where ${condition(dialect, parts)}`, gives: 'changes' }
}

function emptyRow({ emptyRow: row, quote }: Dialect, { id }: Columns): string {
  return typeof row === 'string' ? row : row(quote(id.column))
}

/** Lets the write give back the record, if the dialect can do that in the same statement. */
function answering(dialect: Dialect, { object, columns, selected }: WriteParts, write: Text): WriteText {
  const table = quoteTable(object.table, dialect)
  if (dialect.writes === 'reread') return { ...write, gives: 'changes' }
  if (dialect.writes === 'returning') {
    const reads = selected.map((column) =>
      dialect.read(
        column.path.length > 0 ? joinedValue(table, column, dialect) : `${table}.${dialect.quote(column.column)}`,
        column.type,
      ),
    )
    return { ...sql`${write} returning ${reads.join(', ')}`, gives: 'records' }
  }
  if (dialect.writes === 'into') {
    const isGiven = selected.every(({ path, type }) => path.length === 0 && !dialect.isLong?.(type))
    const given = isGiven ? selected : [columns.id]
    const reads = given.map(({ column, type }) => dialect.read(`${table}.${dialect.quote(column)}`, type)).join(', ')
    const outs = given.length
    const into = Array(outs).fill('?').join(', ')
    return { ...sql`${write} returning ${reads} into ${into}`, gives: isGiven ? 'records' : 'id', outs }
  }
  // All parts of the statement see the tables as they were before it, so a row that joins its own table is read afterwards.
  if (selected.some(({ path }) => path.some(({ target }) => target.table === object.table))) {
    const id = dialect.read(`${table}.${dialect.quote(columns.id.column)}`, columns.id.type)
    return { ...sql`${write} returning ${id}`, gives: 'id' }
  }
  const joins = createJoins('t0', dialect)
  const reads = selected.map((column) => dialect.read(joins.place(column), column.type)).join(', ')
  return { ...sql`with t0 as (${write} returning *) select ${reads} from t0${joins.clauses()}`, gives: 'records' }
}

/** The value of a joined field as a scalar subquery on the row's own reference. */
function joinedValue(table: string, column: Column, dialect: Dialect): string {
  const [first, ...rest] = column.path
  if (!first) throw new TypeError(`"${column.name}" is not joined.`)
  const root = 'x_j0'
  const joins = createJoins(root, dialect)
  const value = joins.place({ ...column, path: rest })
  const from = `${quoteTable(first.target.table, dialect)} ${root}${joins.clauses().sql}`
  return `(select ${value} from ${from} where ${root}.${dialect.quote(first.target.id.column)} = ${table}.${dialect.quote(first.column)})`
}

/** The row with this id, if it matches the filter. */
function condition(dialect: Dialect, { object, columns, where, written, filterValues }: ChangeParts): Text {
  const table = quoteTable(object.table, dialect)
  const idSlots = slots(written.length, 1)
  const filterSlots = slots(written.length + 1, filterValues)
  const hasId = (place: string): string =>
    dialect.compare(`${place}.${dialect.quote(columns.id.column)}`, '=', columns.id.type)
  if (!where) return { sql: hasId(table), slots: idSlots }
  const joined = [...filterFields(where)].some((name) => columns.readable(name).path.length > 0)
  if (!joined) {
    const matches = filterSql(where, columns, ({ column }) => `${table}.${dialect.quote(column)}`, dialect)
    return { sql: `${hasId(table)} and ${matches}`, slots: [...idSlots, ...filterSlots] }
  }
  const joins = createJoins('t0', dialect)
  const matches = filterSql(where, columns, joins.place, dialect)
  const id = dialect.quote(columns.id.column)
  // Two levels and a limit: MySQL refuses a subquery on the table that is written, unless it is surely a table of its own.
  const found = `select t0.${id} as x_id from ${table} t0${joins.clauses().sql} where ${hasId('t0')} and ${matches}${firstRows(dialect, 1)}`
  return {
    sql: `${hasId(table)} and ${table}.${id} in (select x_id from (${found}) x_found)`,
    slots: [...idSlots, ...idSlots, ...filterSlots],
  }
}
