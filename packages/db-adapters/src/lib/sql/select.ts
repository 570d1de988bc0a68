import type { Filter, ObjectModel, Order } from '@steward/rest-core'
import { keyColumns, readsOf, type Column, type Columns, type PlaceOf } from './columns.js'
import { quoteTable, valueOf, type Dialect } from './dialect.js'
import { filterFields, filterSql } from './filter.js'
import { countValues, type BoundGuards } from './guards.js'
import { createJoins, lookup } from './joins.js'
import { pageText } from './page.js'
import { joinTexts, slots, sql, value, type Text } from './text.js'

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

export function selectText(dialect: Dialect, parts: SelectParts): Text {
  const { object, columns, where, guards, filterValues, order = [], paging = 'all', selected } = parts
  const pageFirst = pagesFirst(parts, dialect)
  const looksUp = pageFirst && looksUpEach(parts, dialect)
  const lateral = pageFirst && dialect.pageBeforeJoin === 'lateral'
  const joins = createJoins(root, dialect, { lateral, guards })
  const reads = joinTexts(
    readsOf(selected).reads.map((column) => {
      const isLinked = looksUp && column.path.length > 0
      const place = isLinked ? lookup(root, column, dialect, guards) : { sql: joins.seen(column), slots: [] }
      return { ...place, sql: dialect.read(place.sql, column.type) }
    }),
    ', ',
  )
  const terms = orderTerms(order, columns, joins.seen, dialect)
  const ordered = terms && ` order by ${terms}`
  const idValues = parts.byId ? keyTests(columns.id).length : 0

  const hint = parts.lock ? (dialect.lockHint?.[parts.lock] ?? '') : ''
  const table = `${quoteTable(object.table, dialect)} ${root}${hint}`
  const conditions: Text[] = []
  if (parts.byId) conditions.push({ sql: hasId(columns.id, joins.place, dialect), slots: slots(0, idValues) })
  if (where)
    conditions.push({ sql: filterSql(where, columns, joins.place, dialect), slots: slots(idValues, filterValues) })
  const matching = whereText(conditions)
  const page =
    paging === 'all'
      ? ''
      : pageAt(dialect, idValues + filterValues + countValues(guards), paging !== 'limit', parts.limit, terms !== '')
  const lock = parts.lock && dialect.lock[parts.lock] ? ` ${dialect.lock[parts.lock]}` : ''
  if (!pageFirst || looksUp)
    return sql`select ${reads} from ${table}${joins.clauses()}${matching}${ordered}${page}${lock}`

  const own = (names: readonly string[]) => names.map((name) => `${root}.${dialect.quote(name)}`).join(', ')
  if (dialect.pageBeforeJoin === 'ids') {
    const id = own(keyColumns(object.id))
    const ids = sql`select ${id} from ${table}${matching}${ordered}${page}`
    return sql`select ${reads} from ${table}${joins.clauses()} where ${object.id.parts ? `(${id})` : id} in (${ids})${ordered}${lock}`
  }
  const rows = sql`select ${own(ownColumns(parts))} from ${table}${matching}${ordered}${page}`
  return sql`select ${reads} from (${rows}) ${root}${joins.clauses()}${ordered}${lock}`
}

export function countText(dialect: Dialect, { object, columns, where, filterValues, guards }: SelectParts): Text {
  const joins = createJoins(root, dialect, { guards })
  const conditions = where
    ? [{ sql: filterSql(where, columns, joins.place, dialect), slots: slots(0, filterValues) }]
    : []
  return sql`select count(*) from ${quoteTable(object.table, dialect)} ${root}${joins.clauses()}${whereText(conditions)}`
}

/** ` where …`, all of the conditions; nothing without any. */
export function whereText(conditions: readonly Text[]): Text | '' {
  return conditions.length === 0 ? '' : sql` where ${joinTexts(conditions, ' and ')}`
}

/** @param first Slot of the limit; the offset follows. Of the offset, when the limit is part of the text. */
export function pageAt(dialect: Dialect, first: number, hasOffset: boolean, limit?: number, ordered?: boolean): Text {
  const isText = limit !== undefined
  const most = isText ? { sql: String(limit), slots: [] } : value(first)
  return pageText(dialect, most, hasOffset ? value(isText ? first : first + 1) : undefined, ordered)
}

/** The row with the bound id. */
export function hasId(id: Column, place: PlaceOf, dialect: Dialect): string {
  return keyTests(id)
    .map((column) => dialect.compare(place(column), '=', column.type))
    .join(' and ')
}

/** The columns of a row id, as they are compared. */
export function keyTests(id: Column): readonly Column[] {
  return id.parts ? id.parts.map(({ test }) => test) : [id]
}

/** Terms of `order by`; no column comes twice. */
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
