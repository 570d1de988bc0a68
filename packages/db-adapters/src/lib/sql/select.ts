import type { Filter, ObjectModel, Order } from '@steward/rest-core'
import { binder, key, quoted, raw, type Bind, type Query, type Raw, type Writing } from './builder.js'
import { keyColumns, readsOf, type Column, type Columns, type PlaceOf } from './columns.js'
import { quotedTable, tableKey, valueOf, type Dialect, type Lock } from './dialect.js'
import { filterFields, filterSql } from './filter.js'
import type { BoundGuards } from './guards.js'
import { createJoins, lookup } from './joins.js'

/** `far`: an offset that is worth another way to skip rows. */
export type Paging = 'all' | 'limit' | 'offset' | 'far'

/** A limit and an offset as knex takes them: numbers, or slots of values. */
export interface Page {
  readonly limit: number
  readonly offset: number | undefined
  /** The limit is a number that is part of the text. */
  readonly inText: boolean
}

/** Values are taken in this order: row id, filter. */
export interface SelectParts {
  readonly object: ObjectModel
  readonly columns: Columns
  readonly selected: readonly Column[]
  readonly where?: Filter | undefined
  readonly guards?: BoundGuards | undefined
  readonly byId?: boolean
  readonly order?: readonly Order[]
  readonly paging?: Paging
  /** Absent with `paging: 'all'`. */
  readonly page?: Page
  readonly lock?: Lock | undefined
}

const root = 't0'

export function selectQuery(dialect: Dialect, parts: SelectParts): Writing {
  const { object, columns, where: filter, guards, order = [], page, lock, selected } = parts
  const { builder } = dialect
  const pageFirst = pagesFirst(parts, dialect)
  const looksUp = pageFirst && looksUpEach(parts, dialect)
  const lateral = pageFirst && dialect.pageBeforeJoin === 'lateral'
  const joins = createJoins(root, dialect, { lateral, guards })
  const bind = binder(builder, 0)
  const reads = readsOf(selected).reads.map((column) =>
    looksUp && column.path.length > 0
      ? readOf(lookup(root, column, dialect, guards), column, dialect)
      : builder.raw(dialect.read(joins.seen(column), column.type)),
  )
  const terms = orderTerms(order, columns, joins.seen, dialect)
  const table = tableKey(object.table, dialect)
  const hint = lock && dialect.lockHint?.[lock]
  const matching = (query: Query): Query => {
    if (hint) query.from(builder.raw(`${quotedTable(object.table, dialect)} ${quoted(builder, root)}${hint}`))
    else query.from(`${table} as ${root}`)
    if (parts.byId) addId(query, columns.id, joins.place, dialect, bind)
    return filter ? query.where(bind(filterSql(filter, columns, joins.place, dialect))) : query
  }
  const ordered = (query: Query): Query => (terms === '' ? query : query.orderByRaw(terms))
  const paged = (query: Query): Query => (page ? addPage(ordered(query), page) : ordered(query))
  const locked = (query: Query): Writing => (lock && dialect.lock ? dialect.lock(query, lock) : query)

  const query = builder.select(reads)
  if (!pageFirst || looksUp) return locked(paged(joins.addTo(matching(query))))
  if (dialect.pageBeforeJoin === 'ids') {
    const ids = keyColumns(object.id).map((name) => `${root}.${key(name)}`)
    const found = paged(matching(builder.select(ids)))
    return locked(
      ordered(
        joins.addTo(query.from(`${table} as ${root}`)).whereIn((ids.length > 1 ? ids : ids[0]) as string[], found),
      ),
    )
  }
  const rows = paged(matching(builder.select(ownColumns(parts).map((name) => `${root}.${key(name)}`))))
  return locked(ordered(joins.addTo(query.from(rows.as(root)))))
}

/** The value of a subquery as it is read. */
export function readOf(value: Query, { type }: Column, dialect: Dialect): Raw {
  const read = dialect.read('?', type)
  return raw(dialect.builder, read, Array<Query>(read.split('?').length - 1).fill(value))
}

export function countQuery(dialect: Dialect, { object, columns, where: filter, guards }: SelectParts): Query {
  const joins = createJoins(root, dialect, { guards })
  const query = dialect.builder.count('*').from(`${tableKey(object.table, dialect)} as ${root}`)
  if (filter) query.where(binder(dialect.builder, 0)(filterSql(filter, columns, joins.place, dialect)))
  return joins.addTo(query)
}

export function addPage(query: Query, { limit, offset, inText }: Page): Query {
  query.limit(limit, { skipBinding: inText })
  return offset === undefined ? query : query.offset(offset)
}

/** The row with the bound id. */
export function addId(query: Query, id: Column, place: PlaceOf, dialect: Dialect, bind: Bind): void {
  for (const column of keyTests(id))
    query.where(bind(dialect.compare(valueOf(place(column), column.type, dialect), '=', column.type)))
}

/** The columns of a row id, as they are compared. */
export function keyTests(id: Column): readonly Column[] {
  return id.parts ? id.parts.map(({ test }) => test) : [id]
}

/** Terms of `order by`, as SQL: knex knows no collations, and says where NULLs go by `is null`, which no index serves. */
export function orderTerms(order: readonly Order[], columns: Columns, place: PlaceOf, dialect: Dialect): string {
  const known = new Set<string>()
  const terms: string[] = []
  for (const { field, descending } of order) {
    for (const column of keyTests(columns.readable(field))) {
      const placed = place(column)
      if (known.has(placed)) continue
      known.add(placed)
      terms.push(orderTerm(column, descending, place, dialect))
    }
  }
  return terms.join(', ')
}

function orderTerm(column: Column, descending: boolean, place: PlaceOf, dialect: Dialect): string {
  const placed = valueOf(place(column), column.type, dialect)
  const { kind, facts } = column.type
  const value = kind === 'boolean' && !facts?.required ? `coalesce(${placed}, ${dialect.falseLiteral})` : placed
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

/**
 * Each linked value is looked up by a subquery, which is planned in less time than a join to the page and runs for its rows
 * only. With an offset, skipped rows would be looked up as well; several values of one row are read by one join.
 */
function looksUpEach({ selected, paging }: SelectParts, { pageBeforeJoin }: Dialect): boolean {
  if (pageBeforeJoin !== 'lateral' || paging !== 'limit') return false
  const paths = readsOf(selected).reads.flatMap(({ path }) => (path.length > 0 ? [path] : []))
  return paths.every(({ length }) => length === 1) && new Set(paths.map(([first]) => first)).size === paths.length
}

function sortsByIndex({ object, order = [] }: SelectParts): boolean {
  const [first] = order
  const field = [object.id, ...object.fields].find(({ name }) => name === first?.field)
  return (
    field !== undefined &&
    (field === object.id ||
      field === object.key[0] ||
      object.id.parts?.some((part) => part === field) ||
      field.indexed ||
      field.unique ||
      field.columnType.kind === 'reference')
  )
}

/** Columns of the object's own table that the outer query needs. */
function ownColumns({ selected, columns, order = [] }: SelectParts): string[] {
  const names = readsOf(selected).reads.flatMap(({ path: [first], column }) => (first ? keyColumns(first) : [column]))
  const sorted = order.flatMap(({ field }) => keyTests(columns.readable(field)).map(({ column }) => column))
  return [...new Set([...names, ...sorted])]
}
