import type { ColumnType, Filter, ObjectModel } from '@steward/rest-core'
import { keyColumns, readsOf, type Column, type Columns } from './columns.js'
import { quoteTable, type Dialect } from './dialect.js'
import { filterFields, filterSql } from './filter.js'
import { createJoins, lookup } from './joins.js'
import { firstRows } from './page.js'
import { hasId } from './select.js'
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
  readonly withTriggers?: Text
  readonly numbers?: string
}

export function insertText(dialect: Dialect, parts: WriteParts): WriteText {
  const { object, written } = parts
  const names = written.map(({ column }) => dialect.quote(column)).join(', ')
  const values = joinTexts(
    written.map(({ type }, at) => bound(dialect, type, at)),
    ', ',
  )
  if (dialect.writes === 'output') {
    const table = quoteTable(object.table, dialect)
    if (written.length === 0) {
      // Not every server takes "default values" together with "output".
      const any = object.fields.find(({ readOnly }) => !readOnly)
      return any
        ? output(dialect, parts, sql`insert into ${table} (${dialect.quote(any.column)})`, sql` values (default)`)
        : output(dialect, parts, sql`insert into ${table}`, sql` ${emptyRow(dialect, parts.columns)}`)
    }
    const [start, end] = [sql`insert into ${table} (${names})`, sql` values (${values})`]
    const given = parts.columns.idValues === 'integer' ? written.findIndex(({ name }) => name === 'row_id') : -1
    return given < 0
      ? output(dialect, parts, start, end)
      : { ...output(dialect, parts, start, end, given), numbers: table }
  }
  const row = written.length === 0 ? emptyRow(dialect, parts.columns) : sql`(${names}) values (${values})`
  return answering(dialect, parts, sql`insert into ${quoteTable(object.table, dialect)} ${row}`)
}

export function updateText(dialect: Dialect, parts: ChangeParts): WriteText {
  const { object, written } = parts
  const assigned = joinTexts(
    written.map(({ column, type }, at) => sql`${dialect.quote(column)} = ${bound(dialect, type, at)}`),
    ', ',
  )
  const table = quoteTable(object.table, dialect)
  const start = sql`update ${table} set ${assigned}`
  const end = sql` where ${condition(dialect, parts)}`
  return dialect.writes === 'output'
    ? output(dialect, parts, start, end)
    : answering(dialect, parts, sql`${start}${end}`)
}

export function deleteText(dialect: Dialect, parts: ChangeParts): WriteText {
  const table = quoteTable(parts.object.table, dialect)
  const matches = condition(dialect, parts)
  const text = dialect.deleteRow?.(parts.object, matches) ?? sql`delete from ${table} where ${matches}`
  return { ...text, gives: 'changes' }
}

function emptyRow({ emptyRow: row, quote }: Dialect, { id }: Columns): string {
  return typeof row === 'string' ? row : row(quote(id.column))
}

function bound({ bind }: Dialect, type: ColumnType, at: number): Text {
  return bind ? { sql: bind(type), slots: [at] } : value(at)
}

/**
 * The written row by `output`. That clause knows the columns of the row only (not every server takes expressions of them),
 * and is refused for tables with triggers unless its rows go into a table; then the row is read by its id, in the same batch.
 *
 * @param givenId slot of the row id, where the write brings it and no table has to remember it
 */
function output(
  dialect: Dialect,
  { object, columns, selected }: WriteParts,
  start: Text,
  end: Text,
  givenId?: number,
): WriteText {
  const { quote } = dialect
  const joins = createJoins('t0', dialect)
  const { reads } = readsOf(selected)
  const keys = columns.id.parts?.map(({ read }) => read) ?? [columns.id]
  const given = keys.map(({ column }) => `inserted.${quote(column)}`).join(', ')
  const names = keys.map((_, at) => `x_id${at}`)
  const declared = keys.map(({ type }, at) => `${names[at]} ${listType(type)}`).join(', ')
  const written = sql`${start} output ${given} into @written (${names.join(', ')})${end}`
  const same = keys
    .map((key, at) => {
      const [collation = ''] = / collate \w+/.exec(listType(key.type)) ?? []
      return `x_w.${names[at]}${collation} = ${joins.place(key)}`
    })
    .join(' and ')
  const listed = reads.map((column) => dialect.read(joins.place(column), column.type)).join(', ')
  const table = quoteTable(object.table, dialect)
  const batch =
    givenId === undefined
      ? sql`declare @written table (${declared}); ${written}; select ${listed} from @written x_w join ${table} t0 on ${same}${joins.clauses()}`
      : sql`${start}${end}; select ${listed} from ${table} t0${joins.clauses()} where ${joins.place(columns.id)} = ${bound(dialect, columns.id.type, givenId)}`
  const own = reads.map(({ column }) => `inserted.${quote(column)}`)
  const isPlain = reads.every(
    ({ path, type }, at) => path.length === 0 && dialect.read(own[at] ?? '', type) === own[at],
  )
  if (!isPlain) return { ...batch, gives: 'records' }
  return { ...sql`${start} output ${own.join(', ')}${end}`, gives: 'records', withTriggers: batch }
}

/** The type of a row id in a table variable; texts of any collation compare with it. */
function listType({ kind, ...type }: Column['type']): string {
  if ('values' in type && type.values === 'integer') return 'bigint'
  switch (kind) {
    case 'integer':
      return 'bigint'
    case 'decimal':
      return `decimal(38, ${(type as { scale: number }).scale})`
    case 'datetime':
      return 'datetime2(7)'
    case 'date':
    case 'time':
      return kind
    default:
      return 'nvarchar(450) collate Latin1_General_100_BIN2'
  }
}

/** Lets the write give back the record, if the dialect can do that in the same statement. */
function answering(dialect: Dialect, { object, columns, selected }: WriteParts, write: Text): WriteText {
  const table = quoteTable(object.table, dialect)
  if (dialect.writes === 'reread') return { ...write, gives: 'changes' }
  if (dialect.writes === 'returning') {
    const reads = readsOf(selected).reads.map((column) =>
      dialect.read(
        column.path.length > 0 ? lookup(table, column, dialect).sql : `${table}.${dialect.quote(column.column)}`,
        column.type,
      ),
    )
    return { ...sql`${write} returning ${reads.join(', ')}`, gives: 'records' }
  }
  if (dialect.writes === 'into') {
    const { reads: own } = readsOf(selected)
    const isGiven = own.every(({ path, type }) => path.length === 0 && !dialect.isLong?.(type))
    const given = isGiven ? own : keyReads(columns)
    const reads = given.map(({ column, type }) => dialect.read(dialect.quote(column), type)).join(', ')
    const outs = given.length
    const into = Array(outs).fill('?').join(', ')
    return { ...sql`${write} returning ${reads} into ${into}`, gives: isGiven ? 'records' : 'id', outs }
  }
  // All parts of the statement see the tables as they were before it, so a row that joins its own table is read afterwards.
  if (selected.some(({ path }) => path.some(({ target }) => target.table === object.table))) {
    const [{ column, type }] = keyReads(columns)
    const id = dialect.read(`${table}.${dialect.quote(column)}`, type)
    return { ...sql`${write} returning ${id}`, gives: 'id' }
  }
  const joins = createJoins('t0', dialect)
  const given = readsOf(selected).reads
  const reads = given.map((column) => dialect.read(joins.place(column), column.type)).join(', ')
  // No others: the database's user may lack the right to read them.
  const own = new Set(given.flatMap(({ path: [first], column }) => (first ? keyColumns(first) : [column])))
  const back = [...own].map(dialect.quote).join(', ')
  return { ...sql`with t0 as (${write} returning ${back}) select ${reads} from t0${joins.clauses()}`, gives: 'records' }
}

/** What shows that a row was written: its id, or the first column of one that has several. */
function keyReads({ id }: Columns): readonly [Column] {
  return [id.parts?.[0]?.read ?? id]
}

/** The row with this id, if it matches the filter. */
function condition(dialect: Dialect, { object, columns, where, written, filterValues }: ChangeParts): Text {
  const table = quoteTable(object.table, dialect)
  const ids = keyColumns(object.id).map(dialect.quote)
  const idSlots = slots(written.length, ids.length)
  const filterSlots = slots(written.length + ids.length, filterValues)
  const hasIdIn = (place: string): string =>
    hasId(columns.id, ({ column }) => `${place}.${dialect.quote(column)}`, dialect)
  if (!where) return { sql: hasIdIn(table), slots: idSlots }
  const joined = [...filterFields(where)].some((name) => columns.readable(name).path.length > 0)
  if (!joined) {
    const matches = filterSql(where, columns, ({ column }) => `${table}.${dialect.quote(column)}`, dialect)
    return { sql: `${hasIdIn(table)} and ${matches}`, slots: [...idSlots, ...filterSlots] }
  }
  const joins = createJoins('t0', dialect)
  const matches = filterSql(where, columns, joins.place, dialect)
  // Two levels and a limit: MySQL refuses a subquery on the table that is written, unless it is surely a table of its own.
  const found = `select t0.${ids[0]} as x_id from ${table} t0${joins.clauses().sql} where ${hasIdIn('t0')} and ${matches}${firstRows(dialect, 1)}`
  // The inner query is about one row, so that the first column of several is enough.
  return {
    sql: `${hasIdIn(table)} and ${table}.${ids[0]} in (select x_id from (${found}) x_found)`,
    slots: [...idSlots, ...idSlots, ...filterSlots],
  }
}
