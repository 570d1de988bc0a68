import type { SchemaConnection } from '../../schema/connection.js'
import { keysOf } from '../../schema/unique-keys.js'

/** A trigger may give a new row another id. */
const sql = `
  select s.index_name as \`name\`, s.column_name as \`column\`
  from information_schema.statistics s
  where s.table_schema = database() and s.table_name = ? and s.non_unique = 0
    and not exists (select 1 from information_schema.triggers t where t.event_object_schema = database()
      and t.event_object_table = ? and t.action_timing = 'BEFORE' and t.event_manipulation = 'INSERT')
  order by s.index_name, s.seq_in_index`

/** Views have none. */
export async function uniqueKeys(connection: SchemaConnection, table: string): Promise<string[][]> {
  return keysOf(await connection.rows(sql, [table, table]))
}
