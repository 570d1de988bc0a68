import { keySeparator } from '@steward/rest-core'
import type { AggregateFunction, AggregateRow, DatePart, FieldValue, Filter, ObjectModel } from '@steward/rest-core'
import { binder, type Query } from './builder.js'
import type { Column, Columns } from './columns.js'
import { tableKey, valueOf, type Dialect, type Present, type Reading } from './dialect.js'
import { filterSql } from './filter.js'
import type { BoundGuards } from './guards.js'
import { createJoins } from './joins.js'
import type { BoundStatement } from './statement.js'

export interface AggregateParts {
  readonly object: ObjectModel
  readonly columns: Columns
  readonly groups: readonly { readonly column: Column; readonly by: DatePart | undefined }[]
  readonly values: readonly { readonly function: AggregateFunction; readonly column: Column | undefined }[]
  readonly where: Filter | undefined
  readonly guards: BoundGuards | undefined
  readonly limit: number | undefined
  /** Sums may not fit into 64 bits. */
  readonly wide: boolean
}

export interface AggregateStatement {
  readonly query: Query
  readonly gives: 'groups'
  readonly decodeGroup: (row: readonly unknown[]) => AggregateRow
}

/** One selected value of a group; `empty` stands for NULL. */
interface Term extends Reading<FieldValue> {
  readonly empty: FieldValue
}

const root = 't0'

/** `select … group by …` in one pass, with joins for the fields of linked objects. */
export function aggregateQuery(dialect: Dialect, parts: AggregateParts): AggregateStatement {
  const { object, columns, where: filter, guards, limit, wide } = parts
  const { builder } = dialect
  const joins = createJoins(root, dialect, { guards })
  const groups = parts.groups.flatMap(({ column, by }) =>
    keyReads(column).map((each) => groupTerm(joins.seen(each), each, by, dialect)),
  )
  const values = parts.values.map((value) =>
    value.column?.parts
      ? countOfKey(value.column.parts.map(({ read }) => joins.seen(read)))
      : valueTerm(value.function, value.column && joins.seen(value.column), value.column, wide, dialect),
  )
  const query = builder
    .select([...groups, ...values].map(({ read }) => builder.raw(read)))
    .from(`${tableKey(object.table, dialect)} as ${root}`)
  if (filter) query.where(binder(builder, 0)(filterSql(filter, columns, joins.place, dialect)))
  if (groups.length > 0) query.groupByRaw(groups.map(({ group }) => group).join(', '))
  if (limit !== undefined) query.limit(limit, { skipBinding: true })
  return {
    query: joins.addTo(query),
    gives: 'groups',
    decodeGroup: (row) => ({
      groups: groupsOf(parts.groups, groups, row),
      values: values.map((term, at) => decodeTerm(term, row[groups.length + at])),
    }),
  }
}

export function decodeGroups({ statement }: BoundStatement, rows: readonly (readonly unknown[])[]): AggregateRow[] {
  const { decodeGroup } = statement
  if (!decodeGroup) throw new TypeError('This statement gives no groups.')
  return rows.map(decodeGroup)
}

function keyReads(column: Column): readonly Column[] {
  return column.parts ? column.parts.map(({ read }) => read) : [column]
}

/** A row id or reference of several columns is one value of the group. */
function groupsOf(groups: AggregateParts['groups'], terms: readonly Term[], row: readonly unknown[]): FieldValue[] {
  let at = 0
  return groups.map(({ column: { parts } }) => {
    if (!parts) return decodeTerm(terms[at] as Term, row[at++])
    const texts = parts.map(({ text }) => {
      const value = row[at]
      const term = terms[at++] as Term
      return value === null || value === undefined ? undefined : text(term.decode(value))
    })
    return texts.includes(undefined) ? '' : texts.join(keySeparator)
  })
}

function countOfKey(places: readonly string[]): Term {
  const filled = places.map((place) => `${place} is not null`).join(' and ')
  return { read: `count(case when ${filled} then 1 end)`, decode: Number, empty: 0 }
}

function groupTerm(
  place: string,
  { type, empty }: Column,
  by: DatePart | undefined,
  dialect: Dialect,
): Term & { readonly group: string } {
  if (by) return { ...dialect.datePart(place, by, type), empty }
  const value = valueOf(place, type, dialect)
  const other = dialect.group?.(place, type)
  const group = type.kind === 'boolean' ? `coalesce(${value}, ${dialect.falseLiteral})` : (other?.group ?? place)
  const also = dialect.alsoGroup?.(place, type)
  const read = other?.read ?? dialect.read(group, type)
  return { group: also ? `${group}, ${also}` : group, read, decode: decoderOf(type, empty, dialect), empty }
}

function valueTerm(
  name: AggregateFunction,
  place: string | undefined,
  column: Column | undefined,
  wide: boolean,
  dialect: Dialect,
): Term {
  if (name === 'count') return { read: countOf(place, column, dialect), decode: Number, empty: 0 }
  if (place === undefined || !column) throw new TypeError(`"${name}" needs a field.`)
  if (name === 'sum') return { ...dialect.sum(place, column.type, wide), empty: null }
  return {
    read: dialect.read(`${name}(${valueOf(place, column.type, dialect)})`, column.type),
    decode: decoderOf(column.type, column.empty, dialect),
    empty: null,
  }
}

/** Rows, or those in which the column is filled; booleans always are. */
function countOf(place: string | undefined, column: Column | undefined, dialect: Dialect): string {
  if (place === undefined || !column || column.type.kind === 'boolean') return 'count(*)'
  const filled = dialect.isFilled(place, column.type)
  return filled === `${place} is not null` ? `count(${place})` : `count(case when ${filled} then 1 end)`
}

function decoderOf(type: Column['type'], empty: FieldValue, dialect: Dialect): (value: Present) => FieldValue {
  return dialect.decode(type) ?? (empty === '' ? String : (value) => value as FieldValue)
}

function decodeTerm({ decode, empty }: Term, value: unknown): FieldValue {
  return value === null || value === undefined ? empty : decode(value)
}
