import type { SchemaConnection } from '../../schema/connection.js'
import { text } from '../../schema/rows.js'

const indexSql = `
  select column_name as name from information_schema.statistics
  where table_schema = database() and table_name = ? and index_name = ? order by seq_in_index`

const checkSql = `
  select c.check_clause as clause from information_schema.check_constraints c
    join information_schema.table_constraints t using (constraint_schema, constraint_name)
  where c.constraint_schema = database() and t.table_name = ? and c.constraint_name = ?`

/** Columns of a unique index, or those that a CHECK constraint names in its clause. */
export async function constraintColumns(
  connection: SchemaConnection,
  table: string,
  constraint: string,
): Promise<string[]> {
  const indexed = await connection.rows(indexSql, [table, constraint])
  if (indexed.length > 0) return indexed.map((row) => text(row, 'name'))
  const clauses = await connection.rows(checkSql, [table, constraint])
  const names = clauses.flatMap((row) => [...text(row, 'clause').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''))
  return [...new Set(names)]
}
