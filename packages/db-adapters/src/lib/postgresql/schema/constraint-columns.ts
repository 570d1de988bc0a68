import type { SchemaConnection } from '../../schema/connection.js'
import { text } from '../../schema/rows.js'
import { quote } from '../../sql/text.js'

/** Columns of a constraint, of a unique index, or of the type of a domain with that rule. */
const sql = `
  select a.attname::text as name
  from pg_attribute a
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped and (
    exists (select from pg_constraint k where k.conname = $2
      and ((k.conrelid = a.attrelid and a.attnum = any(k.conkey)) or (k.contypid <> 0 and k.contypid = a.atttypid)))
    or exists (select from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = a.attrelid and c.relname = $2 and a.attnum = any(i.indkey::int2[])))
  order by a.attnum`

export async function constraintColumns(
  connection: SchemaConnection,
  table: string,
  constraint: string,
): Promise<string[]> {
  const rows = await connection.rows(sql, [table.split('.').map(quote).join('.'), constraint])
  return rows.map((row) => text(row, 'name'))
}
