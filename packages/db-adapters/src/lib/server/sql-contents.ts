import type { ChangedSince, DatabaseExtent, DatabaseStatistics } from './database-server.js'
import type { RunSql } from './sql-sessions.js'

/** SQL about what is in a database, run as its user. */
export interface SqlContents {
  /** Starts a transaction that sees one state. */
  beginSnapshot(run: RunSql): Promise<unknown>
  /** The placeholder of the first value. */
  readonly placeholder: string
  isEmpty(run: RunSql): Promise<boolean>
  /** Its tables in the order of their names. */
  tables(run: RunSql): Promise<readonly SqlTable[]>
  bytes(run: RunSql): Promise<number>
  /** Table and column as they stand in statements; undefined when they are not there. */
  column(run: RunSql, table: string, column: string): Promise<{ table: string; column: string } | undefined>
}

export interface SqlTable {
  readonly name: string
  /** As it stands in statements. */
  readonly quoted: string
}

export async function extent(run: RunSql, { tables, bytes }: SqlContents): Promise<DatabaseExtent> {
  return { tables: (await tables(run)).map(({ name }) => name), bytes: await bytes(run) }
}

export async function statistics(run: RunSql, contents: SqlContents): Promise<DatabaseStatistics> {
  await contents.beginSnapshot(run)
  const rows: Record<string, number> = {}
  for (const { name, quoted } of await contents.tables(run)) rows[name] = await count(run, quoted)
  const bytes = await contents.bytes(run)
  await run('commit')
  return { rows, bytes }
}

export async function changedSince(
  run: RunSql,
  { time, columns }: ChangedSince,
  contents: SqlContents,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const [name, timeColumn] of Object.entries(columns)) {
    const found = await contents.column(run, name, timeColumn)
    if (found)
      counts[name] = await count(run, `${found.table} where ${found.column} >= ${contents.placeholder}`, [time])
  }
  return counts
}

async function count(run: RunSql, from: string, values?: readonly unknown[]): Promise<number> {
  const [found] = await run(`select count(*) as count from ${from}`, values)
  return Number(found?.['count'])
}
