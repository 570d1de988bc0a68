import type { SchemaConnection } from './connection.js'
import type { Catalogue, SchemaDialect } from './dialect.js'
import { firstRows } from './first-rows.js'
import { idValuesOf } from './introspect-column.js'
import { number, reasonOf } from './rows.js'
import { tableOf } from './sql.js'
import type { ColumnInfo, TableInfo } from './table-info.js'

/** Rows that are looked at. */
const sample = 10_000

/** Columns that are tried; what identifies rows stands among the first. */
const mostColumns = 16

/** Columns that are called like something that identifies. */
const telling = /(?:^|_|[a-z])(?:id|uuid|guid|key|code|no|nr|number)$/i

/** What identifies the rows of a table or view for which the database declares no key. */
export interface FoundKey {
  readonly columns: readonly [string, ...string[]]
  /** No unique index says so: the values that are there are all filled and different. */
  readonly isGuess: boolean
}

/**
 * Finds a column that identifies rows where no primary key does: a filled unique one, else one whose values are filled and
 * different in the first rows. A text says why there is none.
 */
export async function identifyRows(
  connection: SchemaConnection,
  { tables }: Catalogue,
  dialect: SchemaDialect,
): Promise<ReadonlyMap<TableInfo, FoundKey | string>> {
  const found = new Map<TableInfo, FoundKey | string>()
  for (const table of tables) {
    if (table.kind === 'virtual' || table.implicitId !== undefined) continue
    const { children, primaryKey, unreadable } = table
    if (primaryKey.length > 0) {
      const reason = children && (await whyShared(connection, table, children, dialect))
      if (reason !== undefined) found.set(table, reason)
      continue
    }
    const unique = unreadable === undefined && !children ? uniqueColumn(table) : undefined
    found.set(
      table,
      unique === undefined ? await guess(connection, table, dialect) : { columns: [unique], isGuess: false },
    )
  }
  return found
}

/** Why the primary key does not identify the rows of a table and its children; it is the declared one of the table alone. */
async function whyShared(
  connection: SchemaConnection,
  table: TableInfo,
  children: readonly string[],
  dialect: SchemaDialect,
): Promise<string | undefined> {
  if (table.columns.some(({ name, isReadable }) => isReadable === false && table.primaryKey.includes(name)))
    return undefined
  const names = table.primaryKey.map(dialect.quote).join(', ')
  const rows = `select ${names} from ${tableOf(table, dialect.quote)}${firstRows(dialect, sample)}`
  try {
    const [row = {}] = await connection.rows(
      `select count(*) as n, (select count(*) from (select distinct ${names} from (${rows}) s) d) as d from (${rows}) s`,
    )
    return number(row, 'n') === number(row, 'd')
      ? undefined
      : `tables inherit from it (${children.join(', ')}), and rows of them have the same key; they are served by themselves`
  } catch (error) {
    return `reading it fails: ${reasonOf(error)}`
  }
}

/** Columns of views are never declared to be filled, so the index of a materialised one is enough. */
function uniqueColumn({ kind, columns, indexes }: TableInfo): string | undefined {
  const single = indexes.filter((index) => index.unique && index.plain && index.columns.length === 1)
  return single
    .map((index) => columns.find(({ name }) => name === index.columns[0]))
    .find(
      (column) =>
        column &&
        column.isReadable !== false &&
        (kind === 'view' || !column.nullable) &&
        idValuesOf(column) !== undefined,
    )?.name
}

async function guess(
  connection: SchemaConnection,
  table: TableInfo,
  dialect: SchemaDialect,
): Promise<FoundKey | string> {
  const what = table.kind === 'table' ? 'it has no primary key' : 'no column identifies its rows'
  if (table.unreadable !== undefined) return `reading it fails: ${table.unreadable}`
  const candidates = table.columns
    .filter((column) => column.isReadable !== false && idValuesOf(column) !== undefined)
    .slice(0, mostColumns)
  if (candidates.length === 0) return what
  let row
  try {
    row = await countDistinct(connection, table, candidates, dialect)
  } catch (error) {
    return `reading it fails: ${reasonOf(error)}`
  }
  const rows = number(row, 'n') ?? 0
  if (rows === 0) {
    const named = candidates.find(({ name }) => telling.test(name))
    return named ? { columns: [named.name], isGuess: true } : `${what}, and there are no rows to find one by`
  }
  const fit = candidates.filter((_, at) => number(row, `d${at}`) === rows)
  const chosen = fit.find(({ name }) => telling.test(name)) ?? fit[0]
  return chosen ? { columns: [chosen.name], isGuess: true } : what
}

/** `n` rows, and of each column `d0`, `d1`, …: how many values they have. */
async function countDistinct(
  connection: SchemaConnection,
  table: TableInfo,
  columns: readonly ColumnInfo[],
  dialect: SchemaDialect,
): Promise<Readonly<Record<string, unknown>>> {
  const { quote } = dialect
  const names = columns.map(({ name }) => quote(name))
  const rows = `select ${names.join(', ')} from ${tableOf(table, dialect.quote)}${firstRows(dialect, sample)}`
  const counts = names.map((name, at) => `count(distinct ${name}) as ${quote(`d${at}`)}`)
  const [row = {}] = await connection.rows(`select count(*) as ${quote('n')}, ${counts.join(', ')} from (${rows}) s`)
  return row
}
