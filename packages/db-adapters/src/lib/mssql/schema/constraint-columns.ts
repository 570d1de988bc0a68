import type { SchemaConnection } from '../../schema/connection.js'
import { text } from '../../schema/rows.js'
import { quote } from '../../sql/text.js'

const indexSql = `
  select c.name as name from sys.indexes i
    join sys.index_columns k on k.object_id = i.object_id and k.index_id = i.index_id and k.is_included_column = 0
    join sys.columns c on c.object_id = k.object_id and c.column_id = k.column_id
  where i.object_id = object_id(@p1) and i.name = @p2 order by k.key_ordinal`

const checkSql = `
  select definition as clause from sys.check_constraints where parent_object_id = object_id(@p1) and name = @p2`

/** Columns of a unique index or constraint, or those that a CHECK constraint names in its clause. */
export async function constraintColumns(
  connection: SchemaConnection,
  table: string,
  constraint: string,
): Promise<string[]> {
  const values = [table.split('.').map(quote).join('.'), constraint]
  const indexed = await connection.rows(indexSql, values)
  if (indexed.length > 0) return indexed.map((row) => text(row, 'name'))
  const clauses = await connection.rows(checkSql, values)
  const names = clauses.flatMap((row) =>
    [...text(row, 'clause').matchAll(/\[((?:[^\]]|\]\])+)\]|"((?:[^"]|"")+)"/g)].map(
      ([, bracketed, quoted]) => bracketed?.replaceAll(']]', ']') ?? quoted?.replaceAll('""', '"') ?? '',
    ),
  )
  return [...new Set(names)]
}
