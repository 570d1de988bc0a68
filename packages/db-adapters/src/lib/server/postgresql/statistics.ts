import type { DatabaseStatistics } from '../database-server.js'
import type { Query } from './connect.js'

const ownTables = `from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p') and not relispartition and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg\\_%'`

export async function isEmpty(query: Query): Promise<boolean> {
  const [found] = await query(`select exists (select ${ownTables}) as has_tables`)
  return found?.['has_tables'] === false
}

/** Tables of other schemas than `public` are called `<schema>.<table>`. */
export async function statistics(query: Query): Promise<DatabaseStatistics> {
  await query('begin isolation level repeatable read read only')
  const tables = await query(
    `select format('%I.%I', nspname, relname) as quoted,
       case when nspname = 'public' then relname else nspname || '.' || relname end as name ${ownTables} order by 2`,
  )
  const rows: Record<string, number> = {}
  for (const { quoted, name } of tables) {
    const [counted] = await query(`select count(*) as count from ${String(quoted)}`)
    rows[String(name)] = Number(counted?.['count'])
  }
  const [size] = await query('select pg_database_size(current_database()) as bytes')
  await query('commit')
  return { rows, bytes: Number(size?.['bytes']) }
}
