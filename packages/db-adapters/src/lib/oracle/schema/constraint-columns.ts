import type { SchemaConnection } from '../../schema/connection.js'
import { text } from '../../schema/rows.js'

const columnsSql = `
  select column_name as name from user_cons_columns where table_name = :1 and constraint_name = :2
  union select column_name from user_ind_columns where table_name = :3 and index_name = :4`

/** Columns of a constraint, a CHECK included, or of a unique index. */
export async function constraintColumns(
  connection: SchemaConnection,
  table: string,
  constraint: string,
): Promise<string[]> {
  const found = await connection.rows(columnsSql, [table, constraint, table, constraint])
  return found.map((row) => text(row, 'name'))
}
