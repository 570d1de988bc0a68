import type { SchemaConnection } from '../../schema/connection.js'
import { keysOf } from '../../schema/unique-keys.js'

const sql = `
  select index_name as \`name\`, column_name as \`column\` from information_schema.statistics
  where table_schema = database() and table_name = ? and non_unique = 0 order by index_name, seq_in_index`

/** Views have none. */
export async function uniqueKeys(connection: SchemaConnection, table: string): Promise<string[][]> {
  return keysOf(await connection.rows(sql, [table]))
}

/** A trigger may give a new row another key; a view need not show it. */
const keepsSql = `
  select 1 as keeps from information_schema.tables
  where table_schema = database() and table_name = ? and table_type <> 'VIEW' and not exists (
    select 1 from information_schema.triggers where event_object_schema = database()
      and event_object_table = ? and action_timing = 'BEFORE' and event_manipulation = 'INSERT')`

export async function keepsInserts(connection: SchemaConnection, table: string): Promise<boolean> {
  return (await connection.rows(keepsSql, [table, table])).length > 0
}
