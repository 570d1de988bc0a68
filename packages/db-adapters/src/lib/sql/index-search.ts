import { StoreError } from '@steward/rest-core/errors'
import type { Filter, IndexHit, ObjectModel } from '@steward/rest-core'
import { readsOf, type Column, type Columns } from './columns.js'
import { quoteTable, type Dialect, type WordMatch, type WordsColumn } from './dialect.js'
import { filterSql } from './filter.js'
import { countValues, type BoundGuards } from './guards.js'
import { createJoins } from './joins.js'
import { keyTests, pageAt, whereText } from './select.js'
import type { BoundStatement } from './statement.js'
import { slots, sql, type Text } from './text.js'

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
export function indexSearchText(dialect: Dialect, parts: IndexSearchParts): Text {
  const { object, columns, selected, match, filterValues, guards } = parts
  const joins = createJoins(root, dialect, { guards })
  const read = readsOf(selected).reads.map((column) => dialect.read(joins.seen(column), column.type))
  const reads = [...read, 'x_hits.x_score'].join(', ')
  const { rows, ids, at } = matching(dialect, parts)
  const page = pageAt(dialect, match.values.length + filterValues + countValues(guards), parts.offset)
  const tests = keyTests(columns.id)
  const inOrder = (places: readonly string[]): string =>
    tests.map(({ type }, key) => dialect.order(places[key] as string, false, type)).join(', ')
  const names = ids.map((_, key) => (key === 0 ? 'x_id' : `x_id${key}`))
  const hits = ids.map((id, key) => `${id} as ${names[key]}`).join(', ')
  const byId = inOrder(ids)
  const found = sql`select ${hits}, ${match.score(at)} as x_score${rows} order by x_score desc, ${byId}${page}`
  const rowIds = tests.map((column) => joins.place(column))
  const same = rowIds.map((id, key) => `${id} = x_hits.${names[key]}`).join(' and ')
  const row = `${quoteTable(object.table, dialect)} ${root} on ${same}`
  const order = `x_hits.x_score desc, ${inOrder(rowIds)}`
  return sql`select ${reads} from (${found}) x_hits join ${row}${joins.clauses()} order by ${order}`
}

export function indexCountText(dialect: Dialect, parts: Omit<IndexSearchParts, 'selected' | 'offset'>): Text {
  return sql`select count(*)${matching(dialect, parts).rows}`
}

/** Rows and their scores; a row has the score after its columns. */
export function decodeHits({ statement }: BoundStatement, rows: readonly (readonly unknown[])[]): IndexHit[] {
  return rows.map((row) => ({ record: statement.decode(row), score: Number(row.at(-1)) }))
}

/** @throws StoreError `internal` when the object has no words. */
export function wordsColumn({ name, index }: ObjectModel): string {
  if (!index) throw new StoreError('internal', `Cannot search the index of "${name}": it has none.`)
  return index.words.column
}

/** ` from … where …`: the rows that match; `ids` are the columns of their row id. */
function matching(
  dialect: Dialect,
  { object, columns, match, where, filterValues, guards }: Omit<IndexSearchParts, 'selected' | 'offset'>,
): { readonly rows: Text; readonly ids: readonly string[]; readonly at: WordsColumn } {
  const { quote } = dialect
  const joins = createJoins(root, dialect, { guards })
  const table = `${quoteTable(object.table, dialect)} ${root}`
  const beside = dialect.words.table && quote(dialect.words.table(object.table))
  // In our own tables the row id is the rowid, and nothing else of the row is needed.
  const alone = beside !== undefined && !where && !object.isMapped
  const rowTable = alone ? '' : ` cross join ${table} on ${root}.rowid = ${words}.rowid`
  const from = beside === undefined ? table : `${beside} ${words}${rowTable}`
  const ids = alone ? [`${words}.rowid`] : keyTests(columns.id).map((column) => joins.place(column))
  const rowsTable = dialect.words.rows && quoteTable(dialect.words.rows.table(object.table), dialect)
  const column = beside ?? quote(wordsColumn(object))
  const at = { table: beside === undefined ? root : words, column, ids, rows: rowsTable }
  const conditions = [match.condition(at)]
  if (where)
    conditions.push({
      sql: filterSql(where, columns, joins.place, dialect),
      slots: slots(match.values.length, filterValues),
    })
  return { rows: sql` from ${from}${joins.clauses()}${whereText(conditions)}`, ids, at }
}
