import type { ChangedSince, DatabaseExtent, DatabaseStatistics } from '../../server/database-server.js'
import type { Query } from './connect.js'

export async function isEmpty(query: Query): Promise<boolean> {
  const [found] = await query(
    'select exists (select 1 from information_schema.tables where table_schema = database()) as has_tables',
  )
  return Number(found?.['has_tables']) === 0
}

export async function extent(query: Query): Promise<DatabaseExtent> {
  const tables = await query(
    `select table_name as name, data_length + index_length as bytes from information_schema.tables
     where table_schema = database() and table_type = 'BASE TABLE' order by table_name`,
  )
  return {
    tables: tables.map(({ name }) => String(name)),
    bytes: tables.reduce((sum, { bytes }) => sum + Number(bytes), 0),
  }
}

export async function statistics(query: Query): Promise<DatabaseStatistics> {
  await query('start transaction with consistent snapshot, read only')
  const { tables, bytes } = await extent(query)
  const rows: Record<string, number> = {}
  for (const name of tables) {
    const [counted] = await query('select count(*) as count from ??', [name])
    rows[name] = Number(counted?.['count'])
  }
  await query('commit')
  return { rows, bytes }
}

export async function changedSince(
  query: Query,
  { time, columns }: ChangedSince,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const [table, column] of Object.entries(columns)) {
    const [found] = await query(
      'select 1 from information_schema.columns where table_schema = database() and table_name = ? and column_name = ?',
      [table, column],
    )
    if (!found) continue
    const [counted] = await query('select count(*) as count from ?? where ?? >= ?', [table, column, time])
    counts[table] = Number(counted?.['count'])
  }
  return counts
}
