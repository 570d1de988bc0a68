import type { SyncLoss } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { stepOf, type Change, type ChangeOf } from './changes.js'
import type { SchemaConnection } from './connection.js'
import type { ColumnPlace, SchemaDialect } from './dialect.js'
import { oldNames } from './old-names.js'
import { number } from './rows.js'
import type { Planned } from './plan.js'

/**
 * Counts, per column, the values that a destructive sync would drop or convert, and those that would not stay as they
 * are. Reads whole tables, and only those that are concerned.
 *
 * @throws StoreError `schema` naming the step when the database cannot read the values in the new type.
 */
export async function countLosses(
  connection: SchemaConnection,
  { changes, leftover }: Planned,
  dialect: SchemaDialect,
): Promise<SyncLoss[]> {
  const names = oldNames(changes)
  const converted = changes.filter((change) => change.kind === 'changeColumn').filter(({ widening }) => !widening)
  const dropped = leftover.map((each): ChangeOf<'dropColumn'> => ({ kind: 'dropColumn', ...each }))
  const losses: SyncLoss[] = []
  for (const change of [...converted, ...dropped]) {
    const { table, column } = change
    const place = { table: names.table(table), column: names.column(table, column) }
    const { description } = stepOf(change)
    try {
      const filled = await countValues(connection, place, dialect)
      const lost = change.kind === 'dropColumn' ? filled : await dialect.countLost(connection, place, change)
      losses.push({ table, column, description, values: filled, lost })
    } catch (error) {
      throw unreadable(change, error)
    }
  }
  return losses
}

/** Rows that have a value, of which the condition (SQL) is true when it is given. */
export async function countValues(
  connection: SchemaConnection,
  { table, column }: ColumnPlace,
  { quote }: Pick<SchemaDialect, 'quote'>,
  condition?: string,
): Promise<number> {
  const more = condition === undefined ? '' : ` and (${condition})`
  const sql = `select count(*) as n from ${quote(table)} where ${quote(column)} is not null${more}`
  const [row = {}] = await connection.rows(sql)
  return number(row, 'n') ?? 0
}

function unreadable(change: Change, error: unknown): unknown {
  if (!StoreError.is(error) || error.retry) return error
  const { description } = stepOf(change)
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  return new StoreError('schema', `Cannot ${description}: ${reason}`, { cause: error })
}
