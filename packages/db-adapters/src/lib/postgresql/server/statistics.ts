import type { ChangedSince, DatabaseExtent, DatabaseStatistics } from '../../server/database-server.js'
import type { Query } from './connect.js'

const ownTables = `from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p') and not relispartition and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg\\_%'`

export async function isEmpty(query: Query): Promise<boolean> {
  const [found] = await query(`select exists (select ${ownTables}) as has_tables`)
  return found?.['has_tables'] === false
}

export async function extent(query: Query): Promise<DatabaseExtent> {
  const tables = await tablesOf(query)
  return { tables: tables.map(({ name }) => name), bytes: await bytesOf(query) }
}

export async function statistics(query: Query): Promise<DatabaseStatistics> {
  await query('begin isolation level repeatable read read only')
  const rows: Record<string, number> = {}
  for (const { quoted, name } of await tablesOf(query)) {
    const [counted] = await query(`select count(*) as count from ${quoted}`)
    rows[name] = Number(counted?.['count'])
  }
  const bytes = await bytesOf(query)
  await query('commit')
  return { rows, bytes }
}

/** Tables of other schemas than `public` are called `<schema>.<table>`. */
async function tablesOf(query: Query): Promise<readonly { readonly quoted: string; readonly name: string }[]> {
  const tables = await query(
    `select format('%I.%I', nspname, relname) as quoted,
       case when nspname = 'public' then relname else nspname || '.' || relname end as name ${ownTables} order by 2`,
  )
  return tables.map(({ quoted, name }) => ({ quoted: String(quoted), name: String(name) }))
}

async function bytesOf(query: Query): Promise<number> {
  const [size] = await query('select pg_database_size(current_database()) as bytes')
  return Number(size?.['bytes'])
}

export async function changedSince(
  query: Query,
  { time, columns }: ChangedSince,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const [table, column] of Object.entries(columns)) {
    const [found] = await query(
      `select format('%I.%I', table_schema, table_name) as quoted, format('%I', column_name) as column
       from information_schema.columns where table_schema = 'public' and table_name = $1 and column_name = $2`,
      [table, column],
    )
    if (!found) continue
    const { quoted, column: quotedColumn } = found
    const [counted] = await query(
      `select count(*) as count from ${String(quoted)} where ${String(quotedColumn)} >= $1`,
      [time],
    )
    counts[table] = Number(counted?.['count'])
  }
  return counts
}
