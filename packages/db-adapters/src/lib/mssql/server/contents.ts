import type { SqlContents } from '../../server/sql-contents.js'
import type { RunSql } from '../../server/sql-sessions.js'
import { quote } from './text.js'

const ownTables = 'from sys.tables t join sys.schemas s on s.schema_id = t.schema_id where t.is_ms_shipped = 0'

/** Where a database keeps no versions of rows, writers wait for who reads. */
export async function beginSnapshot(run: RunSql): Promise<void> {
  const [found] = await run('select snapshot_isolation_state as state from sys.databases where name = db_name()')
  await run(`set transaction isolation level ${Number(found?.['state']) === 1 ? 'snapshot' : 'serializable'}`)
  await run('begin transaction')
}

export const mssqlContents: SqlContents = {
  beginSnapshot,
  placeholder: '@p1',
  async isEmpty(run) {
    const [found] = await run(`select count(*) as tables ${ownTables}`)
    return Number(found?.['tables']) === 0
  },
  /** Those of other schemas than `dbo` are called `<schema>.<table>`. */
  async tables(run) {
    const tables = await run(
      `select s.name as schema_name, t.name as table_name ${ownTables}
       order by case when s.name = 'dbo' then t.name else concat(s.name, '.', t.name) end`,
    )
    return tables.map(({ schema_name: schema, table_name: table }) => ({
      quoted: `${quote(String(schema))}.${quote(String(table))}`,
      name: schema === 'dbo' ? String(table) : `${String(schema)}.${String(table)}`,
    }))
  },
  async bytes(run) {
    const [found] = await run('select sum(cast(size as bigint)) * 8192 as bytes from sys.database_files')
    return Number(found?.['bytes'])
  },
  async column(run, table, column) {
    const [found] = await run(
      `select count(*) as columns from sys.columns c join sys.tables t on t.object_id = c.object_id
       where t.schema_id = schema_id('dbo') and t.name = @p1 and c.name = @p2`,
      [table, column],
    )
    return Number(found?.['columns']) === 0 ? undefined : { table: `[dbo].${quote(table)}`, column: quote(column) }
  },
}
