import type { SchemaConnection } from '../../schema/connection.js'
import { keysOf } from '../../schema/unique-keys.js'

const sql = `
  select i.index_name as "name", c.column_name as "column"
  from all_indexes i join all_ind_columns c on c.index_name = i.index_name and c.index_owner = i.owner
  where i.table_owner = coalesce(:1, user) and i.table_name = :2 and i.uniqueness = 'UNIQUE'
  order by i.index_name, c.column_position`

/** Views have none. */
export async function uniqueKeys(connection: SchemaConnection, table: string): Promise<string[][]> {
  return keysOf(await connection.rows(sql, nameOf(table)))
}

const keepsSql = `select table_name as "name" from all_tables where owner = coalesce(:1, user) and table_name = :2`

/** Only triggers of views write in place of the statement. */
export async function keepsInserts(connection: SchemaConnection, table: string): Promise<boolean> {
  return (await connection.rows(keepsSql, nameOf(table))).length > 0
}

function nameOf(table: string): [owner: string | null, table: string] {
  const dot = table.indexOf('.')
  return [dot < 0 ? null : table.slice(0, dot), table.slice(dot + 1)]
}
