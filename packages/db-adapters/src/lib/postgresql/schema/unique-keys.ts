import type { SchemaConnection } from '../../schema/connection.js'
import { keysOf } from '../../schema/unique-keys.js'
import { flag, text } from '../../schema/rows.js'
import { quote } from '../../sql/text.js'

/** Those of children are keys of their own. */
const sql = `
  select x.relname::text as name, a.attname::text as "column"
  from pg_class c
    join pg_index i on i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indimmediate
      and i.indpred is null and i.indexprs is null
    join pg_class x on x.oid = i.indexrelid
    cross join unnest(i.indkey::int2[]) with ordinality as k(number, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
  where c.oid = to_regclass($1) and c.relkind in ('r', 'p') and k.place <= i.indnkeyatts
    and not exists (select from pg_inherits h join pg_class d on d.oid = h.inhrelid
      where h.inhparent = c.oid and not d.relispartition)`

export async function uniqueKeys(connection: SchemaConnection, table: string): Promise<string[][]> {
  return keysOf(await connection.rows(sql, [table.split('.').map(quote).join('.')]))
}

/** Bits of `tgtype`: 1 for each row, 2 before, 4 insert; such a trigger may return NULL, or store the row elsewhere. */
const keepsSql = `
  select c.relkind in ('r', 'p') and not c.relhasrules and not exists (
    select from pg_trigger t where not t.tgisinternal and t.tgenabled <> 'D' and t.tgtype & 7 = 7
      and (t.tgrelid = c.oid or t.tgrelid in (select relid from pg_partition_tree(c.oid)))) as keeps
  from pg_class c where c.oid = to_regclass($1)`

export async function keepsInserts(connection: SchemaConnection, table: string): Promise<boolean> {
  const [row = {}] = await connection.rows(keepsSql, [table.split('.').map(quote).join('.')])
  return flag(row, 'keeps')
}

const lastIdSql = `select currval(pg_get_serial_sequence($1, $2))::text as id`

/** The number that the column's own sequence gave last in this session. */
export async function lastId(connection: SchemaConnection, table: string, column: string): Promise<string | undefined> {
  const [row = {}] = await connection.rows(lastIdSql, [table.split('.').map(quote).join('.'), column])
  return text(row, 'id') || undefined
}
