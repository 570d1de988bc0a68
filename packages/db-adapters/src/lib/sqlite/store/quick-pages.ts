import type { Filter, ObjectModel, Query } from '@steward/rest-core'
import type { BoundStatement, Statement } from '../../sql/statement.js'
import type { SqliteConnection } from './connection.js'
import { isLong } from './dialect.js'

/** Not specified; chosen so that a page takes some tens of milliseconds at most. `pages` of SQLite are 80 MB. */
const quick = { offset: 50_000, rows: 200_000, pages: 20_000 }
/** Pages of one kind after which it is looked again how large a table is. */
const looksAfter = 100

interface Size {
  readonly large: boolean
  uses: number
}

const scans = new WeakMap<Statement, boolean>()
const sizes = new WeakMap<ObjectModel, Size>()

/**
 * Whether a page may be read on the calling thread, which does nothing else meanwhile: no long texts are compared, and
 * no large table is read or sorted to find it.
 */
export function isQuick(
  connection: SqliteConnection,
  object: ObjectModel,
  query: Query,
  { statement, values }: BoundStatement,
): boolean {
  const { where, offset = 0 } = query
  if (offset > quick.offset || (where && comparesLong(where, object))) return false
  let isScan = scans.get(statement)
  if (isScan === undefined) {
    isScan = scansOrSorts(connection, statement, values, where !== undefined)
    scans.set(statement, isScan)
  }
  return !isScan || !isLarge(connection, object)
}

function comparesLong(filter: Filter, object: ObjectModel): boolean {
  if ('terms' in filter) return filter.terms.some((term) => comparesLong(term, object))
  if (filter.op !== 'like' && filter.op !== 'notLike') return false
  const field = object.field(filter.field)
  return field !== undefined && isLong(field.columnType)
}

/** `SCAN t` reads rows until the page is full, which is soon without a filter. */
function scansOrSorts(
  connection: SqliteConnection,
  { sql }: Statement,
  values: unknown[],
  isFiltered: boolean,
): boolean {
  const plan = connection.raw.prepare(`explain query plan ${sql}`).all(values) as readonly { detail: string }[]
  return plan.some(({ detail }) => detail.includes('TEMP B-TREE') || (isFiltered && detail.startsWith('SCAN ')))
}

function isLarge(connection: SqliteConnection, object: ObjectModel): boolean {
  const known = sizes.get(object)
  if (known && known.uses++ < looksAfter) return known.large
  const rows = rowsOf(connection, object)
  const pages = connection.raw.pragma('page_count', { simple: true }) as number
  const large = rows === Infinity || (pages > quick.pages && (rows > quick.rows || hasLongTexts(object)))
  sizes.set(object, { large, uses: 0 })
  return large
}

function hasLongTexts({ fields }: ObjectModel): boolean {
  return fields.some(({ columnType }) => isLong(columnType))
}

/** About; a view may have any number. */
function rowsOf({ raw }: SqliteConnection, { table }: ObjectModel): number {
  try {
    const row = raw
      .prepare(`select max(rowid) from "${table.replaceAll('"', '""')}"`)
      .pluck()
      .get() as number | null
    return row ?? 0
  } catch {
    return Infinity
  }
}
