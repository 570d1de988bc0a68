import type { Filter, ObjectModel } from '@steward/rest-core'
import type { Column, Columns } from './columns.js'
import { filterFields, filterSql } from './filter.js'
import { createJoins } from './joins.js'
import { joinAll, type Context } from './select.js'
import { Slot, slots, type Text, type Writer } from './text.js'

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
}

export function insertText(context: Context, parts: WriteParts): WriteText {
  const { writer } = context
  const query = writer
    .builder()
    .from(writer.raw(writer.quoteTable(parts.object.table)))
    .insert(assigned(parts, writer))
  return answering(context, parts, query)
}

export function updateText(context: Context, parts: ChangeParts): WriteText {
  const { writer } = context
  const query = writer
    .builder()
    .from(writer.raw(writer.quoteTable(parts.object.table)))
    .update(assigned(parts, writer))
  return answering(context, parts, query.whereRaw(condition(context, parts)))
}

export function deleteText(context: Context, parts: ChangeParts): WriteText {
  const { writer } = context
  const query = writer
    .builder()
    .from(writer.raw(writer.quoteTable(parts.object.table)))
    .delete()
  return { ...writer.finish(query.whereRaw(condition(context, parts))), gives: 'changes' }
}

function assigned({ written }: WriteParts, writer: Writer): Record<string, unknown> {
  return Object.fromEntries(written.map(({ column }, index) => [writer.key(column), new Slot(index)]))
}

type Builder = ReturnType<Writer['builder']>

/** Lets the write give back the record, if the dialect can do that in the same statement. */
function answering(context: Context, { object, columns, selected }: WriteParts, write: Builder): WriteText {
  const { dialect, writer } = context
  const table = writer.quoteTable(object.table)
  if (dialect.writes === 'reread') return { ...writer.finish(write), gives: 'changes' }
  if (dialect.writes === 'returning') {
    const reads = selected.map((column) =>
      dialect.read(
        column.path.length > 0 ? joinedValue(table, column, context) : `${table}.${writer.quote(column.column)}`,
        column.type,
      ),
    )
    return { ...writer.finish(write.returning(writer.raw(reads.join(', ')) as never)), gives: 'records' }
  }
  // All parts of the statement see the tables as they were before it, so a row that joins its own table is read afterwards.
  if (selected.some(({ path }) => path.some(({ target }) => target.table === object.table))) {
    const id = dialect.read(`${table}.${writer.quote(columns.id.column)}`, columns.id.type)
    return { ...writer.finish(write.returning(writer.raw(id) as never)), gives: 'id' }
  }
  const joins = createJoins('t0', context)
  const reads = selected.map((column) => dialect.read(joins.place(column), column.type))
  const query = writer
    .builder()
    .with('t0', write.returning('*') as never)
    .select(writer.raw(reads.join(', ')))
    .from(writer.raw('t0'))
  return { ...writer.finish(joinAll(query, joins)), gives: 'records' }
}

/** The value of a joined field as a scalar subquery on the row's own reference. */
function joinedValue(table: string, column: Column, context: Context): string {
  const { writer } = context
  const [first, ...rest] = column.path
  if (!first) throw new TypeError(`"${column.name}" is not joined.`)
  const root = '_j0'
  const joins = createJoins(root, context)
  const value = joins.place({ ...column, path: rest })
  const from = [`${writer.quoteTable(first.target.table)} as ${root}`, ...joins.clauses].join(' ')
  return `(select ${value} from ${from} where ${root}.${writer.quote(first.target.id.column)} = ${table}.${writer.quote(first.column)})`
}

/** The row with this id, if it matches the filter. */
function condition(
  context: Context,
  { object, columns, where, written, filterValues }: ChangeParts,
): ReturnType<Writer['raw']> {
  const { dialect, writer } = context
  const table = writer.quoteTable(object.table)
  const idSlots = slots(written.length, 1)
  const filterSlots = slots(written.length + 1, filterValues)
  const hasId = (place: string): string =>
    dialect.compare(`${place}.${writer.quote(columns.id.column)}`, '=', columns.id.type)
  if (!where) return writer.raw(hasId(table), idSlots)
  const joined = [...filterFields(where)].some((name) => columns.readable(name).path.length > 0)
  if (!joined) {
    const matches = filterSql(where, columns, ({ column }) => `${table}.${writer.quote(column)}`, dialect)
    return writer.raw(`${hasId(table)} and ${matches}`, [...idSlots, ...filterSlots])
  }
  const joins = createJoins('t0', context)
  const matches = filterSql(where, columns, joins.place, dialect)
  const id = writer.quote(columns.id.column)
  // Two levels and a limit: MySQL refuses a subquery on the table that is written, unless it is surely a table of its own.
  const found = `select t0.${id} as _id from ${[`${table} as t0`, ...joins.clauses].join(' ')} where ${hasId('t0')} and ${matches} limit 1`
  const sql = `${hasId(table)} and ${table}.${id} in (select _id from (${found}) as _found)`
  return writer.raw(sql, [...idSlots, ...idSlots, ...filterSlots])
}
