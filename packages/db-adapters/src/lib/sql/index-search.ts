import { StoreError } from '@steward/rest-core/errors'
import type { Filter, IndexHit, IndexTerm, ObjectModel } from '@steward/rest-core'
import type { Column, Columns } from './columns.js'
import { filterSql } from './filter.js'
import type { BoundGuards } from './guards.js'
import { createJoins } from './joins.js'
import { countValues, joinAll, type Context } from './select.js'
import type { Call } from './statement.js'
import { Slot, slots, type Text, type Writer } from './text.js'

/** How a database finds rows by their words. */
export interface WordsDialect {
  /** The table beside a table that is asked in place of it, as `<name>.<name> match …` by rowid; absent: the column of words is asked. */
  readonly table?: (table: string) => string
  /** @param uncommitted Rows must be found that this transaction has written. */
  match(terms: readonly IndexTerm[], uncommitted: boolean): WordMatch
}

/** One search for words; those of the same shape differ in values only. */
export interface WordMatch {
  readonly shape: string
  readonly values: readonly unknown[]
  readonly condition: (at: Place) => Piece
  /** The better the higher. */
  readonly score: (at: Place) => Piece
}

/** Alias of the table that is asked, and its column, quoted. */
export interface Place {
  readonly table: string
  readonly column: string
}

/** SQL whose placeholders take these of the values. */
export interface Piece {
  readonly sql: string
  readonly values: readonly number[]
}

/** Values are taken in this order: words, filter, guards, limit, offset. */
export interface IndexSearchParts {
  readonly object: ObjectModel
  readonly columns: Columns
  readonly selected: readonly Column[]
  readonly match: WordMatch
  readonly where: Filter | undefined
  readonly filterValues: number
  readonly guards: BoundGuards | undefined
  readonly offset: boolean
}

const root = 't0'
const words = 'w'

/**
 * Ids and scores of the best rows first, in a query of their own, then what is selected of them: ranking sorts all rows
 * that match, and must not carry their columns. The score is the last column.
 */
export function indexSearchText(context: Context, parts: IndexSearchParts): Text {
  const { dialect, writer } = context
  const { object, columns, selected, match, filterValues, guards } = parts
  const joins = createJoins(root, context, { guards })
  const reads = [...selected.map((column) => dialect.read(joins.seen(column), column.type)), '_found._score']
  const { query, id, at } = matching(context, parts)
  const score = match.score(at)
  query
    .select(writer.raw(`${id} as _id`), writer.raw(`${score.sql} as _score`, valueSlots(score)))
    .orderByRaw(`_score desc, ${dialect.order(id, false, columns.id.type)}`)
    .limit(1)
  if (parts.offset) query.offset(1)
  const rowId = joins.place(columns.id)
  const outer = writer
    .builder()
    .select(writer.raw(reads.join(', ')))
    .from(query.as('_found'))
    .joinRaw(`join ${writer.quoteTable(object.table)} as ${root} on ${rowId} = _found._id`)
    .orderByRaw(`_found._score desc, ${dialect.order(rowId, false, columns.id.type)}`)
  const first = match.values.length + filterValues + countValues(guards)
  return writer.finish(joinAll(outer, joins), { paging: [first, first + 1] })
}

export function indexCountText(context: Context, parts: Omit<IndexSearchParts, 'selected' | 'offset'>): Text {
  const { writer } = context
  return writer.finish(matching(context, parts).query.select(writer.raw('count(*)')))
}

/** Rows and their scores; a row has the score behind its columns. */
export function decodeHits({ statement }: Call, rows: readonly (readonly unknown[])[]): IndexHit[] {
  return rows.map((row) => ({ record: statement.decode(row), score: Number(row.at(-1)) }))
}

/** @throws StoreError `internal` when the object has no words. */
export function wordsColumn({ name, index }: ObjectModel): string {
  if (!index) throw new StoreError('internal', `Cannot search the index of "${name}": it has none.`)
  return index.words.column
}

interface Matching {
  readonly query: ReturnType<Writer['builder']>
  /** The row id. */
  readonly id: string
  readonly at: Place
}

/** The rows that match; nothing is selected yet. */
function matching(
  context: Context,
  { object, columns, match, where, filterValues, guards }: Omit<IndexSearchParts, 'selected' | 'offset'>,
): Matching {
  const { dialect, writer } = context
  const { quote, raw } = writer
  const joins = createJoins(root, context, { guards })
  const table = `${writer.quoteTable(object.table)} as ${root}`
  const beside = dialect.words.table && quote(dialect.words.table(object.table))
  // Of our own tables the row id is the rowid, and nothing else of the row is needed.
  const alone = beside !== undefined && !where && object.definition.fields.row_id === undefined
  const at =
    beside === undefined ? { table: root, column: quote(wordsColumn(object)) } : { table: words, column: beside }
  const rowTable = alone ? '' : ` cross join ${table} on ${root}.rowid = ${words}.rowid`
  const from = beside === undefined ? table : `${beside} as ${words}${rowTable}`
  const condition = match.condition(at)
  const query = writer
    .builder()
    .from(raw(from))
    .whereRaw(raw(condition.sql, valueSlots(condition)))
  if (where)
    query.whereRaw(raw(filterSql(where, columns, joins.place, dialect), slots(match.values.length, filterValues)))
  return { query: joinAll(query, joins), id: alone ? `${words}.rowid` : joins.place(columns.id), at }
}

function valueSlots({ values }: Piece): Slot[] {
  return values.map((index) => new Slot(index))
}
