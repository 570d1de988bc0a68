import type { Filter, ObjectModel, Order } from '@steward/rest-core'
import type { Column, Columns } from './columns.js'
import type { Dialect } from './dialect.js'
import { filterFields, filterSql } from './filter.js'
import type { BoundGuards } from './guards.js'
import { createJoins, type Joins, type PlaceOf } from './joins.js'
import { slots, type Text, type Writer } from './text.js'

/** What statements of one dialect are written with. */
export interface Context {
  readonly dialect: Dialect
  readonly writer: Writer
}

/** `far`: an offset that is worth another way to skip rows. */
export type Paging = 'all' | 'limit' | 'offset' | 'far'

/** Values are taken in this order: row id, filter, guards, limit, offset. */
export interface SelectParts {
  readonly object: ObjectModel
  readonly columns: Columns
  readonly selected: readonly Column[]
  /** Number of values of the filter. */
  readonly filterValues: number
  readonly where?: Filter | undefined
  readonly guards?: BoundGuards | undefined
  readonly byId?: boolean
  readonly order?: readonly Order[]
  readonly paging?: Paging
  /** A limit that is part of the text instead of a value. */
  readonly limit?: number | undefined
  readonly lock?: 'change' | 'delete' | undefined
}

const root = 't0'

export function selectText(context: Context, parts: SelectParts): Text {
  const { dialect, writer } = context
  const { columns, where, guards, order = [], paging = 'all', selected } = parts
  const pageFirst = pagesFirst(parts, dialect)
  const lateral = pageFirst && dialect.pageBeforeJoin === 'lateral'
  const joins = createJoins(root, context, { lateral, guards })
  const reads = writer.raw(selected.map((column) => dialect.read(joins.seen(column), column.type)).join(', '))
  const terms = order
    .map(({ field, descending }) => orderTerm(columns.readable(field), descending, joins.seen, dialect))
    .join(', ')
  const idValues = parts.byId ? 1 : 0

  const table = writer.raw(`${writer.quoteTable(parts.object.table)} as ${root}`)
  const query = writer.builder().from(table)
  if (parts.byId)
    query.whereRaw(writer.raw(dialect.compare(joins.place(columns.id), '=', columns.id.type), slots(0, 1)))
  if (where)
    query.whereRaw(writer.raw(filterSql(where, columns, joins.place, dialect), slots(idValues, parts.filterValues)))
  if (terms) query.orderByRaw(terms)
  const { limit } = parts
  if (paging !== 'all') query.limit(limit ?? 1, { skipBinding: limit !== undefined })
  if (paging === 'offset' || paging === 'far') query.offset(1)

  const first = idValues + parts.filterValues + countValues(guards)
  const options = {
    paging: limit === undefined ? [first, first + 1] : [first],
    suffix: parts.lock ? dialect.lock[parts.lock] : '',
  }
  const finish = (builder: ReturnType<Writer['builder']>): Text => writer.finish(joinAll(builder, joins), options)
  if (!pageFirst) return finish(query.select(reads))

  const own = (names: readonly string[]) => writer.raw(names.map((name) => `${root}.${writer.quote(name)}`).join(', '))
  const outer = writer.builder().select(reads)
  if (terms) outer.orderByRaw(terms)
  if (dialect.pageBeforeJoin !== 'ids') return finish(outer.from(query.select(own(ownColumns(parts))).as(root)))
  const id = own([columns.id.column])
  return finish(outer.from(table).whereIn(id as never, query.select(id)))
}

export function countText(context: Context, { object, columns, where, filterValues, guards }: SelectParts): Text {
  const { dialect, writer } = context
  const joins = createJoins(root, context, { guards })
  const query = writer
    .builder()
    .select(writer.raw('count(*)'))
    .from(writer.raw(`${writer.quoteTable(object.table)} as ${root}`))
  if (where) query.whereRaw(writer.raw(filterSql(where, columns, joins.place, dialect), slots(0, filterValues)))
  return writer.finish(joinAll(query, joins))
}

export function joinAll<B extends { joinRaw(sql: string, bindings?: never): unknown }>(
  builder: B,
  { clauses, slots: values }: Joins,
): B {
  if (values.length > 0) builder.joinRaw(clauses.join(' '), values as never)
  else for (const clause of clauses) builder.joinRaw(clause)
  return builder
}

/** How many values guards take. */
export function countValues(guards: BoundGuards | undefined): number {
  let count = 0
  for (const guard of guards?.values() ?? []) count += guard.slots.length
  return count
}

function orderTerm(column: Column, descending: boolean, place: PlaceOf, dialect: Dialect): string {
  const placed = place(column)
  const value = column.type.kind === 'boolean' ? `coalesce(${placed}, ${dialect.falseLiteral})` : placed
  return dialect.order(value, descending, column.type)
}

/** There is something to join, but filter and order do not need it. */
function pagesFirst(parts: SelectParts, { pageBeforeJoin }: Dialect): boolean {
  const { selected, columns, where, order = [], paging = 'all' } = parts
  if (!pageBeforeJoin || paging === 'all' || selected.every(({ path }) => path.length === 0)) return false
  const used = [...(where ? filterFields(where) : []), ...order.map(({ field }) => field)]
  if (used.some((name) => columns.readable(name).path.length > 0)) return false
  return pageBeforeJoin !== 'ids' || paging === 'far' || !sortsByIndex(parts)
}

function sortsByIndex({ object, order = [] }: SelectParts): boolean {
  const [first] = order
  const field = [object.id, ...object.fields].find(({ name }) => name === first?.field)
  return (
    field !== undefined &&
    (field === object.id ||
      field === object.key[0] ||
      field.indexed ||
      field.unique ||
      field.columnType.kind === 'reference')
  )
}

/** Columns of the object's own table that the outer query needs. */
function ownColumns({ selected, columns, order = [] }: SelectParts): string[] {
  const names = selected.map(({ path: [first], column }) => first?.column ?? column)
  return [...new Set([...names, ...order.map(({ field }) => columns.readable(field).column)])]
}
