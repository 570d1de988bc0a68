import { StoreError } from '@steward/rest-core/errors'
import type { Filter, IndexHit, ObjectModel } from '@steward/rest-core'
import { binder, key, quoted, raw, type Query } from './builder.js'
import { readsOf, type Column, type Columns } from './columns.js'
import { tableKey, type Dialect, type WordMatch, type WordsColumn } from './dialect.js'
import { filterSql } from './filter.js'
import type { BoundGuards } from './guards.js'
import { createJoins } from './joins.js'
import { addPage, keyTests, type Page } from './select.js'
import type { BoundStatement } from './statement.js'

/** Values are taken in this order: words, filter. */
export interface IndexSearchParts {
  readonly object: ObjectModel
  readonly columns: Columns
  readonly selected: readonly Column[]
  readonly match: WordMatch
  readonly where: Filter | undefined
  readonly guards: BoundGuards | undefined
  readonly page: Page
}

const root = 't0'
const words = 'w'
const hits = 'x_hits'

/**
 * Ids and scores of the best rows first, in a query of their own, then what is selected of them: ranking sorts all rows
 * that match, and must not carry their columns. The score is the last column.
 */
export function indexSearchQuery(dialect: Dialect, parts: IndexSearchParts): Query {
  const { object, columns, selected, match } = parts
  const { builder } = dialect
  const joins = createJoins(root, dialect, { guards: parts.guards })
  const reads = readsOf(selected).reads.map((column) => builder.raw(dialect.read(joins.seen(column), column.type)))
  const { query, ids, at } = matching(dialect, parts)
  const tests = keyTests(columns.id)
  const inOrder = (places: readonly string[]): string =>
    tests.map(({ type }, part) => dialect.order(places[part] as string, false, type)).join(', ')
  const names = ids.map((_, part) => (part === 0 ? 'x_id' : `x_id${part}`))
  const score = quoted(builder, 'x_score')
  query
    .select(ids.map((id, part) => builder.raw(`${id} as ${quoted(builder, names[part] as string)}`)))
    .select(raw(builder, `? as ${score}`, [match.score(at)]))
    .orderByRaw(`${score} desc, ${inOrder(ids)}`)
  const rowIds = tests.map((column) => joins.place(column))
  const found = builder
    .select([...reads, `${hits}.x_score`])
    .from(addPage(query, parts.page).as(hits))
    .join(`${tableKey(object.table, dialect)} as ${root}`, (clause) => {
      for (const [part, id] of rowIds.entries())
        clause.on(builder.raw(`${id} = ${quoted(builder, hits, names[part] as string)}`))
    })
  return joins.addTo(found).orderByRaw(`${quoted(builder, hits, 'x_score')} desc, ${inOrder(rowIds)}`)
}

export function indexCountQuery(dialect: Dialect, parts: Omit<IndexSearchParts, 'selected' | 'page'>): Query {
  return matching(dialect, parts).query.count('*')
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

/** The rows that match, of which nothing is selected yet; `ids` are the columns of their row id. */
function matching(
  dialect: Dialect,
  { object, columns, match, where, guards }: Omit<IndexSearchParts, 'selected' | 'page'>,
): { readonly query: Query; readonly ids: readonly string[]; readonly at: WordsColumn } {
  const { builder } = dialect
  const joins = createJoins(root, dialect, { guards })
  const table = `${tableKey(object.table, dialect)} as ${root}`
  const name = dialect.words.table?.(object.table)
  const query = builder.from(name === undefined ? table : `${key(name)} as ${words}`)
  const rowId = quoted(builder, words, 'rowid')
  // In our own tables the row id is the rowid, and nothing else of the row is needed.
  const alone = name !== undefined && !where && !object.isMapped
  if (name !== undefined && !alone)
    query.crossJoin(table as never, (clause) => clause.on(builder.raw(`${quoted(builder, root, 'rowid')} = ${rowId}`)))
  const ids = alone ? [rowId] : keyTests(columns.id).map((column) => joins.place(column))
  const [alias, column] = name === undefined ? [root, wordsColumn(object)] : [words, name]
  const at = {
    table: quoted(builder, alias),
    column: key(column),
    place: quoted(builder, alias, column),
    ids,
    rows: dialect.words.rows && tableKey(dialect.words.rows.table(object.table), dialect),
  }
  query.where(match.condition(at))
  if (where) query.where(binder(builder, match.values.length)(filterSql(where, columns, joins.place, dialect)))
  return { query: joins.addTo(query), ids, at }
}
