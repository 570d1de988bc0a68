import type { SchemaConnection } from '../../schema/connection.js'
import { keysOf } from '../../schema/unique-keys.js'
import { quote } from '../../sql/text.js'

const sql = `
  select i.name as name, c.name as "column"
  from sys.indexes i join sys.objects o on o.object_id = i.object_id and o.type = 'U'
    join sys.index_columns k on k.object_id = i.object_id and k.index_id = i.index_id and k.is_included_column = 0
    join sys.columns c on c.object_id = k.object_id and c.column_id = k.column_id
  where i.object_id = object_id(@p1) and i.is_unique = 1 and i.has_filter = 0 and i.is_disabled = 0
  order by i.name, k.key_ordinal`

/** Views have none. */
export async function uniqueKeys(connection: SchemaConnection, table: string): Promise<string[][]> {
  return keysOf(await connection.rows(sql, [table.split('.').map(quote).join('.')]))
}

const keepsSql = `
  select o.name as name from sys.objects o where o.object_id = object_id(@p1) and o.type = 'U' and not exists (
    select 1 from sys.triggers t where t.parent_id = o.object_id and t.is_instead_of_trigger = 1 and t.is_disabled = 0)`

/** No trigger writes in place of the statement. */
export async function keepsInserts(connection: SchemaConnection, table: string): Promise<boolean> {
  return (await connection.rows(keepsSql, [table.split('.').map(quote).join('.')])).length > 0
}
